/** The event names whoever writes. */
import { rootCaller } from '@svc/contracts/admin/caller'
import { decodeMetadata } from '@svc/contracts/events/codec'
import { START } from '@svc/contracts/ports/event-store'
import type { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { openRunningService } from '@svc/testing/running-service'
import { expect, test } from 'vitest'

test.each([{ actor: 'operator:ci', role: 'operator', tokenId: 'tok_1' } as const, rootCaller])(
  'every event that $actor causes names $actor',
  async (caller) => {
    const { store, operationsOf } = await openRunningService()
    const operations = operationsOf(caller)
    const opened = await operations.openAccount({ name: 'Grace', spend_policy: 'strict' })
    const { account_id } = opened
    await operations.grant({
      account_id,
      amount: '5',
      category: 'paid',
      priority: 0,
      expires_at: null,
      reference: null,
      reason: 'payment',
    })
    const { key_id } = await operations.createKey({ account_id, name: 'laptop', expires_at: null })
    await operations.revokeKey({ account_id, key_id, reason: 'lost' })
    await operations.publishPrice({
      model: 'svc-beta',
      input: '3',
      cached_input: '1',
      output: '9',
      effective_from: null,
    })
    const { version } = await operations.publishPrice({
      model: 'svc-beta',
      input: '3',
      cached_input: '1',
      output: '9',
      price_list: 'acme',
      effective_from: '2999-01-01T00:00:00Z',
    })
    await operations.setPriceList({ account_id, price_list: 'acme' })
    await operations.withdrawPrice({ version, reason: 'a slip' })
    expect(await actorsIn(store)).toEqual([
      ['AccountOpened', caller.actor],
      ['CreditGranted', caller.actor],
      ['ApiKeyCreated', caller.actor],
      ['ApiKeyRevoked', caller.actor],
      ['PricePublished', caller.actor],
      ['PricePublished', caller.actor],
      ['PriceListSet', caller.actor],
      ['PriceWithdrawn', caller.actor],
    ])
  },
)

async function actorsIn(store: MemoryEventStore): Promise<string[][]> {
  const events = await store.readAll({ after: START, limit: 100 })
  return events.map((event) => [event.type, decodeMetadata(event).actor])
}
