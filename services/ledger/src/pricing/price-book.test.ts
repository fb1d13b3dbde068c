import { DEMO_RATES } from '@svc/contracts/demo-price'
import {
  eventsOf,
  MODEL,
  openFunded,
  openLedger,
  rates,
  request,
} from '@svc/testing/ledger/open-ledger'
import { describe, expect, test } from 'vitest'
import { WatchedStore } from '../../testing/watched-store.ts'

describe('prices', () => {
  test('pitfall 16: a model has no price until one is published', async () => {
    const { ledger } = await openLedger({ isPriced: false })
    expect(ledger.pricing.current(MODEL)).toBeNull()
    expect(ledger.pricing.published()).toEqual([])
    const { price: published } = await ledger.pricing.publish({ model: MODEL, rates })
    expect(ledger.pricing.current(MODEL)).toEqual(published)
    expect(ledger.pricing.current('another')).toBeNull()
    expect(ledger.pricing.published()).toEqual([published])
  })

  test('take effect at their time', async () => {
    const { ledger, time } = await openLedger()
    const before = ledger.pricing.current(MODEL)
    const { price: later } = await ledger.pricing.publish({
      model: MODEL,
      rates: { ...rates, output: 9n },
      effectiveFrom: time.nowMs() + 1_000,
    })
    await time.advance(999)
    expect(ledger.pricing.current(MODEL)).toEqual(before)
    await time.advance(1)
    expect(ledger.pricing.current(MODEL)).toEqual(later)
  })

  test('that would take effect in the past are refused, and change nothing', async () => {
    const { ledger, time } = await openLedger()
    const before = ledger.pricing.current(MODEL)
    const dearer = { model: MODEL, rates: { ...rates, output: 9n } }
    for (const effectiveFrom of [0, time.nowMs() - 86_400_000, time.nowMs() - 60_001]) {
      const refused = ledger.pricing.publish({ ...dearer, effectiveFrom })
      await expect(refused).rejects.toMatchObject({
        code: 'invalid_value',
        param: 'effective_from',
        message: expect.stringContaining(new Date(effectiveFrom).toISOString()),
      })
    }
    expect(ledger.pricing.current(MODEL)).toEqual(before)
    expect(ledger.pricing.published()).toHaveLength(1)
  })

  test('from less than a minute ago are from now: clocks differ', async () => {
    const { ledger, time } = await openLedger()
    const effectiveFrom = time.nowMs() - 60_000
    const { price: published } = await ledger.pricing.publish({
      model: MODEL,
      rates,
      effectiveFrom,
    })
    expect(published.effectiveFrom).toBe(time.nowMs())
  })

  test('outlive the process, and reach others', async () => {
    const one = await openLedger()
    const two = await openLedger({ store: one.store, time: one.time })
    expect(two.ledger.pricing.published()).toEqual(one.ledger.pricing.published())
    const { price: dearer } = await one.ledger.pricing.publish({
      model: MODEL,
      rates: { ...rates, output: 9n },
    })
    await one.time.advance(5_000)
    expect(two.ledger.pricing.current(MODEL)).toEqual(dearer)
  })

  test('published first by another process are found by the request that needs one', async () => {
    const one = await openLedger({ isPriced: false })
    const two = await openLedger({ store: one.store, time: one.time, isPriced: false })
    const { accountId, keyId } = await openFunded(one, 1_000n)
    await one.ledger.pricing.publish({ model: MODEL, rates })
    expect(two.ledger.pricing.current(MODEL)).toBeNull()
    const accepted = await two.ledger.accept(accountId, request(two, keyId))
    await accepted.durable
    expect(accepted.price).toMatchObject(rates)
  })

  test('published at once by two processes are both there', async () => {
    const one = await openLedger()
    const two = await openLedger({ store: one.store, time: one.time })
    const publish = (setting: typeof one, output: bigint) =>
      setting.ledger.pricing.publish({ model: MODEL, rates: { ...rates, output } })
    await Promise.all([publish(one, 7n), publish(two, 8n), publish(one, 9n)])
    await one.time.advance(5_000)
    const outputs = (setting: typeof one) =>
      setting.ledger.pricing.published().map(({ output }) => output)
    expect(outputs(one).toSorted()).toEqual([3n, 7n, 8n, 9n])
    expect(outputs(two)).toEqual(outputs(one))
  })

  test.each([
    ['a negative price', { model: MODEL, rates: { ...rates, output: -1n } }, 'rates'],
    [
      'a negative price of the prompt',
      { model: MODEL, rates: { input: -1n, cachedInput: -1n, output: 1n } },
      'rates',
    ],
    ['cached above computed', { model: MODEL, rates: { ...rates, cachedInput: 3n } }, 'rates'],
    ['no model', { model: '', rates }, 'model'],
    ['no time', { model: MODEL, rates, effectiveFrom: Number.NaN }, 'effective_from'],
    ['no name of a list', { model: MODEL, rates, priceList: 'Two words' }, 'price_list'],
  ])('%s is refused', async (_name, price, param) => {
    const { ledger, store } = await openLedger()
    const before = await store.lastPosition()
    const refused = ledger.pricing.publish(price)
    await expect(refused).rejects.toMatchObject({ code: 'invalid_value', param })
    expect(ledger.pricing.published()).toHaveLength(1)
    expect(await store.lastPosition()).toBe(before)
  })

  test('of which the outcome is unknown is published once', async () => {
    const store = new WatchedStore()
    const { ledger, time } = await openLedger({ store })
    store.failNext({ kind: 'unknown', cause: new Error('no answer') })
    const { price: published } = await time.until(ledger.pricing.publish({ model: MODEL, rates }))
    expect(ledger.pricing.published()).toHaveLength(2)
    expect(ledger.pricing.current(MODEL)).toEqual(published)
  })
})

