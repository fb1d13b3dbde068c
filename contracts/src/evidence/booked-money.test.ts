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

function debited(changes: object): string {
  const money = new BookedMoney(true)
  money.take('CreditGranted', grant)
  money.take('RequestAccepted', { requestId: 'req_1', price })
  money.take('TokensMetered', { requestId: 'req_1', ...counts })
  return money.take('CreditDebited', { ...debit, ...changes })
}

test('a debit is tokens times price, and nothing else', () => {
  expect(debited({})).toBe('right')
  expect(debited({ amount: '50', balanceAfter: '450' })).toBe('price')
  expect(debited({ lines: lines.slice(1) })).toBe('price')
  expect(debited({ lines: lines.toReversed() })).toBe('price')
  expect(debited({ lines: [{ ...lines[0], price: '4', amount: '40' }, ...lines.slice(1)] })).toBe(
    'price',
  )
  expect(debited({ requestId: 'req_2' })).toBe('price')
  expect(debited({ amount: '0x31' })).toBe('price')
})

test('the balance is the sum of what moved it', () => {
  expect(debited({ balanceAfter: '452' })).toBe('balance')
  const money = new BookedMoney(true)
  expect(money.take('CreditGranted', { amount: '500', balanceAfter: '501' })).toBe('balance')
})

test('what moves the balance in an unknown way is not said to be right', () => {
  const money = new BookedMoney(true)
  expect(money.take('CreditDoubled', { balanceAfter: '1000' })).toBe('unknown')
  expect(money.take('SomethingNoted', { at: 1 })).toBe('right')
})

test('of one request alone balances cannot be compared', () => {
  const money = new BookedMoney(false)
  expect(money.take('CreditRefunded', { amount: '5', balanceAfter: '77' })).toBe('right')
})
