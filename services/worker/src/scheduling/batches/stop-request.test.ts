import { describe, expect, it } from 'vitest'
import { StopRequest } from './stop-request.ts'

describe('a run that is asked to stop', () => {
  it('waits for nothing any more, however much it waited for', async () => {
    const stop = new StopRequest(new AbortController().signal)
    const never = new Promise<void>(() => {})
    const waits = Promise.all([stop.before(never), stop.before(never)])
    stop.askToGiveWay()
    await waits
    await stop.before(never)
    expect(stop.reason).toBe('gives way')
    stop.reset()
    expect(stop.reason).toBe(null)
  })

  it('is interrupted, also when it was to give way', () => {
    const interrupt = new AbortController()
    const stop = new StopRequest(interrupt.signal)
    let ended = 0
    const end = () => (ended += 1)
    stop.wait(end)
    stop.askToGiveWay()
    stop.stopWaiting(end)
    interrupt.abort()
    expect([stop.reason, ended]).toEqual(['interrupted', 1])
  })
})
