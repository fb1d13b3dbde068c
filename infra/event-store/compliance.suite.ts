/**
 * What every event store must do: the comments of the port, as tests. An adapter runs it with a way
 * to open stores over one durable state:
 *
 *     describeEventStore('SQLite', async () => ({ open: …, remove: … }))
 *
 * Only what all adapters can promise is asked for here. That an id is unique in the whole store,
 * for instance, is a further defence of the SQLite adapter, and is tested there.
 */
import type { EventStore } from '@svc/contracts/ports/event-store'
import { afterEach, beforeEach, describe } from 'vitest'
import { describeAppending } from './compliance/appending.ts'
import { describeClosing } from './compliance/closing.ts'
import type { Bench, DurableState } from './compliance/fixtures.ts'
import { describeReading } from './compliance/reading.ts'
import { describeSubscribing } from './compliance/subscribing.ts'

export type { DurableState } from './compliance/fixtures.ts'

export function describeEventStore(name: string, makeState: () => Promise<DurableState>): void {
  describe(`${name} as an event store`, () => {
    let state: DurableState
    let store: EventStore
    const bench = (): Bench => ({
      store,
      tamper: state.tamper,
      async reopen() {
        await store.close()
        store = await state.open()
        return store
      },
    })

    beforeEach(async () => {
      state = await makeState()
      store = await state.open()
    })
    afterEach(async () => {
      await store.close()
      await state.remove()
    })

    describeAppending(bench)
    describeReading(bench)
    describeSubscribing(bench)
    describeClosing(bench)
  })
}
