import {
  eventsOf,
  MODEL,
  openFunded,
  openLedger,
  rates,
  request,
} from '@svc/testing/ledger/open-ledger'
import { describe, expect, test } from 'vitest'
import { announced, MINUTE_MS } from '../../testing/announced-price.ts'

describe("a customer's own list", () => {
  const own = { model: MODEL, priceList: 'acme', rates: { ...rates, output: 7n } }

  async function openCustomers() {
    const setting = await openLedger()
    const customer = await openFunded(setting, 1_000n)
    const other = await openFunded(setting, 1_000n)
    const pinned = async (ledger = setting.ledger, { accountId, keyId } = customer) => {
      const accepted = await ledger.accept(accountId, request(setting, keyId))
      await accepted.durable
      return accepted.price.output
    }
    return { ...setting, customer, other, pinned }
  }

  test('is what its requests are pinned to from then on, and nobody else pays it', async () => {
    const { ledger, customer, other, pinned } = await openCustomers()
    await ledger.pricing.publish(own)
    expect(await pinned()).toBe(3n)
    await ledger.administration.setPriceList(customer.accountId, {
      priceList: 'acme',
      actor: 'operator',
    })
    expect(await pinned()).toBe(7n)
    expect(await pinned(ledger, other)).toBe(3n)
    expect(await ledger.account(customer.accountId)).toMatchObject({ priceList: 'acme' })
    await ledger.administration.setPriceList(customer.accountId, {
      priceList: 'default',
      actor: 'operator',
    })
    expect(await pinned()).toBe(3n)
  })

  test('falls back on the default list until it has a price in force', async () => {
    const { ledger, time, customer, pinned } = await openCustomers()
    const { price: first } = await ledger.pricing.publish({ ...announced({ time }), ...own })
    await ledger.administration.setPriceList(customer.accountId, {
      priceList: 'acme',
      actor: 'operator',
    })
    expect(await pinned()).toBe(3n)
    expect(ledger.pricing.next(MODEL, false, 'acme')).toEqual(first)
    const { price: general } = await ledger.pricing.publish(
      announced({ time }, { inMs: MINUTE_MS }),
    )
    expect(ledger.pricing.next(MODEL, false, 'acme')).toEqual(general)
    await time.advance(60 * MINUTE_MS)
    expect(await pinned()).toBe(7n)
    expect(ledger.pricing.next(MODEL, false, 'acme')).toBeNull()
  })

  test('takes the place of the default list where both have a price from one moment on', async () => {
    const { ledger, time, customer, pinned } = await openCustomers()
    const { price: first } = await ledger.pricing.publish({ ...announced({ time }), ...own })
    await ledger.pricing.publish(announced({ time }))
    const change = { priceList: 'acme', actor: 'operator' }
    await ledger.administration.setPriceList(customer.accountId, change)
    expect(ledger.pricing.next(MODEL, false, 'acme')).toEqual(first)
    await time.advance(60 * MINUTE_MS)
    expect(await pinned()).toBe(7n)
  })

  test('must have a price; one that was withdrawn is none', async () => {
    const setting = await openCustomers()
    const { ledger, store, customer } = setting
    const { price } = await ledger.pricing.publish(announced(setting, { priceList: 'acme' }))
    const { version } = price
    await ledger.pricing.withdraw({ version, reason: 'a slip', actor: 'operator' })
    const events = await store.lastPosition()
    for (const priceList of ['acme', 'amce']) {
      const refused = ledger.administration.setPriceList(customer.accountId, {
        priceList,
        actor: 'operator',
      })
      await expect(refused).rejects.toMatchObject({ code: 'invalid_value', param: 'price_list' })
    }
    expect(await store.lastPosition()).toBe(events)
  })

  test('counts at once on another gateway, though it has to ask again for its price', async () => {
    const { ledger, store, time, customer, pinned } = await openCustomers()
    const two = await openLedger({ store, time })
    expect(await pinned(two.ledger)).toBe(3n)
    await ledger.pricing.publish(own)
    const change = { priceList: 'acme', actor: 'operator' }
    // The other gateway has just written to the account: this one waits for its turn.
    await time.until(ledger.administration.setPriceList(customer.accountId, change))
    expect(two.ledger.pricing.published()).toHaveLength(1)
    const refused = pinned(two.ledger)
    await expect(refused).rejects.toMatchObject({ code: 'view_behind', retryAfterSeconds: 1 })
    expect(await pinned(two.ledger)).toBe(7n)
  })

  test('is set as often as it is asked for, with one event for each change', async () => {
    const { ledger, store, customer } = await openCustomers()
    await ledger.pricing.publish(own)
    for (const list of ['acme', 'acme', 'default', 'acme']) {
      await ledger.administration.setPriceList(customer.accountId, {
        priceList: list,
        actor: 'operator',
      })
    }
    const events = await eventsOf(store, customer.accountId)
    expect(events.filter(({ type }) => type === 'PriceListSet')).toHaveLength(3)
  })
})
