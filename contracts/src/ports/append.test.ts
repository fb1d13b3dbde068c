import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOfEvents, outcomeOfRepeat } from './append.ts'
import { NO_STREAM, type RecordedEvent, type StreamHead } from './event-store.ts'

const ids = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 8 })
const revisions = fc.integer({ min: -1, max: 1_000 })

function standing(behind: StreamHead, eventIds: readonly string[]): readonly RecordedEvent[] {
  return eventIds.map((id, index) => {
    const revision = behind.revision + 1 + index
    const place = { revision, position: BigInt(10 * revision), hash: `hash ${revision}` }
    return { id, stream: 's', type: 't', data: '{}', metadata: '{}', ...place }
  })
}

describe('an append whose expected head was overtaken', () => {
  test('is a duplicate when its events are there, whatever follows them', () => {
    fc.assert(
      fc.property(ids, fc.array(fc.uuid(), { maxLength: 3 }), revisions, (own, later, revision) => {
        const expected = { ...NO_STREAM, revision }
        const there = standing(expected, [...own, ...later])
        const last = revision + own.length
        expect(outcomeOfRepeat(expected, own.map(withId), there)).toEqual({
          kind: 'duplicate',
          head: { revision: last, hash: `hash ${last}` },
          position: BigInt(10 * last),
        })
      }),
    )
  })

  test('is a conflict as soon as one event is somebody else’s', () => {
    fc.assert(
      fc.property(ids, fc.nat(), (own, place) => {
        const there = own.map((id, index) => (index === place % own.length ? 'other' : id))
        const outcome = outcomeOfRepeat(NO_STREAM, own.map(withId), standing(NO_STREAM, there))
        expect(outcome).toEqual({ kind: 'conflict' })
      }),
    )
  })

  test('is a conflict when its events stand at another revision', () => {
    const there = standing({ ...NO_STREAM, revision: 4 }, ['a'])
    expect(outcomeOfRepeat(NO_STREAM, [{ id: 'a' }], there)).toEqual({ kind: 'conflict' })
  })

  test('is open while some of its events are missing', () => {
    fc.assert(
      fc.property(ids, fc.nat(), (own, place) => {
        const there = standing(NO_STREAM, own.slice(0, place % own.length))
        expect(outcomeOfRepeat(NO_STREAM, own.map(withId), there)).toBeUndefined()
      }),
    )
  })
})

test('the size of events is that of their UTF-8, data and metadata', () => {
  expect(bytesOfEvents([])).toBe(0)
  const events = [
    { data: '{"a":"é"}', metadata: '{}' },
    { data: '€', metadata: '' },
  ]
  expect(bytesOfEvents(events)).toBe(10 + 2 + 3)
})

function withId(id: string): { readonly id: string } {
  return { id }
}
