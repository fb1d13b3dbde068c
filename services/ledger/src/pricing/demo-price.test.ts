import { DEMO_RATES } from '@svc/contracts/demo-price'
import { MODEL, openFunded, openLedger, rates, request } from '@svc/testing/ledger/open-ledger'
import { describe, expect, test } from 'vitest'

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
