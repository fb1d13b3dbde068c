import { describe, expect, it } from 'vitest'
import { systemTimer } from '../system/system-timer.ts'
import { RecentTenants } from './recent-tenants.ts'
import { ThreadTurns } from './thread-turns.ts'

const WORK_MS = 10
/** Its rest would outlast the test. */
const LONG_WORK_MS = 100_000

/** Makes a thread where work takes time on a clock of its own, and rest on the real one. */
function thread(workMs = WORK_MS) {
  let atMs = 0
  const nowMs = () => atMs
  const turns = new ThreadTurns(new RecentTenants(nowMs), nowMs, systemTimer)
  const work = () => {
    atMs += workMs
  }
  return { turns, work }
}

describe('a tenant', () => {
  it('rests after its work while others come, so that they have most of the thread', async () => {
    const { turns, work } = thread()
    await turns.run('other', () => {})
    const startMs = performance.now()
    await Promise.all(Array.from({ length: 4 }, () => turns.run('greedy', work)))
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(3 * 3 * WORK_MS - 1)
  })

  it('does not wait for the rest of another', async () => {
    const { turns, work } = thread()
    const order: string[] = []
    const noted = (tenant: string) => turns.run(tenant, work).then(() => order.push(tenant))
    await Promise.all([...Array.from({ length: 4 }, () => noted('greedy')), noted('other')])
    expect(order.indexOf('other')).toBeLessThanOrEqual(1)
  })

  it('has the whole thread when it is alone', async () => {
    const { turns, work } = thread(LONG_WORK_MS)
    await Promise.all(Array.from({ length: 4 }, () => turns.run('only', work)))
  })

  it('does not rest for time in which the thread had no processor', async () => {
    let atMs = 0
    const nowMs = () => atMs
    const recent = new RecentTenants(nowMs)
    const turns = new ThreadTurns(recent, nowMs, systemTimer, () => 0)
    recent.came('other')
    const preempted = () => {
      atMs += LONG_WORK_MS / 10
    }
    await Promise.all(Array.from({ length: 4 }, () => turns.run('only', preempted)))
  })

  it('leaves the thread to all else between the slices of a work, also when it is alone', async () => {
    const { turns } = thread()
    const order: string[] = []
    const sliced = turns.runSlices(
      'only',
      (function* () {
        for (const slice of ['first', 'second', 'third']) {
          setImmediate(() => order.push(`after the ${slice}`))
          order.push(slice)
          yield
        }
        return 'done'
      })(),
    )
    expect(await sliced).toBe('done')
    const slices = ['first', 'second', 'third']
    expect(order).toEqual(slices.flatMap((slice) => [slice, `after the ${slice}`]))
  })

  it('rests between the slices of its work while others come', async () => {
    const { turns, work } = thread()
    await turns.run('other', () => {})
    const startMs = performance.now()
    await turns.runSlices(
      'greedy',
      (function* () {
        for (let slice = 0; slice < 3; slice += 1) {
          work()
          yield
        }
      })(),
    )
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(3 * 3 * WORK_MS - 1)
  })

  it('gets the failure of its own work, and its next turn all the same', async () => {
    const { turns } = thread()
    const failing = turns.run('a', () => {
      throw new Error('refused')
    })
    await expect(failing).rejects.toThrow('refused')
    expect(await turns.run('a', () => 1)).toBe(1)
  })
})
