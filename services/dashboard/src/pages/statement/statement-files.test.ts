import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { formatExact, parseDollars } from '@svc/contracts/money'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EXPORT_ROWS_MAX, statementFiles, wholeStatement } from './statement-files.ts'

type Page = DashboardOutput<'accountStatement'>

/** Amounts in pico-dollars: below zero a debit, above a credit. */
function pageOf(amounts: readonly bigint[], description = 'x', opening = 0n): Page {
  let balance = opening
  const data = amounts.map((amount, index) => {
    balance += amount
    return {
      entry: index + 1,
      at: '2026-11-20T10:00:00.000Z',
      type: 'usage' as const,
      reference: `req_${index}`,
      payment_reference: null,
      description,
      debit: formatExact(amount < 0n ? -amount : 0n),
      credit: formatExact(amount > 0n ? amount : 0n),
      balance: formatExact(balance),
      key: null,
      model: null,
      format: null,
      tokens: null,
      price_version: null,
      paid: '0.00',
      promotional: '0.00',
      unpaid: '0.00',
      reason: null,
      event: { stream: 'account-1', revision: index, hash: 'ab' },
    }
  })
  return {
    object: 'statement',
    currency: 'USD',
    opening: formatExact(opening),
    closing: formatExact(balance),
    data,
    has_more: false,
    next_cursor: null,
  }
}

async function* pagesOf(...pages: readonly Page[]): AsyncGenerator<Page> {
  yield* pages
}

async function file(name: 'csv' | 'jsonl', ...pages: readonly Page[]): Promise<string> {
  const statement = await wholeStatement(pagesOf(...pages))
  return statementFiles.find((each) => each.name === name)?.write(statement) ?? ''
}

const pico = fc.bigInt(-(10n ** 15n), 10n ** 15n)

test('opening + rows = closing in every file, over all its pages: UX-14', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(pico), fc.array(pico), async (first, second) => {
      const one = pageOf(first)
      const two = pageOf(second, 'y', parseDollars(one.closing))
      const lines = (await file('csv', one, two)).trimEnd().split('\r\n')
      const [titles = [], opening = [], ...rest] = lines.map((line) => line.split(','))
      const closing = rest.pop() ?? []
      const at = (row: readonly string[], title: string) => row[titles.indexOf(title)] ?? ''
      const moved = rest.reduce(
        (sum, row) => sum + BigInt(at(row, 'credit_pico_usd')) - BigInt(at(row, 'debit_pico_usd')),
        0n,
      )
      expect(rest).toHaveLength(first.length + second.length)
      expect(BigInt(at(opening, 'balance_pico_usd')) + moved).toBe(
        BigInt(at(closing, 'balance_pico_usd')),
      )
    }),
  )
})

test('a description is no formula, an amount is a number: UX-33', async () => {
  const text = await file('csv', pageOf([-5n], '=HYPERLINK("http://x")'))
  expect(text).toContain(`"'=HYPERLINK(""http://x"")"`)
  expect(text).toContain(',0.000000000005,0.00,-0.000000000005,5,0,-5,')
})

test('lines of JSON begin and end with the balances', async () => {
  const lines = (await file('jsonl', pageOf([7n, -3n]))).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line)).at(0)).toEqual({ type: 'opening', opening: '0.00' })
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
    type: 'closing',
    closing: '0.000000000004',
    rows: 2,
  })
})

test('what is too long for a browser is refused, not cut', async () => {
  const page = pageOf([1n])
  const long = { ...page, data: Array.from({ length: EXPORT_ROWS_MAX + 1 }, () => page.data[0]) }
  await expect(wholeStatement(pagesOf(long as Page))).rejects.toThrow(RangeError)
})
