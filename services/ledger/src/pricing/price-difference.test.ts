/** What is due for a wrong price, to the pico-dollar. */
import type { PriceCorrection } from '@svc/contracts/events/account'
import { costOf, type Rates } from '@svc/contracts/price'
import { price, sampleId } from '@svc/testing/ledger/sample'
import { START_MS } from '@svc/testing/manual-time'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PriceDifference, type WronglyCharged } from './price-difference.ts'

const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((total, each) => total + each, 0n)

function correctionTo(rates: Rates, run = 1): PriceCorrection {
  const from = START_MS
  return {
    runId: sampleId('run', run),
    price: { version: price.version, ...rates },
    from,
    to: from + 9,
  }
}

const rates = fc
  .tuple(fc.bigInt(0n, 30n), fc.bigInt(0n, 30n), fc.bigInt(0n, 30n))
  .map(([one, other, output]): Rates => {
    const [input, cachedInput] = one > other ? [one, other] : [other, one]
    return { input, cachedInput, output }
  })
const tokens = fc.nat(50)
const category = fc.constantFrom('paid' as const, 'promotional' as const)

/** Charged at some rates, from slices cut anywhere, a part of it refunded. */
const chargeAt = (charged: Rates): fc.Arbitrary<WronglyCharged> =>
  fc
    .record({
      counts: fc.record({ inputTokens: tokens, cachedInputTokens: tokens, outputTokens: tokens }),
      cuts: fc.array(fc.tuple(fc.nat(100), category), { maxLength: 4 }),
      refundedPercent: fc.oneof(fc.constant(0), fc.nat(100)),
    })
    .map(({ counts, cuts, refundedPercent }) => {
      const amount = costOf(charged, counts)
      let left = amount
      const slices = cuts.map(([percent, of]) => {
        const part = (left * BigInt(percent)) / 100n
        left -= part
        return { category: of, amount: part }
      })
      const refunded = (amount * BigInt(refundedPercent)) / 100n
      const pinned = { version: price.version, acceptedAt: START_MS }
      return { ...pinned, amount, counts, slices, debt: left, refunded }
    })

function dueOf(
  charges: readonly WronglyCharged[],
  correction: PriceCorrection,
  ...earlier: readonly PriceCorrection[]
) {
  const difference = new PriceDifference(correction, earlier)
  for (const charge of charges) difference.add(charge)
  const { paid, promotional } = difference.due
  return { paid, promotional, total: paid + promotional, difference }
}

const wrong = fc
  .tuple(rates, rates, rates)
  .chain(([old, right, other]) =>
    fc.tuple(fc.array(chargeAt(old), { maxLength: 12 }), fc.constant(right), fc.constant(other)),
  )

test('without refunds it is the sum of old cost less new cost', () => {
  fc.assert(
    fc.property(wrong, ([charges, right]) => {
      const unrefunded = charges.map((charge) => ({ ...charge, refunded: 0n }))
      const { total, difference } = dueOf(unrefunded, correctionTo(right))
      const costs = charges.map(({ amount, counts }) => amount - costOf(right, counts))
      expect(total).toBe(sum(costs))
      expect(total).toBe(difference.before - difference.after)
      expect(difference.requests).toBe(charges.length)
      expect(difference.differing).toBe(costs.filter((cost) => cost !== 0n).length)
    }),
  )
})

test('what was refunded is not given back again, and nobody is given more than was charged', () => {
  fc.assert(
    fc.property(wrong, ([charges, right]) => {
      for (const charge of charges) {
        const { total } = dueOf([charge], correctionTo(right))
        expect(charge.refunded + total <= charge.amount).toBe(true)
      }
    }),
  )
})

test('to a price of nothing each kind of credit comes back as it was spent', () => {
  const nothing = { input: 0n, cachedInput: 0n, output: 0n }
  fc.assert(
    fc.property(wrong, ([charges]) => {
      const unrefunded = charges.map((charge) => ({ ...charge, refunded: 0n }))
      const { paid, promotional } = dueOf(unrefunded, correctionTo(nothing))
      const slices = charges.flatMap((charge) => charge.slices)
      const spent = slices.filter((slice) => slice.category === 'promotional')
      expect(promotional).toBe(sum(spent.map(({ amount }) => amount)))
      expect(paid + promotional).toBe(sum(charges.map(({ amount }) => amount)))
    }),
  )
})

/** Ten tokens at 10: of promotional credit first, then of what was paid, then owed. */
const charge: WronglyCharged = {
  version: price.version,
  acceptedAt: START_MS,
  amount: 100n,
  counts: { inputTokens: 10, cachedInputTokens: 0, outputTokens: 0 },
  slices: [
    { category: 'promotional', amount: 60n },
    { category: 'paid', amount: 30n },
  ],
  debt: 10n,
  refunded: 0n,
}

test('a part comes back from the end of the debit, as a refund does', () => {
  const right = correctionTo({ input: 5n, cachedInput: 5n, output: 0n })
  expect(dueOf([charge], right)).toMatchObject({ paid: 40n, promotional: 10n })
  const refunded = { ...charge, refunded: 35n }
  expect(dueOf([refunded], right)).toMatchObject({ paid: 5n, promotional: 45n })
})

test('what an earlier correction charged beyond the debit comes back first, as paid credit', () => {
  const perToken = (input: bigint) => ({ input, cachedInput: input, output: 0n })
  const raised = correctionTo(perToken(12n))
  const backAt = (input: bigint, of: WronglyCharged = charge) =>
    dueOf([of], correctionTo(perToken(input), 2), raised)
  expect(backAt(11n)).toMatchObject({ paid: 10n, promotional: 0n })
  expect(backAt(9n)).toMatchObject({ paid: 30n, promotional: 0n })
  expect(backAt(3n)).toMatchObject({ paid: 60n, promotional: 30n })
  expect(backAt(13n)).toMatchObject({ paid: -10n, promotional: 0n })
  const refunded = { ...charge, refunded: 5n }
  expect(backAt(11n, refunded)).toMatchObject({ paid: 10n, promotional: 0n })
  expect(backAt(0n, refunded)).toMatchObject({ paid: 55n, promotional: 60n })
})

test('a second run about the same requests is counted once, whatever the first said', () => {
  fc.assert(
    fc.property(wrong, ([charges, first, second]) => {
      const one = correctionTo(first)
      const other = correctionTo(second, 2)
      const both = dueOf(charges, one).total + dueOf(charges, other, one).total
      expect(both).toBe(dueOf(charges, other).total)
      expect(dueOf(charges, correctionTo(first, 3), one)).toMatchObject({
        paid: 0n,
        promotional: 0n,
      })
    }),
  )
})

test('what is charged is one amount, and what comes back is never less than zero of a kind', () => {
  fc.assert(
    fc.property(wrong, ([charges, first, second]) => {
      const one = correctionTo(first)
      for (const { paid, promotional, total } of [
        dueOf(charges, one),
        dueOf(charges, correctionTo(second, 2), one),
      ]) {
        expect(promotional >= 0n && (paid >= 0n || promotional === 0n)).toBe(true)
        expect(total >= 0n || total === paid).toBe(true)
      }
    }),
  )
})
