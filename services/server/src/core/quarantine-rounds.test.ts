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
      distrust: async () => {},
      wrongAbout: () => [],
      rebuild: async (name) => ({ name, events: 0, differences: 0 }),
    },
    store: { readStream: async () => [] },
    async inspect() {
      inspections += 1
      await new Promise<void>((resolve) => time.after(inspectionMs, resolve))
      return isWhole ? undefined : damage
    },
    clock: time,
    timer: time,
    logger: pino({ level: 'silent' }),
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

test('streams that are mended together cost each view one rebuild', async () => {
  const time = new ManualTime()
  const other = { ...damage, stream: 'account-b' }
  const noted = new Map([damage, other].map((each) => [each.stream, each]))
  /** By the view: the streams of which it may have folded something wrong. */
  const wrong = new Map([
    ['accounts', new Set<string>()],
    ['usage', new Set<string>()],
  ])
  const rebuilt: string[] = []
  let isWhole = false
  const stop = startQuarantineRounds({
    quarantine: {
      noted: () => [...noted.values()],
      release: (stream) => void noted.delete(stream),
    },
    projections: {
      distrust: async (stream) => wrong.forEach((streams) => void streams.add(stream)),
      wrongAbout: (stream) =>
        [...wrong].filter(([, streams]) => streams.has(stream)).map(([name]) => name),
      async rebuild(name) {
        rebuilt.push(name)
        wrong.get(name)?.clear()
        return { name, events: 0, differences: 0 }
      },
    },
    store: { readStream: async () => [] },
    inspect: async () => (isWhole ? undefined : damage),
    clock: time,
    timer: time,
    logger: pino({ level: 'silent' }),
  })
  onTestFinished(async () => time.until(stop()))
  await time.advance(31 * SECOND_MS)
  expect([rebuilt, noted.size]).toEqual([[], 2])
  isWhole = true
  await time.advance(30 * SECOND_MS)
  expect([rebuilt, noted.size]).toEqual([['accounts', 'usage'], 0])
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
