/** Books of the same records, however they come: once, twice, late, or cut off in the middle. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Books } from './books.mjs'

const folder = mkdtempSync(join(tmpdir(), 'finance-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const open = () => new Books(join(folder, `${randomUUID()}.db`))

const DOLLAR = 1_000_000_000_000n
const NOVEMBER = Date.UTC(2026, 10, 30, 23, 59)
const DECEMBER = Date.UTC(2026, 11, 1)
const records = [
  ['AccountOpened', { at: NOVEMBER }],
  [
    'CreditGranted',
    { amount: 5n * DOLLAR, category: 'paid', balanceAfter: 5n * DOLLAR, at: NOVEMBER },
  ],
  ['CreditDebited', { amount: 2n * DOLLAR, balanceAfter: 3n * DOLLAR, at: NOVEMBER }],
  ['CreditRefunded', { amount: DOLLAR, balanceAfter: 4n * DOLLAR, at: DECEMBER }],
  ['CreditExpired', { amount: DOLLAR, balanceAfter: 3n * DOLLAR, at: DECEMBER }],
  ['BalanceAdjusted', { amount: -DOLLAR, balanceAfter: 2n * DOLLAR, at: DECEMBER }],
  [
    'AccountClosed',
    { amount: -2n * DOLLAR, remainder: 'paid_out', balanceAfter: 0n, at: DECEMBER },
  ],
].map(([type, data], revision) => {
  const value = JSON.stringify(data, (_, field) => (typeof field === 'bigint' ? `${field}` : field))
  return { key: 'acct_1', type, revision, value, offset: `${revision}` }
})
const none = { payments: 0n, promotional: 0n, used: 0n, expired: 0n, refunded: 0n, corrected: 0n }
const expected = [
  {
    month: '2026-11',
    account: 'acct_1',
    ...none,
    opening: 0n,
    payments: 5n * DOLLAR,
    used: 2n * DOLLAR,
    closing: 3n * DOLLAR,
  },
  {
    month: '2026-12',
    account: 'acct_1',
    ...none,
    opening: 3n * DOLLAR,
    refunded: DOLLAR,
    expired: DOLLAR,
    corrected: -DOLLAR,
    closing: 0n,
  },
]

test('months go on from one another', () => {
  const books = open()
  books.add(0, records)
  assert.deepEqual(books.months(), expected)
  assert.deepEqual(books.problems(), [])
  assert.equal(books.next(0), 7n)
})

test('what comes twice, and late, counts once', () => {
  const books = open()
  books.add(0, [...records.slice(0, 2), ...records.slice(4)])
  assert.deepEqual(books.problems()[0], 'acct_1: revision 2 is missing')
  books.add(0, records)
  books.add(0, records.toReversed())
  assert.deepEqual(books.months(), expected)
  assert.deepEqual(books.problems(), [])
})

test('a batch that fails in the middle leaves nothing', () => {
  const books = open()
  const broken = { ...records[2], value: '{' }
  assert.throws(() => books.add(0, [...records.slice(0, 2), broken]))
  assert.equal(books.next(0), 0n)
  books.add(0, records)
  assert.deepEqual(books.months(), expected)
})

test('an amount that is not what the balance says is a problem', () => {
  const books = open()
  const value = records[1].value.replace('5000000000000"', '6000000000000"')
  books.add(0, [records[0], { ...records[1], value }])
  assert.match(books.problems()[0], /the months add up to/)
})

test('a type that is not known is told when it moves the balance, and passed when it does not', () => {
  const books = open()
  const moved = JSON.stringify({ amount: '1', balanceAfter: '7', at: NOVEMBER })
  books.add(0, [records[0], { ...records[1], type: 'CreditMoved', value: moved }])
  assert.match(books.problems()[0], /the months add up to 0, and its last event says 7/)
  const others = open()
  others.add(0, [{ ...records[0], type: 'AccountPraised' }, ...records.slice(1)])
  assert.deepEqual(others.months(), expected)
  assert.deepEqual(others.problems(), [])
})