const MINUTE_MS = 60_000

/** An announced price: from an hour from now on, if nothing else is said. */
const announced = (
  { time }: { readonly time: { nowMs(): number } },
  fields: { priceList?: string; output?: bigint; inMs?: number } = {},
) => {
  const { priceList = 'default', output = 9n, inMs = 60 * MINUTE_MS } = fields
  const effectiveFrom = time.nowMs() + inMs
  return { model: MODEL, priceList, rates: { ...rates, output }, effectiveFrom }
}

describe('an announced price', () => {
  test('is the next one until it takes effect', async () => {
    const setting = await openLedger()
    const { ledger, time } = setting
    expect(ledger.pricing.next(MODEL)).toBeNull()
    const { price: later } = await ledger.pricing.publish(announced(setting))
    const { price: sooner } = await ledger.pricing.publish(
      announced(setting, { inMs: 5 * MINUTE_MS }),
    )
    expect(ledger.pricing.next(MODEL)).toEqual(sooner)
    await time.advance(5 * MINUTE_MS)
    expect(ledger.pricing.current(MODEL)).toEqual(sooner)
    expect(ledger.pricing.next(MODEL)).toEqual(later)
  })

  test('leaves no room for another at the very same moment, on any gateway', async () => {
    const one = await openLedger()
    const two = await openLedger({ store: one.store, time: one.time })
    const both = [one, two].map(({ ledger }) => ledger.pricing.publish(announced(one)))
    const outcomes = await Promise.allSettled(both)
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const refused = one.ledger.pricing.publish(announced(one, { output: 10n }))
    await expect(refused).rejects.toMatchObject({ code: 'conflict', param: 'effective_from' })
    await one.ledger.pricing.publish(announced(one, { inMs: 61 * MINUTE_MS }))
    await one.ledger.pricing.publish(announced(one, { priceList: 'acme' }))
    expect(one.ledger.pricing.published()).toHaveLength(4)
  })

  test('that is withdrawn never takes effect, and its moment is free again', async () => {
    const setting = await openLedger()
    const { ledger, store, time } = setting
    const before = ledger.pricing.current(MODEL)
    const { price } = await ledger.pricing.publish(announced(setting))
    const { version } = price
    const withdrawal = { version, reason: 'a typing error', actor: 'operator' }
    const withdrawn = await ledger.pricing.withdraw(withdrawal)
    const withdrawnAt = time.nowMs()
    expect(withdrawn).toMatchObject({ alreadyWithdrawn: false, price: { version, withdrawnAt } })
    await time.advance(60 * MINUTE_MS)
    expect(ledger.pricing.current(MODEL)).toEqual(before)
    expect(ledger.pricing.next(MODEL)).toBeNull()

    const events = await store.lastPosition()
    expect(await ledger.pricing.withdraw(withdrawal)).toMatchObject({
      alreadyWithdrawn: true,
      price: { withdrawnAt },
    })
    expect(await store.lastPosition()).toBe(events)
    const later = await openLedger({ store, time })
    expect(later.ledger.pricing.published()).toEqual(ledger.pricing.published())
    expect(later.ledger.pricing.current(MODEL)).toEqual(before)
  })

  test('cannot be withdrawn when it is in force, was, or is about to be', async () => {
    const setting = await openLedger()
    const { ledger, store, time } = setting
    const first = ledger.pricing.current(MODEL)
    const { price } = await ledger.pricing.publish(announced(setting))
    const { version } = price
    await time.advance(59 * MINUTE_MS)
    const events = await store.lastPosition()
    const withdraw = (version = '') =>
      ledger.pricing.withdraw({ version, reason: 'too late', actor: 'operator' })
    await expect(withdraw(version)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('in less than a minute'),
    })
    await time.advance(MINUTE_MS)
    for (const each of [version, first?.version]) {
      await expect(withdraw(each)).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('took effect at'),
      })
    }
    await expect(withdraw('price_unknown')).rejects.toMatchObject({ code: 'not_found' })
    expect(await store.lastPosition()).toBe(events)
  })

  test('is withdrawn once, whichever gateways are asked', async () => {
    const one = await openLedger()
    const two = await openLedger({ store: one.store, time: one.time, gatewayId: 'gw_2' })
    const { price } = await one.ledger.pricing.publish(announced(one))
    const { version } = price
    const withdrawal = { version, reason: 'twice', actor: 'operator' }
    const both = await Promise.all(
      [one, two].map(({ ledger }) => ledger.pricing.withdraw(withdrawal)),
    )
    expect(both.map(({ alreadyWithdrawn }) => alreadyWithdrawn).toSorted()).toEqual([false, true])
  })
})

