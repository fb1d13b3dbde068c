import type { StreamDamage } from '@svc/contracts/ports/quarantine'
import { ManualTime } from '@svc/testing/manual-time'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { startQuarantineRounds } from './quarantine-rounds.ts'

const SECOND_MS = 1_000
const damage: StreamDamage = { stream: 'account-a', revision: 7, cause: 'it contradicts itself' }

/** A stream that is damaged where only reading all of it shows that. */
function rounds(inspectionMs: number) {
  const time = new ManualTime()
  const noted = new Map([[damage.stream, damage]])
  let isWhole = false
  let inspections = 0
  const stop = startQuarantineRounds({
    quarantine: {
      noted: () => [...noted.values()],
      release: (stream) => void noted.delete(stream),
    },
    projections: {
      leavingOut: () => [],
      rebuild: async (name) => ({ name, events: 0, differences: 0 }),
    },
    store: { readStream: async () => [] },
    async inspect() {
      inspections += 1
      await new Promise<void>((resolve) => time.after(inspectionMs, resolve))
      return isWhole ? undefined : damage
    },
    ...{ clock: time, timer: time, logger: pino({ level: 'silent' }) },
  })
  onTestFinished(async () => time.until(stop()))
  return {
    time,
    inspections: () => inspections,
    isSetAside: () => noted.size === 1,
    mend: () => {
      isWhole = true
    },
  }
}

test('a stream is looked at every half minute, and released when it is whole', async () => {
  const { time, inspections, isSetAside, mend } = rounds(10)
  await time.advance(29 * SECOND_MS)
  expect(inspections()).toBe(1)
  await time.advance(2 * SECOND_MS)
  expect(inspections()).toBe(2)
  mend()
  expect(isSetAside()).toBe(true)
  await time.advance(30 * SECOND_MS)
  expect([inspections(), isSetAside()]).toEqual([3, false])
})

test('looking takes a twentieth of the time at most, and is never put off for long', async () => {
  const { time, inspections } = rounds(10 * SECOND_MS)
  await time.advance(200 * SECOND_MS)
  expect(inspections()).toBe(1)
  await time.advance(20 * SECOND_MS)
  expect(inspections()).toBe(2)
  const slow = rounds(60 * SECOND_MS)
  await slow.time.advance(650 * SECOND_MS)
  expect(slow.inspections()).toBe(1)
  await slow.time.advance(20 * SECOND_MS)
  expect(slow.inspections()).toBe(2)
})
