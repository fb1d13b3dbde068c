/**
 * Adds a statement up while it is read, so that no row is shown that does not follow from the one
 * before it.
 *
 *     opening + credit − debit = balance = opening of the next row … = closing
 *
 * What is checked came from a view or from a server: either can be damaged or lie. The sums are the
 * reader's own.
 */

import type { StatementPage } from '@svc/contracts/admin/billing'
import { formatExact, type PicoDollars, parseDollars } from '@svc/contracts/money'
import type { StatementEntry } from '@svc/contracts/wire/statement'
import { CliError, EXIT_DIFFERENCE } from '../context/exit-codes.ts'

const WHAT_TO_DO =
  'build the view again (svc projection rebuild statement) and check the history (svc verify)'

export class CheckedStatement {
  /** Is undefined before the first page, whose opening balance is taken as given. */
  #balance: PicoDollars | undefined
  #lastEntry: number | undefined

  /** @param startsAtZero whether it is of all time, so that nothing can be before its first row */
  constructor(startsAtZero: boolean) {
    if (!startsAtZero) return
    this.#balance = 0n
    this.#lastEntry = 0
  }

  /**
   * Checks a page. To be called with each in turn, before anything of it is shown.
   *
   * @throws {CliError} naming the first row that does not add up
   */
  check({ opening, rows, closing }: StatementPage): void {
    const before = this.#lastEntry ?? 0
    const where = before === 0 ? 'the opening balance' : `the page after entry ${before}`
    this.#expect(amountOf(opening, where), where)
    for (const row of rows) this.checkRow(row)
    this.#expect(amountOf(closing, 'the closing balance'), 'the closing balance')
  }

  /** Checks a row of a statement that does not come in pages. To be called with each in turn. */
  checkRow(row: StatementEntry): void {
    const name = `entry ${row.entry}`
    const expectedEntry = (this.#lastEntry ?? row.entry - 1) + 1
    if (row.entry !== expectedEntry) throw broken(`${name} stands where ${expectedEntry} must be`)
    const credit = amountOf(row.credit, name)
    const debit = amountOf(row.debit, name)
    const before = this.#balance ?? 0n
    const after = amountOf(row.balance, name)
    if (before + credit - debit !== after) {
      const sum = `${formatExact(before)} + ${formatExact(credit)} - ${formatExact(debit)}`
      throw broken(`${name} does not add up: ${sum} is not ${formatExact(after)}`)
    }
    const parts = [row.paid, row.promotional, row.unpaid].map((part) => amountOf(part, name))
    if (parts.reduce((sum, part) => sum + part, 0n) !== credit + debit) {
      throw broken(`${name} does not add up: its parts are not its amount`)
    }
    this.#balance = after
    this.#lastEntry = row.entry
  }

  #expect(amount: PicoDollars, where: string): void {
    this.#balance ??= amount
    if (amount === this.#balance) return
    const [is, must] = [formatExact(amount), formatExact(this.#balance)]
    throw broken(`${where} is ${is}, and the rows before it make ${must}`)
  }
}

function amountOf(text: string, where: string): PicoDollars {
  try {
    return parseDollars(text)
  } catch {
    throw broken(`${where} has an amount that is none`)
  }
}

function broken(what: string): CliError {
  return new CliError(EXIT_DIFFERENCE, `the statement: ${what}; ${WHAT_TO_DO}`)
}
