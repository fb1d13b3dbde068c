import type { StatementPage } from '@svc/contracts/admin/billing'
import { formatExact, parseDollars } from '@svc/contracts/money'
import type { StatementEntry } from '@svc/contracts/wire/statement'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CliError, EXIT_DIFFERENCE } from '../context/exit-codes.ts'
import { CheckedStatement } from './checked-statement.ts'

const event = { stream: 'account-acct_x', revision: 1, hash: 'f'.repeat(64) }

/** A statement that adds up. */
function linesOf(movements: readonly bigint[]): StatementEntry[] {
  let balance = 0n
  return movements.map((movement, index) => {
    balance += movement
    return {
      entry: index + 1,
      at: '2026-11-01T00:00:00.000Z',
      type: movement < 0n ? 'usage' : 'grant',
      reference: 'a reference',
      payment_reference: null,
      description: 'a description',
      debit: formatExact(movement < 0n ? -movement : 0n),
      credit: formatExact(movement < 0n ? 0n : movement),
      balance: formatExact(balance),
      paid: formatExact(movement < 0n ? -movement : movement),
      promotional: '0.00',
      unpaid: '0.00',
      actor: null,
      reason: null,
      key: null,
      model: null,
      format: null,
      tokens: null,
      price_version: null,
      event,
    }
  })
}

function pagesOf(lines: readonly StatementEntry[], size: number, skip = 0): StatementPage[] {
  const pages: StatementPage[] = []
  for (let start = skip; start < lines.length; start += size) {
    const rows = lines.slice(start, start + size)
    const opening = lines[start - 1]?.balance ?? '0.00'
    const closing = rows.at(-1)?.balance ?? opening
    const more = start + size < lines.length
    pages.push({ account_id: 'acct_x', position: '9', opening, closing, over: false, rows, more })
  }
  return pages
}

function checkAll(pages: readonly StatementPage[], startsAtZero = true): void {
  const checked = new CheckedStatement(startsAtZero)
  for (const page of pages) checked.check(page)
}

const movements = fc.array(fc.bigInt(-1_000n, 1_000n), { minLength: 1, maxLength: 30 })
const pageSize = fc.integer({ min: 1, max: 10 })

describe('a statement', () => {
  test('that adds up is let through, whole or from anywhere, page by page', () => {
    fc.assert(
      fc.property(movements, pageSize, fc.nat(30), (amounts, size, skip) => {
        const lines = linesOf(amounts)
        checkAll(pagesOf(lines, size))
        checkAll(pagesOf(lines, size, skip), false)
      }),
    )
  })

  test('is stopped at the first row whose amount, balance or place is wrong', () => {
    const wrong = fc.constantFrom('debit', 'credit', 'balance', 'promotional', 'missing', 'swapped')
    fc.assert(
      fc.property(movements, pageSize, fc.nat(29), wrong, (amounts, size, place, what) => {
        const lines = linesOf([...amounts, 1n, 2n])
        const index = place % (lines.length - 2)
        const row = lines[index] as StatementEntry
        const next = lines[index + 1] as StatementEntry
        if (what === 'missing') lines.splice(index, 1)
        else if (what === 'swapped') lines.splice(index, 2, next, row)
        else lines[index] = { ...row, [what]: formatExact(parseDollars(row[what]) + 1n) }
        const named = what === 'missing' || what === 'swapped' ? next : row
        expect(() => checkAll(pagesOf(lines, size))).toThrowError(
          new RegExp(`entry ${named.entry} (does not add up|stands)`),
        )
      }),
    )
  })

  test('is stopped when a page does not begin or end where its rows do', () => {
    const pages = pagesOf(linesOf([5n, -1n, -1n, -1n]), 2)
    const [first, second] = pages as [StatementPage, StatementPage]
    const cases = [
      [{ ...first, opening: '1.00' }, /the opening balance is 1.00/],
      [{ ...first, closing: '1.00' }, /the closing balance is 1.00/],
    ] as const
    for (const [page, message] of cases) expect(() => checkAll([page])).toThrowError(message)
    expect(() => checkAll([first, { ...second, opening: '1.00' }])).toThrowError(
      /the page after entry 2 is 1.00/,
    )
  })

  test('with an amount that is none ends with the code of a difference', () => {
    const [row] = linesOf([5n])
    const broken = { ...row, credit: 'five' } as StatementEntry
    const page = {
      account_id: 'acct_x',
      position: '9',
      opening: '0.00',
      closing: '5.00',
      over: false,
      rows: [broken],
      more: false,
    }
    try {
      checkAll([page])
      expect.unreachable()
    } catch (error) {
      expect((error as CliError).exitCode).toBe(EXIT_DIFFERENCE)
    }
  })
})
