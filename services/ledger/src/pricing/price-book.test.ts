import { MODEL, openFunded, openLedger, rates, request } from '@svc/testing/ledger/open-ledger'
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
