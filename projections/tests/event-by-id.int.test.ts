/** Any id finds its event, on every store: where the store has no index of ids, a view has one. */
import { type EventStore, START } from '@svc/contracts/ports/event-store'
import { openEventStoreDb } from '@svc/infra/event-store/eventstoredb/open-eventstoredb'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'
import { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { expect, onTestFinished, test } from 'vitest'
import { viewsOf } from '../testing/open-views.ts'

const UNKNOWN = '0d4c1fbe-9a71-8a5b-b3c1-24f1d0f6a0e2'
const ALL = { after: START, limit: 1_000 }

async function onDouble(): Promise<EventStore> {
  const double = await EventStoreDbDouble.start()
  const store = await openEventStoreDb({ url: double.url })
  onTestFinished(async () => {
    await store.close()
    await double.close()
  })
  return store
}

const stores = { memory: async () => new MemoryEventStore(), 'an EventStoreDB': onDouble }

test.each(Object.entries(stores))('on %s', async (_name, open) => {
  const store: EventStore = await open()
  const [ada, grace] = [new AccountHistory('Ada').open(), new AccountHistory('Grace').open()]
  await ada.writeTo(store)
  await grace.writeTo(store)
  const { views } = await viewsOf(store)
  for (const event of await store.readAll(ALL)) {
    expect(await views.eventOf(event.id)).toEqual(event)
  }
  for (const id of [UNKNOWN, 'req_1', '', UNKNOWN.toUpperCase()]) {
    expect(await views.eventOf(id)).toBeUndefined()
  }
  // The views wait for what was written a moment ago.
  const id = requestId(START_MS, 'late')
  await ada.accept(id, START_MS).settle(id, START_MS).writeTo(store)
  const last = (await store.readAll(ALL)).at(-1)
  expect(await views.eventOf(last?.id ?? '')).toEqual(last)
})

test('only a store that finds no event itself has the view, and it is built anew like any other', async () => {
  const store = await onDouble()
  await new AccountHistory('Ada').open().writeTo(store)
  const views = await viewsOf(store)
  const names = async (of: typeof views) => (await of.status()).map(({ name }) => name)
  expect(await names(views)).toContain('events')
  expect(await names(await viewsOf(new MemoryEventStore()))).not.toContain('events')
  const rebuilt = await views.rebuild('events', () => {})
  expect(rebuilt.differences).toBe(0)
  const [event] = await store.readAll(ALL)
  expect(await views.views.eventOf(event?.id ?? '')).toEqual(event)
})
