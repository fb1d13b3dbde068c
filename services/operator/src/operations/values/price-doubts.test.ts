import { parsePricePerMillion } from '@svc/contracts/money'
import { expect, test } from 'vitest'
import { priceDoubts } from './price-doubts.ts'

const rates = (input: string, cachedInput: string, output: string) => ({
  input: parsePricePerMillion(input),
  cachedInput: parsePricePerMillion(cachedInput),
  output: parsePricePerMillion(output),
})
const usual = rates('1', '0.1', '4')

test.each([
  ['the same again', usual],
  ['nearly ten times as much', rates('9.999999', '0.1', '39.999999')],
  ['little more than a tenth', rates('0.100001', '0.1', '0.400001')],
])('%s is not asked about', (_, price) => {
  expect(priceDoubts(usual, price)).toEqual([])
})

test.each([
  ['ten times as much', rates('1', '0.1', '40'), ['output goes from $4.00 to $40.00']],
  ['a tenth', rates('0.1', '0.1', '4'), ['input goes from $1.00 to $0.10']],
  ['a rate that was not free', rates('1', '0', '4'), ['cached input goes from $0.10 to $0.00']],
  ['everything free', rates('0', '0', '0'), ['every rate is 0']],
])('%s is asked about', (_, price, doubts) => {
  const said = priceDoubts(usual, price)
  expect(said).toEqual(doubts.map((doubt) => expect.stringContaining(doubt)))
})

test('a rate that was free is asked about, and a first price only when it is free', () => {
  expect(priceDoubts(rates('1', '0', '4'), usual)).toHaveLength(1)
  expect(priceDoubts(null, rates('1000000', '1000000', '1000000'))).toEqual([])
  expect(priceDoubts(null, rates('0', '0', '0'))).toHaveLength(1)
})
