import {
  eventsOf,
  MODEL,
  openFunded,
  openLedger,
  rates,
  request,
} from '@svc/testing/ledger/open-ledger'
import { describe, expect, test } from 'vitest'

const MINUTE_MS = 60_000

describe('a correction of a price that was replaced', () => {
  const right = { ...rates, output: 9n }
  const why = { idempotencyKey: 'run', reason: 'a slip', actor: 'operator' }

  /** Two gateways, of which the second does not know the right price yet. */
  async function openReplaced(replacedPriceMs: number, behindMs = 0) {
    const setting = await openLedger({ limits: { replacedPriceMs } })
    const { ledger, store, time } = setting
    const clock = { nowMs: () => time.nowMs() - behindMs }
    await time.advance(behindMs)
    const two = await openLedger({ store, time, clock, gatewayId: 'gw_2' })
    const customer = await openFunded(setting, 1_000n)
    const wrong = ledger.pricing.current(MODEL)?.version ?? ''
    const publishedAt = time.nowMs()
    await ledger.pricing.publish({ model: MODEL, rates: right })
    const asked = { version: wrong, rates: right, from: undefined, to: undefined }
    return { ...setting, two, customer, publishedAt, asked }
  }

  test('waits until no other gateway can accept requests at it, and then is about all', async () => {
    const { ledger, store, time, ...setting } = await openReplaced(MINUTE_MS)
    const { two, customer, publishedAt, asked } = setting
    await time.advance(1)
    const late = await two.ledger.accept(customer.accountId, request(two, customer.keyId))
    await late.durable
    expect(late.price.version).toBe(asked.version)
    const events = await store.lastPosition()
    await expect(ledger.pricing.correct({ ...asked, ...why })).rejects.toMatchObject({
      code: 'conflict',
      param: 'to',
      message: expect.stringContaining(new Date(publishedAt + MINUTE_MS).toISOString()),
    })
    expect(await ledger.pricing.previewCorrection(asked)).toMatchObject({ to: time.nowMs() })
    expect(await store.lastPosition()).toBe(events)
    await time.advance(MINUTE_MS - 1)
    const { to } = await ledger.pricing.correct({ ...asked, ...why })
    expect(to).toBe(publishedAt + MINUTE_MS)
    // Begun again, it is the same run, whatever was published meanwhile.
    await ledger.pricing.publish({ model: MODEL, rates })
    expect(await ledger.pricing.correct({ ...asked, ...why })).toMatchObject({ to })
  })

  test('up to a time that is named waits for a gateway whose clock is behind', async () => {
    const setting = await openReplaced(MINUTE_MS, MINUTE_MS / 2)
    const { ledger, store, time, two, customer, asked } = setting
    await time.advance(1)
    const to = time.nowMs()
    const early = ledger.pricing.correct({ ...asked, ...why, to })
    await expect(early).rejects.toMatchObject({
      code: 'conflict',
      param: 'to',
      message: expect.stringContaining(new Date(setting.publishedAt + MINUTE_MS).toISOString()),
    })
    // It knows the right price, which is still to come by its clock.
    await time.advance(MINUTE_MS / 2 - 2)
    expect(two.ledger.pricing.published()).toHaveLength(2)
    const late = await two.ledger.accept(customer.accountId, request(two, customer.keyId))
    await late.durable
    const [accepted] = (await eventsOf(store, customer.accountId)).slice(-1)
    expect(accepted?.data).toMatchObject({ price: { version: asked.version } })
    expect(accepted?.data.at).toBeLessThan(to)
    await time.advance(MINUTE_MS / 2 + 1)
    expect(await ledger.pricing.correct({ ...asked, ...why, to })).toMatchObject({ to })
  })

  test('is made at once up to a time a minute ago, and where there is no other gateway', async () => {
    const { ledger, time, asked } = await openReplaced(MINUTE_MS)
    await time.advance(1)
    const to = time.nowMs() - MINUTE_MS
    expect(await ledger.pricing.correct({ ...asked, ...why, to })).toMatchObject({ to })
    const alone = await openReplaced(0)
    const made = await alone.ledger.pricing.correct({ ...alone.asked, ...why })
    expect(made).toMatchObject({ to: alone.time.nowMs() })
  })
})
