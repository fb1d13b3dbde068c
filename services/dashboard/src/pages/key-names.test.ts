import { expect, test } from 'vitest'
import { keyNames } from './key-names.ts'

const key = (id: string, name: string, end: string) => ({ key_id: id, name, last_four: end })

test('keys of one name have the visible end of their secret behind it, and no others', () => {
  const names = keyNames([key('key_1', 'ci', 'aaaa'), key('key_2', 'ci', 'bbbb')])
  expect([...names]).toEqual([
    ['key_1', 'ci …aaaa'],
    ['key_2', 'ci …bbbb'],
  ])
  expect([...keyNames([key('key_1', 'ci', 'aaaa'), key('key_2', 'web', 'aaaa')]).values()]).toEqual(
    ['ci', 'web'],
  )
})

test('keys whose ends are the same too are told apart by their ids', () => {
  const names = keyNames([
    key('key_1', 'ci', 'aaaa'),
    key('key_2', 'ci', 'aaaa'),
    key('key_3', 'ci', 'cccc'),
  ])
  expect([...names.values()]).toEqual(['ci key_1', 'ci key_2', 'ci …cccc'])
})

test('a name that is written from the right keeps the end on its own side', () => {
  const [name] = keyNames([key('key_1', 'מפתח', 'aaaa'), key('key_2', 'מפתח', 'bbbb')]).values()
  expect(name).toBe('\u2068מפתח\u2069 …aaaa')
})
