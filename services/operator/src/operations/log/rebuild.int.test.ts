/** Rebuilds: tried before they are begun, followed and ended by whoever comes. */
import { rootCaller } from '@svc/contracts/admin/caller'
import type { Operations } from '@svc/contracts/admin/operations'
import type { Projections } from '@svc/projections/open-projections'
import { openRunningService } from '@svc/testing/running-service'
import { beforeEach, expect, test } from 'vitest'
import { rebuildLines } from './rebuild-lines.ts'

const ACCOUNTS = 20
let operations: Operations

beforeEach(async () => {
  operations = (await openRunningService()).operationsOf(rootCaller)
  for (let number = 0; number < ACCOUNTS; number += 1) {
    await operations.openAccount({ name: `Customer ${number}`, spend_policy: 'standard' })
  }
  await operations.listAccounts({ limit: 1 })
})

async function viewNamed(name: string) {
  const view = (await operations.listProjections()).find((each) => each.name === name)
  if (view === undefined) throw new Error(`no view ${name}`)
  return view
}

test('where a view stands: version, events, lag in events and in time: UX-52', async () => {
  const view = await viewNamed('accounts')
  expect(view).toMatchObject({ state: 'live', behind_seconds: 0, rebuild: null, error: null })
  expect(view).toMatchObject({ behind_events: 0, behind_events_exact: true })
  expect(view.version).toBeGreaterThan(0)
  expect(view.position).toBe(view.head)
  expect(view.events).toBeGreaterThanOrEqual(ACCOUNTS)
})

test('a trial says what a rebuild would read and changes nothing: UX-53', async () => {
  const before = await viewNamed('accounts')
  const trial = await operations.tryRebuild({ name: 'accounts' })
  expect(trial).toMatchObject({ name: 'accounts', events: before.events, tried: before.events })
  expect(trial.rate).toBeGreaterThan(0)
  expect(trial.seconds).toBeGreaterThan(0)
  expect(await viewNamed('accounts')).toEqual(before)
  await expect(operations.tryRebuild({ name: 'none' })).rejects.toThrow('There is no view "none"')
})

test('progress shows the events of others that were passed over', async () => {
  const summary = { name: 'accounts', events: 5, differences: 0 }
  const rebuild: Projections['rebuild'] = async (_name, onProgress) => {
    onProgress({ done: 2, total: 5, passedOver: 100_000 })
    // The reader has to see it before the result comes.
    await new Promise(setImmediate)
    return summary
  }
  const lines: unknown[] = []
  const asked = { name: 'accounts', detached: false }
  for await (const line of rebuildLines({ rebuild }, asked)) lines.push(line)
  expect(lines).toEqual([
    { type: 'progress', done: 2, total: 5, passed_over: 100_000, rate: expect.any(Number) },
    { type: 'result', ...summary, seconds: expect.any(Number) },
  ])
})

test('one that is detached goes on when its reader leaves, and says how it ended: UX-53', async () => {
  for await (const line of operations.rebuildProjection({ name: 'accounts', detached: true })) {
    expect(line.type).toBe('progress')
    break
  }
  await expect.poll(async () => (await viewNamed('accounts')).rebuild?.state).toBe('done')
  const { rebuild, events } = await viewNamed('accounts')
  expect(rebuild).toMatchObject({ done: events, total: events, differences: 0, error: null })
})

test('one whose reader leaves ends, as one that is cancelled: UX-53', async () => {
  for await (const _ of operations.rebuildProjection({ name: 'usage', detached: false })) break
  await expect.poll(async () => (await viewNamed('usage')).rebuild?.state).toBe('cancelled')

  let wasRunning: boolean | undefined
  const read = async () => {
    const lines = operations.rebuildProjection({ name: 'statement', detached: true })
    for await (const { type } of lines) {
      if (type === 'progress') wasRunning ??= await cancelled()
    }
  }
  const cancelled = async () => (await operations.cancelRebuild({ name: 'statement' })).cancelled
  // A small log may be done before the cancel comes: then nothing was running any more.
  const outcome = await read().then(
    () => 'done',
    () => 'cancelled',
  )
  expect(outcome).toBe(wasRunning === true ? 'cancelled' : 'done')
  await expect.poll(async () => (await viewNamed('statement')).rebuild?.state).toBe(outcome)
  expect((await viewNamed('statement')).state).toBe('live')
  expect(await cancelled()).toBe(false)
})
