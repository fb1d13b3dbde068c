import type { MonthReport, MonthSums } from '@svc/contracts/admin/finance'
import { formatExact, parseDollars } from '@svc/contracts/money'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkMonth } from './checked-month.ts'

const amount = fc.bigInt(-(10n ** 15n), 10n ** 15n)
const sums = fc
  .record({
    opening: amount,
    payments: amount,
    promotional: amount,
    used: amount,
    expired: amount,
    refunded: amount,
    corrected: amount,
  })
  .map((columns) => {
    const { opening, payments, promotional, used, expired, refunded, corrected } = columns
    const closing = opening + payments + promotional - used - expired - refunded + corrected
    return { ...columns, closing }
  })

type Amounts = { readonly [Name in keyof MonthSums]: bigint }

function shown(amounts: Amounts): MonthSums {
  const texts = Object.entries(amounts).map(([name, each]) => [name, formatExact(each)] as const)
  return Object.fromEntries(texts) as MonthSums
}

function reportOf(customers: readonly Amounts[]): MonthReport {
  const names = Object.keys(customers[0] ?? {}) as (keyof MonthSums)[]
  const totals = names.map((name) => {
    return [name, customers.reduce((sum, customer) => sum + customer[name], 0n)] as const
  })
  return {
    month: '2026-10',
    zone: 'UTC',
    currency: 'USD',
    position: '9',
    from: '',
    to: '',
    over: true,
    customers: customers.map((each, index) => {
      return { account_id: `acct_${index}`, external_id: null, name: '=1+1', ...shown(each) }
    }),
    totals: shown(Object.fromEntries(totals) as Amounts),
  }
}

const customers = fc.array(sums, { minLength: 1, maxLength: 8 })

test('a month that adds up is let through', () => {
  fc.assert(fc.property(customers, (given) => checkMonth(reportOf(given))))
})

test('a month is stopped at any amount that is wrong by a pico-dollar, and names where', () => {
  const column = fc.constantFrom<keyof MonthSums>('opening', 'used', 'refunded', 'closing')
  fc.assert(
    fc.property(customers, fc.nat(), column, fc.boolean(), (given, place, name, inTotals) => {
      const report = reportOf(given)
      const index = place % given.length
      const wrong = (of: MonthSums) => formatExact(parseDollars(of[name]) + 1n)
      const altered = inTotals
        ? { ...report, totals: { ...report.totals, [name]: wrong(report.totals) } }
        : {
            ...report,
            customers: report.customers.map((customer, i) =>
              i === index ? { ...customer, [name]: wrong(customer) } : customer,
            ),
          }
      const where = inTotals ? 'the totals' : `acct_${index}`
      expect(() => checkMonth(altered)).toThrow(`the month: ${where} closes at`)
    }),
  )
})

test('customers that add up, to other totals than are shown, are stopped too', () => {
  fc.assert(
    fc.property(customers, (given) => {
      const report = reportOf(given)
      const { totals } = report
      const more = (name: 'opening' | 'closing') => formatExact(parseDollars(totals[name]) + 5n)
      const altered = { ...totals, opening: more('opening'), closing: more('closing') }
      expect(() => checkMonth({ ...report, totals: altered })).toThrow('the total "opening"')
    }),
  )
})
