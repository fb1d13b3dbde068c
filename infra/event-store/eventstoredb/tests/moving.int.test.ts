/** A log that is being moved: nobody else opens it, and who has it open stops. */
import { START, StoreUnavailableError } from '@svc/contracts/ports/event-store'
import { expect, test } from 'vitest'
import { fillStream, newEvents } from '../../compliance/fixtures.ts'
import { ANY_MIGRATION } from '../migration-mark.ts'
import { openEventStoreDb } from '../open-eventstoredb.ts'
import { PREFIX, withStore } from '../testing/store-on-double.ts'

test('a running gateway stops within one look, and goes on when the log stays', () =>
  withStore({ watchTimes: { everyMs: 50 } }, async ({ store, warnings }) => {
    store.subscribe({ after: START, batchSize: 1, signal: AbortSignal.abort() })
    const head = await fillStream(store, 'account-1', 2)
    const append = { stream: 'account-1', expected: head, events: newEvents(1) }
    await store.marks.write({ id: 'one', state: 'leaving' })
    const notReady = 'the event log is being moved'
    await expect.poll(() => store.troubles()).toMatchObject([{ notReady }])
    await expect(store.append(append)).rejects.toThrow(StoreUnavailableError)
    await expect(store.append(append)).rejects.toThrow('svc migrate --to sqlite')
    await store.marks.write({ id: 'one', state: 'whole' })
    expect(await store.append(append)).toMatchObject({ kind: 'appended' })
    expect(store.troubles()).toEqual([])
    expect(warnings).toEqual(['event log is being moved, accepting nothing'])
  }))

test.each([
  ['filling', 'half of a ledger'],
  ['leaving', 'is being moved to a file'],
  ['left', 'was moved to a file'],
] as const)('a log that is %s is opened by its migration alone', (state, says) =>
  withStore({}, async ({ double: { url }, store }) => {
    await store.marks.write({ id: 'one', state })
    expect(await store.marks.read()).toEqual({ id: 'one', state })
    const open = (migrationId?: string) =>
      openEventStoreDb({ url, streamPrefix: PREFIX, migrationId })
    for (const id of [undefined, 'another']) {
      const refusal = { code: 'half-moved', message: expect.stringContaining(says) }
      await expect(open(id)).rejects.toMatchObject(refusal)
    }
    for (const id of ['one', ANY_MIGRATION]) await (await open(id)).close()
  }),
)
