import { expect, test } from 'vitest'
import { FailureStreak } from './failure-streak.ts'

function streak() {
  const clock = { ms: 0 }
  return { clock, streak: new FailureStreak(() => clock.ms) }
}

test('a worker fails when three in a row have failed', () => {
  const { streak: of } = streak()
  for (const hasFailed of [true, true, false, true, true]) of.note(hasFailed)
  expect(of.isFailing).toBe(false)
  of.note(true)
  expect(of.isFailing).toBe(true)
})

test('it is tried again after a while, and one more failure is enough then', () => {
  const { clock, streak: of } = streak()
  for (let failures = 0; failures < 3; failures += 1) of.note(true)
  clock.ms = 4_999
  expect(of.isFailing).toBe(true)
  clock.ms = 5_000
  expect(of.isFailing).toBe(false)
  of.note(true)
  expect(of.isFailing).toBe(true)
  clock.ms = 10_000
  of.note(false)
  of.note(true)
  expect(of.isFailing).toBe(false)
})
