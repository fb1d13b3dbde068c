import { MODEL, openFunded, openLedger, rates, request } from '@svc/testing/ledger/open-ledger'
import { describe, expect, test } from 'vitest'
import { announced, MINUTE_MS } from '../../testing/announced-price.ts'

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

test('a first price that begins later sells nothing before, and a refusal says when', async () => {
  const setting = await openLedger({ isPriced: false })
  const { ledger, time } = setting
  const effectiveFrom = time.nowMs() + 120_000
  await ledger.pricing.publish({ model: MODEL, rates, effectiveFrom })
  const { accountId, keyId } = await openFunded(setting, 10n ** 12n)
  await expect(ledger.accept(accountId, request(setting, keyId))).rejects.toMatchObject({
    code: 'model_not_priced',
    message: expect.stringContaining(`before ${new Date(effectiveFrom).toISOString()}.`),
  })
  await time.advance(120_000)
  expect(await ledger.accept(accountId, request(setting, keyId))).toMatchObject({ price: rates })
})

describe('a preview', () => {
  test('names the price that would be replaced at that moment, and writes nothing', async () => {
    const setting = await openLedger()
    const { ledger, store } = setting
    const now = ledger.pricing.current(MODEL)
    const { price: next } = await ledger.pricing.publish(announced(setting))
    const events = await store.lastPosition()
    expect(await ledger.pricing.preview({ model: MODEL, rates })).toEqual({
      replaced: now,
      replacedBy: next,
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
