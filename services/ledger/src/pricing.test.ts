import { MODEL, openFunded, openLedger, rates, request } from '@svc/testing/ledger/open-ledger'
import { describe, expect, test } from 'vitest'
import { WatchedStore } from '../testing/watched-store.ts'
import { DEMO_RATES } from './demo-price.ts'

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

  test('take effect at their time', async () => {
    const { ledger, time } = await openLedger()
    const before = ledger.currentPrice(MODEL)
    const later = await ledger.publishPrice({
      model: MODEL,
      rates: { ...rates, output: 9n },
      effectiveFrom: time.nowMs() + 1_000,
    })
    await time.advance(999)
    expect(ledger.currentPrice(MODEL)).toEqual(before)
    await time.advance(1)
    expect(ledger.currentPrice(MODEL)).toEqual(later)
  })

  test('that would take effect in the past are refused, and change nothing', async () => {
    const { ledger, time } = await openLedger()
    const before = ledger.currentPrice(MODEL)
    const dearer = { model: MODEL, rates: { ...rates, output: 9n } }
    for (const effectiveFrom of [0, time.nowMs() - 86_400_000, time.nowMs() - 60_001]) {
      const refused = ledger.publishPrice({ ...dearer, effectiveFrom })
      await expect(refused).rejects.toMatchObject({
        code: 'invalid_value',
        param: 'effectiveFrom',
        message: expect.stringContaining(new Date(effectiveFrom).toISOString()),
      })
    }
    expect(ledger.currentPrice(MODEL)).toEqual(before)
    expect(ledger.prices()).toHaveLength(1)
  })

  test('from less than a minute ago are from now: clocks differ', async () => {
    const { ledger, time } = await openLedger()
    const effectiveFrom = time.nowMs() - 60_000
    const published = await ledger.publishPrice({ model: MODEL, rates, effectiveFrom })
    expect(published.effectiveFrom).toBe(time.nowMs())
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

describe('the demo price', () => {
  const demo = { model: MODEL, rates: DEMO_RATES }

  test('is for the bundled model alone: nothing else is sold at it', async () => {
    const setting = await openLedger({ isPriced: false })
    const { ledger } = setting
    const published = await ledger.publishPrice(demo)
    expect(published.isDemo).toBe(true)
    expect(ledger.currentPrice(MODEL)).toBeNull()
    expect(ledger.currentPrice(MODEL, true)).toEqual(published)

    const { accountId, keyId } = await openFunded(setting, 10n ** 12n)
    const refused = ledger.accept(accountId, request(setting, keyId))
    await expect(refused).rejects.toMatchObject({ code: 'model_not_priced' })
    const accepted = ledger.accept(accountId, request(setting, keyId, { onBundledModel: true }))
    expect(await accepted).toMatchObject({ price: DEMO_RATES })
  })

  test('is still known for what it is by a later process', async () => {
    const { ledger, store, time } = await openLedger({ isPriced: false })
    await ledger.publishPrice(demo)
    const next = await openLedger({ store, time, isPriced: false })
    expect(next.ledger.prices()).toMatchObject([{ isDemo: true }])
    expect(next.ledger.currentPrice(MODEL)).toBeNull()
  })

  test('gives way to whatever an operator publishes, be it the same rates', async () => {
    const { ledger } = await openLedger({ isPriced: false })
    await ledger.publishPrice(demo)
    const own = await ledger.publishPrice({ ...demo, actor: 'operator' })
    expect(own.isDemo).toBe(false)
    expect([ledger.currentPrice(MODEL), ledger.currentPrice(MODEL, true)]).toEqual([own, own])
  })

  test('is not what an operator publishes first, nor what a gateway publishes later', async () => {
    const first = await openLedger({ isPriced: false })
    const own = await first.ledger.publishPrice({ ...demo, actor: 'operator' })
    expect(first.ledger.currentPrice(MODEL)).toEqual(own)
    const later = await openLedger()
    expect((await later.ledger.publishPrice(demo)).isDemo).toBe(false)
  })
})
