/** When the first price of a list takes effect. */
import { DEMO_RATES } from '@svc/contracts/demo-price'
import { MODEL, openLedger, rates } from '@svc/testing/ledger/open-ledger'
import { describe, expect, test } from 'vitest'

describe('the start of a list', () => {
  test('is that of its first price, until it is in force or withdrawn', async () => {
    const { ledger, time } = await openLedger()
    const { pricing } = ledger
    const announced = (model: string, inMs: number, priceList = 'acme') =>
      pricing.publish({ model, priceList, rates, effectiveFrom: time.nowMs() + inMs })
    expect(pricing.startOf('acme')).toBeNull()
    const first = (await announced(MODEL, 300_000)).price
    await announced('another', 600_000)
    await announced(MODEL, 120_000, 'acme-2')
    expect(pricing.startOf('acme')).toBe(first.effectiveFrom)
    await pricing.withdraw({ version: first.version, reason: 'a slip', actor: 'operator' })
    expect(pricing.startOf('acme')).toBe(first.effectiveFrom + 300_000)
    await time.advance(600_000)
    expect(pricing.startOf('acme')).toBeNull()
  })

  test('counts the demo price for the bundled model alone', async () => {
    const { ledger, time } = await openLedger({ isPriced: false })
    await ledger.pricing.publish({ model: MODEL, rates: DEMO_RATES })
    expect(ledger.pricing.startOf('default', true)).toBeNull()
    expect(ledger.pricing.startOf('default')).toBeNull()
    const effectiveFrom = time.nowMs() + 120_000
    await ledger.pricing.publish({ model: MODEL, rates, effectiveFrom })
    expect(ledger.pricing.startOf('default', true)).toBeNull()
    expect(ledger.pricing.startOf('default')).toBe(effectiveFrom)
    await time.advance(120_000)
    expect(ledger.pricing.startOf('default')).toBeNull()
  })
})
