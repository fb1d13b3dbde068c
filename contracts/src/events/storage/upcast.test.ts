import { expect, test } from 'vitest'
import { currentVersion, upcast } from './upcast.ts'

const data = { spendPolicy: 'strict', at: 0 }

test('data of the current version is left as it is', () => {
  expect(upcast('SpendPolicySet', currentVersion('SpendPolicySet'), data)).toBe(data)
})

test.each([0, -1])('version %s was never written', (version) => {
  expect(() => upcast('SpendPolicySet', version, data)).toThrow(RangeError)
})

test('a newer version is refused, because money is never guessed at', () => {
  const newer = currentVersion('SpendPolicySet') + 1
  expect(() => upcast('SpendPolicySet', newer, data)).toThrow(/update the program/)
})
