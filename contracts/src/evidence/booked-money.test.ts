import { expect, test } from 'vitest'
import { eventSchemas } from '../events/storage/codec.ts'
import { BookedMoney, balanceEffects } from './booked-money.ts'

test('every event that moves the balance is known', () => {
  const moving = Object.entries(eventSchemas)
    .filter(([, schema]) => 'balanceAfter' in schema.shape)
    .map(([type]) => type)
  expect([...balanceEffects.keys()].sort()).toEqual(moving.sort())
})

const grant = { amount: '500', balanceAfter: '500' }
const price = { version: 'price_1', input: '3', cachedInput: '1', output: '7' }
const counts = { inputTokens: 10, cachedInputTokens: 5, outputTokens: 2 }
const lines = [
  { class: 'input', tokens: 10, price: '3', amount: '30' },
  { class: 'cached_input', tokens: 5, price: '1', amount: '5' },
  { class: 'output', tokens: 2, price: '7', amount: '14' },
]
const debit = { requestId: 'req_1', amount: '49', lines, balanceAfter: '451' }

/** An account with $500 and a request that is metered and not debited yet. */
function metered(): BookedMoney {
  const money = new BookedMoney(true)
  money.take('CreditGranted', grant)
  money.take('RequestAccepted', { requestId: 'req_1', price })
  money.take('TokensMetered', { requestId: 'req_1', ...counts })
  return money
}

const debited = (changes: object) => metered().take('CreditDebited', { ...debit, ...changes })

test('a debit is tokens times price, and nothing else', () => {
  expect(debited({})).toBe('right')
  expect(debited({ amount: '50', balanceAfter: '450' })).toBe('price')
  expect(debited({ requestId: 'req_2' })).toBe('price')
})

test('its lines are the tokens that were metered, at the price of their class', () => {
  for (const [index, line] of lines.entries()) {
    for (const wrong of [
      { class: 'other' },
      { tokens: line.tokens + 1 },
      { price: `${BigInt(line.price) + 1n}` },
      { amount: `${BigInt(line.amount) + 1n}` },
    ]) {
      expect(debited({ lines: lines.with(index, { ...line, ...wrong }) })).toBe('price')
    }
  }
  expect(debited({ lines: lines.slice(1) })).toBe('price')
  expect(debited({ lines: [...lines, lines[0]] })).toBe('price')
  expect(debited({ lines: lines.toReversed() })).toBe('price')
  expect(debited({ lines: { ...lines, length: 3 } })).toBe('price')
})

test('what is accepted and metered in its form is right, of no tokens too', () => {
  const money = new BookedMoney(true)
  const none = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 }
  const nothing = lines.map((line) => ({ ...line, tokens: 0, amount: '0' }))
  expect(money.take('RequestAccepted', { requestId: 'req_1', price })).toBe('right')
  expect(money.take('TokensMetered', { requestId: 'req_1', ...none })).toBe('right')
  const free = { ...debit, amount: '0', lines: nothing, balanceAfter: '0' }
  expect(money.take('CreditDebited', free)).toBe('right')
  expect(money.take('SomethingNoted', undefined)).toBe('price')
})

test('a request that runs is accepted once, and metered once', () => {
  expect(metered().take('RequestAccepted', { requestId: 'req_1', price })).toBe('price')
  expect(metered().take('TokensMetered', { requestId: 'req_1', ...counts })).toBe('price')
})

test('a request that has ended is not debited', () => {
  const ends = { CreditDebited: debit, RequestFailed: {}, RequestAbandoned: {} }
  for (const [type, end] of Object.entries(ends)) {
    const money = metered()
    expect(money.take(type, { requestId: 'req_1', ...end })).toBe('right')
    expect(money.take('CreditDebited', { ...debit, balanceAfter: '402' })).toBe('price')
    expect(money.take('TokensMetered', { requestId: 'req_1', ...counts })).toBe('price')
  }
})

test.each<[string, unknown]>([
  ['CreditDebited', null],
  ['CreditDebited', [debit]],
  ['CreditDebited', 'a text'],
  ['CreditDebited', { ...debit, requestId: 1 }],
  ['CreditDebited', { ...debit, amount: 49 }],
  ['CreditDebited', { ...debit, amount: '0x31' }],
  ['CreditDebited', { ...debit, balanceAfter: undefined }],
  ['CreditDebited', { ...debit, lines: [null, ...lines.slice(1)] }],
  ['CreditDebited', { ...debit, lines: lines.with(0, { ...lines[0], tokens: '10' } as never) }],
  ['RequestAccepted', { requestId: 'req_2', price: null }],
  ['RequestAccepted', { requestId: 'req_2', price: [price] }],
  ['RequestAccepted', { requestId: ['req_2'], price }],
  ['RequestAccepted', { requestId: 'req_2', price: { ...price, output: 7 } }],
  ['TokensMetered', { requestId: 'req_1', ...counts, inputTokens: '10' }],
  ['TokensMetered', { requestId: 'req_1', ...counts, outputTokens: -1 }],
  ['TokensMetered', { requestId: 'req_1', ...counts, outputTokens: 0.5 }],
  ['RequestFailed', { requestId: 1 }],
])('%s that says %j is wrong', (type, data) => {
  expect(metered().take(type, data)).toBe('price')
})

test('the balance is the sum of what moved it', () => {
  expect(debited({ balanceAfter: '452' })).toBe('balance')
  const money = new BookedMoney(true)
  expect(money.take('CreditGranted', { amount: '500', balanceAfter: '501' })).toBe('balance')
})

test('what moves the balance in an unknown way is not said to be right', () => {
  const money = new BookedMoney(true)
  expect(money.take('CreditDoubled', { balanceAfter: '1000' })).toBe('unknown')
  // Where it left the balance, the next movement says, and from there on it counts again.
  expect(money.take('CreditGranted', { amount: '1', balanceAfter: '9' })).toBe('right')
  expect(money.take('CreditExpired', { amount: '1', balanceAfter: '9' })).toBe('balance')
  expect(money.take('SomethingNoted', { at: 1 })).toBe('right')
})

test('of one request alone balances cannot be compared', () => {
  const money = new BookedMoney(false)
  expect(money.take('CreditRefunded', { amount: '5', balanceAfter: '77' })).toBe('right')
  expect(money.take('CreditRefunded', { amount: '5', balanceAfter: '99' })).toBe('right')
})
