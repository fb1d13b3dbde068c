/**
 * Adds a month up before it is shown: every customer across, and the customers down to the totals.
 * The sums are the reader's own, because a view can be damaged and a server can lie.
 *
 *     opening + payments + promotional − used − expired − refunded + corrected = closing
 */
import type { MonthReport, MonthSums } from '@svc/contracts/admin/finance'
import { formatExact, type PicoDollars, parseDollars } from '@svc/contracts/money'
import { CliError, EXIT_DIFFERENCE } from '../context/exit-codes.ts'

const signs = {
  opening: 1n,
  payments: 1n,
  promotional: 1n,
  used: -1n,
  expired: -1n,
  refunded: -1n,
  corrected: 1n,
} as const satisfies Partial<Record<keyof MonthSums, bigint>>

const columns = [...(Object.keys(signs) as (keyof typeof signs)[]), 'closing'] as const

const WHAT_TO_DO =
  'build the view again (svc projection rebuild usage) and check the history (svc verify)'

/** @throws {CliError} naming the first customer, or the first total, that does not add up */
export function checkMonth({ customers, totals }: MonthReport): void {
  for (const customer of customers) checkAcross(customer.account_id, customer)
  checkAcross('the totals', totals)
  for (const column of columns) {
    const sum = customers.reduce((total, customer) => total + amountOf(customer, column), 0n)
    if (sum === amountOf(totals, column)) continue
    throw broken(`the total "${column}" is ${totals[column]}, and the customers make ${text(sum)}`)
  }
}

function checkAcross(name: string, sums: MonthSums): void {
  const closing = Object.entries(signs).reduce(
    (sum, [column, sign]) => sum + sign * amountOf(sums, column as keyof typeof signs),
    0n,
  )
  if (closing === amountOf(sums, 'closing')) return
  throw broken(`${name} closes at ${sums.closing}, and the columns before make ${text(closing)}`)
}

function amountOf(sums: MonthSums, column: keyof MonthSums): PicoDollars {
  try {
    return parseDollars(sums[column])
  } catch {
    throw broken(`"${column}" has an amount that is none`)
  }
}

function text(amount: PicoDollars): string {
  return formatExact(amount)
}

function broken(what: string): CliError {
  return new CliError(EXIT_DIFFERENCE, `the month: ${what}; ${WHAT_TO_DO}`)
}
