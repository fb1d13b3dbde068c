import { expect, test } from 'vitest'
import { readTenantWeights } from './tenant-weights.ts'

const ada = `acct_${'0'.repeat(26)}`
const bob = `acct_${'1'.repeat(26)}`

test('accounts with their weights are read', () => {
  const weights = new Map([
    [ada, 4],
    [bob, 100],
  ])
  expect(readTenantWeights(`${ada}=4, ${bob}=100`)).toEqual({ weights })
  expect(readTenantWeights('')).toEqual({ weights: new Map() })
})

test.each([
  ['no pairs', 'four', /must be account=weight pairs/],
  ['another kind of id', `key_${'0'.repeat(26)}=4`, /must be account=weight pairs/],
  ['two weights', `${ada}=4=5`, /must be account=weight pairs/],
  ['nothing after a comma', `${ada}=4,`, /must be account=weight pairs/],
  ['no weight', `${ada}=`, /from 1 to 100/],
  ['a weight of 0', `${ada}=0`, /from 1 to 100/],
  ['a weight above 100', `${ada}=101`, /from 1 to 100/],
  ['half a weight', `${ada}=1.5`, /from 1 to 100/],
  ['an account twice', `${ada}=1,${ada}=2`, /named once/],
])('%s: refused in one line', (_name, text, problem) => {
  expect(readTenantWeights(text)).toEqual({ problem: expect.stringMatching(problem) })
})
