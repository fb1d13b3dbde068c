import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cursorNumber, cursorPlace, cursorRow, cursorText, cursorTextOfRow } from './cursor.ts'
import { ServiceError } from './errors.ts'

const list = ['requests', 'acct_1', { model: 'svc-beta' }]
const cursor = cursorText(list, 'req_7')

test('a cursor leads its own list to the place', () => {
  fc.assert(
    fc.property(fc.string(), (place) => {
      expect(cursorPlace(list, cursorText(list, place))).toBe(place)
    }),
  )
})

test.each([
  ['another account', ['requests', 'acct_2', { model: 'svc-beta' }], cursor],
  ['another filter', ['requests', 'acct_1', {}], cursor],
  ['another list', ['statement', 'acct_1', { model: 'svc-beta' }], cursor],
  ['another place', list, cursor.replace('7', '8')],
  ['nobody', list, 'req_7'],
  ['an attacker', list, `${'x'.repeat(500)}.0000000000000000`],
  ['nothing', list, ''],
])('a cursor of %s is refused', (_, asked, given) => {
  expect(() => cursorPlace(asked, given)).toThrow(ServiceError)
})

test('a cursor leads to a number up to the highest place', () => {
  for (const place of [0, 1, 10, 8_640_000_000_000_000]) {
    expect(cursorNumber(list, cursorText(list, `${place}`), Infinity)).toBe(place)
    expect(cursorNumber(list, cursorText(list, `${place}`), place)).toBe(place)
    expect(() => cursorNumber(list, cursorText(list, `${place}`), place - 1)).toThrow(ServiceError)
  }
  expect(() => cursorNumber(list, 'req_7', 7)).toThrow(ServiceError)
})

test.each(['', ' 1', '1.5', '-1', '1e3', '0x10', '01', 'NaN', 'Infinity', '1\n', '9'.repeat(17)])(
  'a forged place "%s" is no number',
  (place) => {
    expect(() => cursorNumber(list, cursorText(list, place), Infinity)).toThrow(ServiceError)
  },
)

test.each([0, 1_793_491_200_000, null])('a cursor leads to the row of the time %s', (timeMs) => {
  expect(cursorRow(list, cursorTextOfRow(list, timeMs, 'grant_7'))).toEqual([timeMs, 'grant_7'])
})

test.each(['NaN', '1.5', '-1', '1e3', '9'.repeat(17)])('a forged time "%s" is none', (time) => {
  expect(() => cursorRow(list, cursorText(list, `${time}/grant_7`))).toThrow(ServiceError)
})
