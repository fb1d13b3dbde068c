import { ManualTime } from '@svc/testing/manual-time'
import { expect, test } from 'vitest'
import { BegunSignIns } from './begun-sign-ins.ts'

const LIFE_MS = 10 * 60_000

test('what was begun is taken once', () => {
  const begun = new BegunSignIns<number>(new ManualTime())
  begun.keep('a', 1)
  expect([begun.take('b'), begun.take('a'), begun.take('a')]).toEqual([undefined, 1, undefined])
})

test('it ends after ten minutes', async () => {
  const time = new ManualTime()
  const begun = new BegunSignIns<number>(time)
  begun.keep('a', 1)
  begun.keep('b', 2)
  await time.advance(LIFE_MS - 1)
  expect(begun.take('a')).toBe(1)
  await time.advance(1)
  expect(begun.take('b')).toBeUndefined()
})

test('the oldest gives way when there are too many', () => {
  const begun = new BegunSignIns<number>(new ManualTime(), 2)
  for (const [index, name] of ['a', 'b', 'c'].entries()) begun.keep(name, index)
  expect([begun.take('a'), begun.take('b'), begun.take('c')]).toEqual([undefined, 1, 2])
})
