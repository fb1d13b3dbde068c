import { encodeEvent } from '@svc/contracts/events/codec'
import { eventId } from '@svc/contracts/ids'
import { NO_STREAM, START } from '@svc/contracts/ports/event-store'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readPlace } from './position-at.ts'

const FIRST_MS = Date.UTC(2026, 10, 1)
const timeText = (timeMs: number) => new Date(timeMs).toISOString()

/** A log whose events happen at these times. */
async function logOf(times: readonly number[]): Promise<MemoryEventStore> {
  const store = new MemoryEventStore()
  const origin = { correlationId: 'c', causationId: 'c', actor: 'test' }
  const events = times.map((at, i) => {
    const data = { operation: 'statement', subject: {}, at }
    return encodeEvent(eventId('read', `${i}`), { type: 'RecordsRead', data }, origin)
  })
  if (events.length > 0) await store.append({ stream: 'audit', expected: NO_STREAM, events })
  return store
}

const rising = fc
  .array(fc.nat(3), { maxLength: 70 })
  .map((steps) => steps.map((_, i) => FIRST_MS + steps.slice(0, i + 1).reduce((a, b) => a + b)))

test('a time is the position up to which everything lies before it', async () => {
  await fc.assert(
    fc.asyncProperty(rising, fc.nat(220), async (times, ms) => {
      const timeMs = FIRST_MS + ms
      const { position } = await readPlace(await logOf(times), timeText(timeMs))
      expect(position).toBe(BigInt(times.filter((at) => at < timeMs).length) - 1n)
    }),
  )
})

test('it stays the same however long the log becomes, also where clocks differ', async () => {
  const jumping = rising.chain((times) =>
    fc.array(fc.integer({ min: -5, max: 5 }), { minLength: times.length }).map((jumps) => {
      return times.map((at, i) => at + (jumps[i] ?? 0))
    }),
  )
  await fc.assert(
    fc.asyncProperty(jumping, fc.nat(220), fc.nat(40), async (times, ms, more) => {
      const asked = timeText(FIRST_MS + ms)
      const later = Array.from({ length: more }, (_, i) => FIRST_MS + 10_000 + i)
      const before = await readPlace(await logOf(times), asked)
      const after = await readPlace(await logOf([...times, ...later]), asked)
      expect(after).toEqual(before)
    }),
  )
})

test('a position is itself, and -1 lies before everything', async () => {
  const log = await logOf([FIRST_MS, FIRST_MS])
  expect(await readPlace(log, '1')).toEqual({ position: 1n, timeMs: undefined })
  expect(await readPlace(log, '-1')).toEqual({ position: START, timeMs: undefined })
  expect(await readPlace(await logOf([]), '2026-11-01')).toMatchObject({ position: START })
})

describe('refused', () => {
  test.each(['2', '', 'yesterday', '2026-13-01', '2026-11-01T00:00:00', '-2', '1e3', '١'])(
    '"%s"',
    async (text) => {
      const refusal = { code: 'invalid_value', param: 'to' }
      await expect(readPlace(await logOf([1, 2]), text)).rejects.toMatchObject(refusal)
    },
  )
})

test.each(['2026-02-30', '2026-02-30T12:00:00Z', '2026-11-01T25:00:00Z', '2026-11-01T12:00:00'])(
  '%s is no place',
  async (text) => {
    await expect(readPlace(await logOf([FIRST_MS]), text)).rejects.toThrow(
      `to: "${text}" is neither a position nor a time`,
    )
  },
)
