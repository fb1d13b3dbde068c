import type { Timer } from '@svc/contracts/ports/time'
import { within } from '@svc/contracts/ports/within'
import { expect, test } from 'vitest'
import { answerAfterStall } from '../testing/answer-after-stall.ts'
import { patientTimer } from './patient-timer.ts'
import { systemTimer } from './system-timer.ts'

const afterStall = (timer: Timer) => answerAfterStall((answer) => within(timer, 1, answer, 'late'))

test('an answer that came during a stall is read before the time counts as over', async () => {
  expect(await afterStall(systemTimer)).toBe('late')
  expect(await afterStall(patientTimer)).toBe('pong')
})

test('it is cancelled at any time before it runs', async () => {
  let runs = 0
  const run = () => (runs += 1)
  patientTimer.after(0, run)()
  const cancelBetween = patientTimer.after(0, run)
  // The later one of two timers with one delay comes second: before the immediates.
  systemTimer.after(0, cancelBetween)
  // Both are due when the loop turns next, however slow the machine is.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
  await new Promise<void>((resolve) => patientTimer.after(5, resolve))
  expect(runs).toBe(0)
})
