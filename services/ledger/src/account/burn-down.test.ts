import { grantId } from '@svc/testing/ledger/sample'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { burnDown, burnOrder, insertInBurnOrder } from './burn-down.ts'
import type { Grant } from './state.ts'

const grant = (index: number, fields: Partial<Grant> = {}): Grant => ({
  grantId: grantId(index),
  amount: 100n,
  remaining: 100n,
  category: 'paid',
  priority: 100,
  expiresAt: null,
  reference: null,
  grantedAt: 1,
  expired: 0n,
  voidedAt: null,
  ...fields,
})

const anyGrants = fc
  .array(
    fc.record({
      priority: fc.nat(2),
      expiresAt: fc.option(fc.nat(3)),
      category: fc.constantFrom('paid' as const, 'promotional' as const),
      grantedAt: fc.nat(2),
      remaining: fc.bigInt(1n, 50n),
    }),
    { maxLength: 12 },
  )
  .map((list) => list.map((fields, index) => grant(index, fields)))

describe('grants burn in this order', () => {
  const order: [string, Grant, Grant][] = [
    ['lower priority first', grant(2, { priority: 1 }), grant(1, { priority: 2, expiresAt: 5 })],
    ['earlier expiry first', grant(2, { expiresAt: 5 }), grant(1, { expiresAt: 6 })],
    ['no expiry last', grant(2, { expiresAt: 5 }), grant(1, { category: 'promotional' })],
    ['promotional first', grant(2, { category: 'promotional', grantedAt: 2 }), grant(1)],
    ['older first', grant(2, { grantedAt: 1 }), grant(1, { grantedAt: 2 })],
    ['lower id first', grant(1), grant(2)],
  ]
  test.each(order)('%s', (_rule, first, second) => {
    expect(burnOrder(first, second)).toBeLessThan(0)
    expect(burnOrder(second, first)).toBeGreaterThan(0)
  })

  test('inserted one by one, in any order, they are in burn order', () => {
    fc.assert(
      fc.property(anyGrants, (grants) => {
        const burning: Grant[] = []
        for (const each of grants) insertInBurnOrder(burning, each)
        expect(burning).toEqual(grants.toSorted(burnOrder))
      }),
    )
  })
})

describe('an amount burnt down', () => {
  test('is taken front to back; what is not covered is debt', () => {
    const grants = [grant(1, { remaining: 30n }), grant(2, { remaining: 20n }), grant(3)]
    expect(burnDown(grants, 40n)).toEqual({
      slices: [
        { grantId: grantId(1), amount: 30n },
        { grantId: grantId(2), amount: 10n },
      ],
      debt: 0n,
    })
    expect(burnDown(grants.slice(0, 1), 40n)).toMatchObject({ debt: 10n })
    const nearlyNothing = [grant(1, { remaining: 0n }), grant(2, { remaining: 1n }), grant(3)]
    expect(burnDown(nearlyNothing, 1n)).toEqual({
      slices: [{ grantId: grantId(2), amount: 1n }],
      debt: 0n,
    })
    expect(burnDown(grants, 0n)).toEqual({ slices: [], debt: 0n })
  })

  test('is slices and debt, to the last digit, and no slice is more than its grant has', () => {
    fc.assert(
      fc.property(anyGrants, fc.bigInt(0n, 800n), (grants, amount) => {
        const { slices, debt } = burnDown(grants, amount)
        const taken = slices.reduce((sum, slice) => sum + slice.amount, 0n)
        expect(taken + debt).toBe(amount)
        const left = grants.reduce((sum, { remaining }) => sum + remaining, 0n)
        expect(debt > 0n).toBe(amount > left)
        for (const slice of slices) {
          const of = grants.find((each) => each.grantId === slice.grantId)
          expect(slice.amount > 0n && slice.amount <= (of?.remaining ?? 0n)).toBe(true)
        }
      }),
    )
  })
})