describe('a preview', () => {
  test('names the price that would be replaced at that moment, and writes nothing', async () => {
    const setting = await openLedger()
    const { ledger, store } = setting
    const now = ledger.pricing.current(MODEL)
    const { price: next } = await ledger.pricing.publish(announced(setting))
    const events = await store.lastPosition()
    expect(await ledger.pricing.preview({ model: MODEL, rates })).toEqual({
      ...{ replaced: now, replacedBy: next },
    })
    const later = announced(setting, { inMs: 90 * MINUTE_MS })
    expect(await ledger.pricing.preview(later)).toEqual({ replaced: next, replacedBy: null })
    const own = { ...later, priceList: 'acme' }
    expect(await ledger.pricing.preview(own)).toEqual({ replaced: next, replacedBy: null })
    const none = { replaced: null, replacedBy: null }
    expect(await ledger.pricing.preview({ model: 'another', rates })).toEqual(none)
    await expect(ledger.pricing.preview(announced(setting))).rejects.toThrow('withdraw it first')
    expect(await store.lastPosition()).toBe(events)
  })
})

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

describe('the demo price', () => {
  const demo = { model: MODEL, rates: DEMO_RATES }

  test('is for the bundled model alone: nothing else is sold at it', async () => {
    const setting = await openLedger({ isPriced: false })
    const { ledger } = setting
    const { price: published } = await ledger.pricing.publish(demo)
    expect(published.isDemo).toBe(true)
    expect(ledger.pricing.current(MODEL)).toBeNull()
    expect(ledger.pricing.current(MODEL, true)).toEqual(published)

    const { accountId, keyId } = await openFunded(setting, 10n ** 12n)
    const refused = ledger.accept(accountId, request(setting, keyId))
    await expect(refused).rejects.toMatchObject({ code: 'model_not_priced' })
    const accepted = ledger.accept(accountId, request(setting, keyId, { onBundledModel: true }))
    expect(await accepted).toMatchObject({ price: DEMO_RATES })
  })

  test('is still known for what it is by a later process', async () => {
    const { ledger, store, time } = await openLedger({ isPriced: false })
    await ledger.pricing.publish(demo)
    const next = await openLedger({ store, time, isPriced: false })
    expect(next.ledger.pricing.published()).toMatchObject([{ isDemo: true }])
    expect(next.ledger.pricing.current(MODEL)).toBeNull()
  })

  test('is what a first price of an operator replaces', async () => {
    const { ledger } = await openLedger({ isPriced: false })
    const { price: published } = await ledger.pricing.publish(demo)
    expect(await ledger.pricing.preview({ model: MODEL, rates })).toMatchObject({
      replaced: published,
    })
  })

  test('gives way to whatever an operator publishes, be it the same rates', async () => {
    const { ledger } = await openLedger({ isPriced: false })
    await ledger.pricing.publish(demo)
    const { price: own } = await ledger.pricing.publish({ ...demo, actor: 'operator' })
    expect(own.isDemo).toBe(false)
    expect([ledger.pricing.current(MODEL), ledger.pricing.current(MODEL, true)]).toEqual([own, own])
  })

  test('is not what an operator publishes first, nor what a gateway publishes later', async () => {
    const first = await openLedger({ isPriced: false })
    const { price: own } = await first.ledger.pricing.publish({ ...demo, actor: 'operator' })
    expect(first.ledger.pricing.current(MODEL)).toEqual(own)
    const later = await openLedger()
    expect((await later.ledger.pricing.publish(demo)).price.isDemo).toBe(false)
  })
})
