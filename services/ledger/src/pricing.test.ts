import { describe, expect, test } from 'vitest'
import { MODEL, openFunded, openLedger, rates, request } from '../testing/open-ledger.ts'
import { WatchedStore } from '../testing/watched-store.ts'

describe('prices', () => {
  test('pitfall 16: a model has no price until one is published', async () => {
    const { ledger } = await openLedger({ isPriced: false })
    expect(ledger.currentPrice(MODEL)).toBeNull()
    expect(ledger.prices()).toEqual([])
    const published = await ledger.publishPrice({ model: MODEL, rates })
    expect(ledger.currentPrice(MODEL)).toEqual(published)
    expect(ledger.currentPrice('another')).toBeNull()
    expect(ledger.prices()).toEqual([published])
  })

  test('take effect at their time, and never in the past', async () => {
    const { ledger, time } = await openLedger()
    const before = ledger.currentPrice(MODEL)
    const later = await ledger.publishPrice({
      model: MODEL,
      rates: { ...rates, output: 9n },
      effectiveFrom: time.nowMs() + 1_000,
    })
    const past = await ledger.publishPrice({ model: MODEL, rates, effectiveFrom: 0 })
    expect(past.effectiveFrom).toBe(time.nowMs())
    expect(past.version).not.toBe(before?.version)
    expect(ledger.currentPrice(MODEL)).toEqual(past)
    await time.advance(1_000)
    expect(ledger.currentPrice(MODEL)).toEqual(later)
  })

  test('outlive the process, and reach others', async () => {
    const one = await openLedger()
    const two = await openLedger({ store: one.store, time: one.time })
    expect(two.ledger.prices()).toEqual(one.ledger.prices())
    const dearer = await one.ledger.publishPrice({ model: MODEL, rates: { ...rates, output: 9n } })
    await one.time.advance(5_000)
    expect(two.ledger.currentPrice(MODEL)).toEqual(dearer)
  })

  test('published first by another process are found by the request that needs one', async () => {
    const one = await openLedger({ isPriced: false })
    const two = await openLedger({ store: one.store, time: one.time, isPriced: false })
    const { accountId, keyId } = await openFunded(one, 1_000n)
    await one.ledger.publishPrice({ model: MODEL, rates })
    expect(two.ledger.currentPrice(MODEL)).toBeNull()
    const accepted = await two.ledger.accept(accountId, request(two, keyId))
    await accepted.durable
    expect(accepted.price).toMatchObject(rates)
  })

  test('published at once by two processes are both there', async () => {
    const one = await openLedger()
    const two = await openLedger({ store: one.store, time: one.time })
    const publish = (setting: typeof one, output: bigint) =>
      setting.ledger.publishPrice({ model: MODEL, rates: { ...rates, output } })
    await Promise.all([publish(one, 7n), publish(two, 8n), publish(one, 9n)])
    await one.time.advance(5_000)
    const outputs = (setting: typeof one) => setting.ledger.prices().map(({ output }) => output)
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
    ['no time', { model: MODEL, rates, effectiveFrom: Number.NaN }, 'effectiveFrom'],
  ])('%s is refused', async (_name, price, param) => {
    const { ledger, store } = await openLedger()
    const before = await store.lastPosition()
    const refused = ledger.publishPrice(price)
    await expect(refused).rejects.toMatchObject({ code: 'invalid_value', param })
    expect(ledger.prices()).toHaveLength(1)
    expect(await store.lastPosition()).toBe(before)
  })

  test('of which the outcome is unknown is published once', async () => {
    const store = new WatchedStore()
    const { ledger, time } = await openLedger({ store })
    store.failNext({ kind: 'unknown', cause: new Error('no answer') })
    const published = await time.until(ledger.publishPrice({ model: MODEL, rates }))
    expect(ledger.prices()).toHaveLength(2)
    expect(ledger.currentPrice(MODEL)).toEqual(published)
  })
})
