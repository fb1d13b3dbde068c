/** Workers that a server starts itself, as real processes on the bundled model. */
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readSettings } from '../settings/settings.ts'
import { type SupervisedFleet, superviseFleet } from './supervised-fleet.ts'

const MISSING = '/nowhere/missing.gguf'

/** A fleet, and what is said of it at the level of errors. */
function start(environment: Record<string, string>): { fleet: SupervisedFleet; said: string[] } {
  const said: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => said.push(line) })
  const settings = readSettings(environment)
  const fleet = superviseFleet(settings, 'a key of the folder', logger)
  onTestFinished(() => fleet.stop(0))
  return { fleet, said }
}

describe('a fleet', () => {
  test('is ready with its first worker, and the others join', async () => {
    const { fleet, said } = start({ SVC_WORKERS: '2', SVC_STANDBY_MODELS: 'demo' })
    await fleet.ready()
    const states = () =>
      fleet.configurations.map(({ workerId }) => fleet.supervised(workerId)?.state)
    await expect.poll(states).toEqual(['ready', 'ready', 'ready'])
    const standby = await fleet.supervised('standby-1')?.ready()
    expect(standby).toMatchObject({ workerId: 'standby-1', status: 'draining' })
    expect(said).toEqual([])
  })

  test('serves without a model that cannot be used but stands by, and says so once', async () => {
    const { fleet, said } = start({ SVC_STANDBY_MODELS: MISSING })
    await fleet.ready()
    await expect.poll(() => said.length).toBe(1)
    expect(said.map((line) => JSON.parse(line))).toMatchObject([
      { workerId: 'standby-1', reason: expect.stringContaining(MISSING) },
    ])
    expect(fleet.supervised('worker-1')?.state).toBe('ready')
  })

  test('of which all fail is none: the reason goes to whoever asked for it', async () => {
    const { fleet, said } = start({ SVC_WORKERS: '2', SVC_MODEL: MISSING })
    await expect(fleet.ready()).rejects.toThrow(MISSING)
    expect(said).toEqual([])
  })

  test('that is stopped before it is ready says only that', async () => {
    const { fleet, said } = start({ SVC_WORKERS: '2' })
    const ready = fleet.ready()
    ready.catch(() => {})
    await fleet.stop(0)
    await expect(ready).rejects.toThrow(/was stopped/)
    expect(said).toEqual([])
  })
})
