import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { APPEND_BYTES_MAX, APPEND_EVENTS_MAX, BrokenChainError, NO_STREAM } from './event-store.ts'
import { type SealedEvent, seal, verifyChain } from './hash-chain.ts'

const stream = 'account-1'
const payload = fc.record({
  type: fc.string(),
  data: fc.json(),
  metadata: fc.json(),
})
const history = fc
  .array(payload, { minLength: 2, maxLength: 12 })
  .map((payloads) => payloads.map((event, index) => ({ ...event, id: `id-${index}` })))
  .map((events) => seal({ stream, expected: NO_STREAM, events }))

type Mutation = (events: SealedEvent[], at: number) => SealedEvent[]

const flipBit = (text: string, bit: number): string => {
  const index = Math.floor(bit / 7) % text.length
  const flipped = text.charCodeAt(index) ^ (1 << (bit % 7))
  return text.slice(0, index) + String.fromCharCode(flipped) + text.slice(index + 1)
}

const change =
  (field: 'id' | 'type' | 'stream' | 'data' | 'metadata' | 'hash'): Mutation =>
  (events, at) =>
    events.map((event, index) =>
      index === at ? { ...event, [field]: flipBit(`${event[field]}`, at) || 'x' } : event,
    )

const mutations: Readonly<Record<string, Mutation>> = {
  'a changed id': change('id'),
  'a changed type': (events, at) =>
    events.map((event, index) => (index === at ? { ...event, type: `${event.type}!` } : event)),
  'a changed stream': change('stream'),
  'a flipped bit in the data': change('data'),
  'a flipped bit in the metadata': change('metadata'),
  'a changed hash': change('hash'),
  'a dropped event': (events, at) => events.filter((_, index) => index !== at),
  'a dropped event with the revisions closed up': (events, at) =>
    events.filter((_, index) => index !== at).map((event, revision) => ({ ...event, revision })),
  'a repeated event': (events, at) => [...events.slice(0, at + 1), ...events.slice(at)],
  'an inserted event': (events, at) => {
    const forged = { ...(events[at] as SealedEvent), id: 'forged' }
    return [...events.slice(0, at), forged, ...events.slice(at)].map((event, revision) => ({
      ...event,
      revision,
    }))
  },
  'two swapped events': (events, at) => {
    const other = (at + 1) % events.length
    return events.map((event, index) => {
      if (index === at) return events[other] as SealedEvent
      return index === other ? (events[at] as SealedEvent) : event
    })
  },
  'data moved between two events': (events, at) => {
    const other = (at + 1) % events.length
    const [one, two] = [events[at] as SealedEvent, events[other] as SealedEvent]
    return events.map((event, index) => {
      if (index === at) return { ...event, data: `${two.data} ` }
      return index === other ? { ...event, data: `${one.data} ` } : event
    })
  },
  'a cut tail': (events, at) => events.slice(0, at),
}

/** Whether someone who knows the last hash of a history finds fault with these events. */
function isFound(events: readonly SealedEvent[], knownHash: string): boolean {
  try {
    return verifyChain(NO_STREAM, events).hash !== knownHash
  } catch (error) {
    if (error instanceof BrokenChainError) return true
    throw error
  }
}

describe('a chain of hashes', () => {
  test('holds for a history that nobody touched, from any revision on', () => {
    fc.assert(
      fc.property(history, fc.nat(), ({ events, head }, cut) => {
        const at = cut % events.length
        const middle = verifyChain(NO_STREAM, events.slice(0, at))
        expect(verifyChain(middle, events.slice(at))).toEqual(head)
      }),
    )
  })

  test('does not depend on how the events were grouped into appends', () => {
    fc.assert(
      fc.property(history, ({ events, head }) => {
        const oneByOne = events.reduce(
          (expected, { id, type, data, metadata }) =>
            seal({ stream, expected, events: [{ id, type, data, metadata }] }).head,
          NO_STREAM,
        )
        expect(oneByOne).toEqual(head)
      }),
    )
  })

  test.each(Object.entries(mutations))('shows %s', (_name, mutate) => {
    fc.assert(
      fc.property(history, fc.nat(), ({ events, head }, place) => {
        const mutated = mutate([...events], place % events.length)
        expect(isFound(mutated, head.hash)).toBe(true)
      }),
    )
  })

  test('shows a gap in the revisions, even where every hash fits', () => {
    const event = { id: 'a', type: 'T', data: '{}', metadata: '{}' }
    const later = { ...NO_STREAM, revision: 7 }
    const { events } = seal({ stream, expected: later, events: [event] })
    expect(() => verifyChain(NO_STREAM, events)).toThrow(new BrokenChainError(stream, 0))
  })

  test('names the first event that does not fit', () => {
    const events = ['a', 'b', 'c'].map((id) => ({ id, type: 'T', data: '{}', metadata: '{}' }))
    const sealed = seal({ stream, expected: NO_STREAM, events }).events
    const altered = sealed.map((event) => (event.id === 'b' ? { ...event, data: '{ }' } : event))
    expect(() => verifyChain(NO_STREAM, altered)).toThrow(new BrokenChainError(stream, 1))
  })

  test('stays what it was when it was first stored', () => {
    const event = { id: 'a', type: 'T', data: '{"n":1}', metadata: '{}' }
    expect(seal({ stream, expected: NO_STREAM, events: [event] }).head).toEqual({
      revision: 0,
      hash: '493dc195167917e94044a81ae8ef5fd90394f41c43ca6e67d7f2060eec311697',
    })
  })
})

describe('an append', () => {
  const event = (id: number) => ({ id: `${id}`, type: 'T', data: '{}', metadata: '{}' })
  const append = (events: readonly ReturnType<typeof event>[]) =>
    seal({ stream, expected: NO_STREAM, events })

  test('of the most events is sealed, of none or one more is refused', () => {
    const most = Array.from({ length: APPEND_EVENTS_MAX }, (_, id) => event(id))
    expect(append(most).head.revision).toBe(APPEND_EVENTS_MAX - 1)
    expect(() => append([])).toThrow(RangeError)
    expect(() => append([...most, event(APPEND_EVENTS_MAX)])).toThrow(RangeError)
  })

  test.each(['data', 'metadata'] as const)('with too many bytes of %s is refused', (field) => {
    const large = 'é'.repeat(APPEND_BYTES_MAX / 2)
    expect(() => append([{ ...event(1), [field]: large }])).toThrow(RangeError)
  })

  test('that names an id twice is refused', () => {
    expect(() => append([event(1), event(1)])).toThrow(RangeError)
  })
})
