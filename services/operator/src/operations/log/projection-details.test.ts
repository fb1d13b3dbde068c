import { START } from '@svc/contracts/ports/event-store'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'
import { expect, test } from 'vitest'
import { projectionDetails } from './projection-details.ts'

const MINUTE_MS = 60_000
const clock = { nowMs: () => START_MS + 3 * MINUTE_MS }

test('how long a view is behind is the age of the first event that is not in it: UX-52', async () => {
  const store = new MemoryEventStore()
  const history = new AccountHistory('Ada').open()
  const id = requestId(START_MS + MINUTE_MS, 'one')
  history.accept(id, START_MS + MINUTE_MS).settle(id, START_MS + 2 * MINUTE_MS)
  await history.writeTo(store)
  const log = await store.readAll({ after: START, limit: 100 })
  const head = await store.lastPosition()
  const accepted = log.findIndex(({ type }) => type === 'RequestAccepted')
  const behindAt = async (position: bigint) => {
    const view = { name: 'usage', version: 1, state: 'catching-up', error: null } as const
    const details = { ...view, position, head, events: 1, rebuild: null }
    return (await projectionDetails({ store, clock }, details)).behind_seconds
  }
  expect(await behindAt(head)).toBe(0)
  expect(await behindAt(log[accepted - 1]?.position ?? head)).toBe(120)
  expect(await behindAt(log[accepted]?.position ?? head)).toBe(60)
})

test('it is not known of an event that cannot be read', async () => {
  const store = { readAll: async () => [{ data: '{' }] as never }
  const view = { name: 'usage', version: 1, state: 'catching-up', error: null } as const
  const details = { ...view, position: START, head: 4n, events: 0, rebuild: null }
  expect(await projectionDetails({ store, clock }, details)).toMatchObject({ behind_seconds: null })
})
