import {
  APPEND_BYTES_MAX,
  APPEND_EVENTS_MAX,
  type EventStore,
  type NewEvent,
  NO_STREAM,
  START,
} from '@svc/contracts/ports/event-store'
import { seal } from '@svc/contracts/ports/hash-chain'
import { describe, expect, test } from 'vitest'
import {
  fillStream,
  type GetBench,
  idsOf,
  mustAppend,
  newEvent,
  newEvents,
  readWholeLog,
  readWholeStream,
} from './fixtures.ts'

const stream = 'account-1'

export function describeAppending(bench: GetBench): void {
  describeAppends(bench)
  describeConflicts(bench)
  describeRepeats(bench)
  describeBounds(bench)
}

function describeAppends(bench: GetBench): void {
  describe('an append', () => {
    test('to no stream starts one, and says where it ends', async () => {
      const { store } = bench()
      const events = newEvents(3)
      const outcome = await store.append({ stream, expected: NO_STREAM, events })
      const { head } = seal({ stream, expected: NO_STREAM, events })
      const position = await store.lastPosition()
      expect(outcome).toEqual({ kind: 'appended', head, position })
      expect(position).toBeGreaterThan(START)
      const stored = await readWholeStream(store, stream)
      expect(stored.at(-1)?.position).toBe(position)
    })

    test('goes on from the head, and gives revisions without a gap', async () => {
      const { store } = bench()
      const first = await mustAppend(store, stream, NO_STREAM, newEvents(2))
      const second = await mustAppend(store, stream, first.head, newEvents(3))
      expect(second.head.revision).toBe(4)
      expect(second.position).toBeGreaterThan(first.position)
      const stored = await readWholeStream(store, stream)
      expect(stored.map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4])
    })

    test('holds for the next process', async () => {
      const head = await fillStream(bench().store, stream, 5, { batch: 2 })
      const before = await readWholeLog(bench().store)
      const store = await bench().reopen()
      expect(await readWholeLog(store)).toEqual(before)
      expect((await mustAppend(store, stream, head, newEvents(1))).head.revision).toBe(5)
    })

    test('of the most events and the most bytes is written whole', async () => {
      const { store } = bench()
      const most = newEvents(APPEND_EVENTS_MAX)
      const { head } = await mustAppend(store, stream, NO_STREAM, most)
      expect(idsOf(await readWholeStream(store, stream))).toEqual(idsOf(most))
      const bytes = APPEND_BYTES_MAX - newEvent().metadata.length - '""'.length
      const largest = newEvent(JSON.stringify('x'.repeat(bytes)))
      await mustAppend(store, stream, head, [largest])
      const [stored] = await store.readStream({ stream, direction: 'backwards', limit: 1 })
      expect(stored?.data === largest.data).toBe(true)
    })
  })
}

function describeConflicts(bench: GetBench): void {
  describe('an append that expects another head', () => {
    const conflicts = {
      'no stream, where there is one': async () => NO_STREAM,
      'an earlier revision': async (store: EventStore) => headAt(store, 0),
      'a later revision': async () => ({ revision: 7, hash: 'ab'.repeat(32) }),
      'the right revision with another hash': async () => ({ revision: 2, hash: 'ab'.repeat(32) }),
    }

    test.each(Object.entries(conflicts))('%s: conflicts', async (_name, expectedOf) => {
      const { store } = bench()
      await fillStream(store, stream, 3)
      const before = await readWholeLog(store)
      const expected = await expectedOf(store)
      const outcome = await store.append({ stream, expected, events: newEvents(2) })
      expect(outcome).toEqual({ kind: 'conflict' })
      expect(await readWholeLog(store)).toEqual(before)
    })

    test('an event in a stream without any: conflicts', async () => {
      const { store } = bench()
      const expected = { revision: 0, hash: 'ab'.repeat(32) }
      const outcome = await store.append({ stream, expected, events: newEvents(1) })
      expect(outcome).toEqual({ kind: 'conflict' })
      expect(await readWholeStream(store, stream)).toEqual([])
    })

    test('of eight that race for one head, one wins and the rest conflict', async () => {
      const { store } = bench()
      const head = await fillStream(store, stream, 2)
      const racers = Array.from({ length: 8 }, () => newEvents(3))
      const outcomes = await Promise.all(
        racers.map((events) => store.append({ stream, expected: head, events })),
      )
      const kinds = outcomes.map(({ kind }) => kind)
      expect(kinds.toSorted()).toEqual(['appended', ...Array(7).fill('conflict')])
      const winner = racers[kinds.indexOf('appended')] ?? []
      const stored = await readWholeStream(store, stream)
      expect(idsOf(stored.slice(2))).toEqual(idsOf(winner))
    })
  })
}

function describeRepeats(bench: GetBench): void {
  describe('an append that is sent again', () => {
    test('at once is a duplicate, with the head and the position of the first', async () => {
      const { store } = bench()
      const request = { stream, expected: NO_STREAM, events: newEvents(3) }
      const { head, position } = await mustAppend(store, stream, NO_STREAM, request.events)
      expect(await store.append(request)).toEqual({ kind: 'duplicate', head, position })
      expect(await readWholeLog(store)).toHaveLength(3)
    })

    test('after a thousand later events, and in the next process, still is', async () => {
      const { store } = bench()
      const start = await fillStream(store, stream, 4)
      const request = { stream, expected: start, events: newEvents(3) }
      const { head, position } = await mustAppend(store, stream, start, request.events)
      await fillStream(store, stream, 1_000, { from: head })
      const duplicate = { kind: 'duplicate', head, position }
      expect(await store.append(request)).toEqual(duplicate)
      const reopened = await bench().reopen()
      expect(await reopened.append(request)).toEqual(duplicate)
      expect(await readWholeLog(reopened)).toHaveLength(1_007)
    })

    test('while the first is on its way is written once', async () => {
      const { store } = bench()
      const request = { stream, expected: NO_STREAM, events: newEvents(2) }
      const outcomes = await Promise.all([settle(store, request), settle(store, request)])
      expect(outcomes.every((kind) => kind === 'appended' || kind === 'duplicate')).toBe(true)
      expect(idsOf(await readWholeStream(store, stream))).toEqual(idsOf(request.events))
    })

    test('with other data is a duplicate, and the first data stay', async () => {
      const { store } = bench()
      const [event] = newEvents(1) as [NewEvent]
      const { head, position } = await mustAppend(store, stream, NO_STREAM, [event])
      const events = [{ ...event, data: '{"other":true}' }]
      const outcome = await store.append({ stream, expected: NO_STREAM, events })
      expect(outcome).toEqual({ kind: 'duplicate', head, position })
      expect((await readWholeStream(store, stream))[0]?.data).toBe(event.data)
    })

    const [a, b, c, d] = newEvents(4) as [NewEvent, NewEvent, NewEvent, NewEvent]
    const repeats: [string, number, NewEvent[], 'duplicate' | 'conflict'][] = [
      ['the beginning of it', -1, [a, b], 'duplicate'],
      ['the end of it, at its place', 0, [b, c], 'duplicate'],
      ['with one more', -1, [a, b, c, d], 'conflict'],
      ['in another order', -1, [b, a, c], 'conflict'],
      ['with one replaced', -1, [a, d, c], 'conflict'],
      ['without its first', -1, [b, c], 'conflict'],
      ['its last alone, at the wrong place', 0, [c], 'conflict'],
    ]

    test.each(repeats)('%s', async (_name, revision, events, kind) => {
      const { store } = bench()
      await mustAppend(store, stream, NO_STREAM, [a, b, c])
      const expected = await headAt(store, revision)
      const outcome = await store.append({ stream, expected, events })
      expect(outcome.kind).toBe(kind)
      const stored = await readWholeStream(store, stream)
      expect(idsOf(stored)).toEqual(idsOf([a, b, c]))
      if (outcome.kind === 'duplicate') {
        const last = stored[revision + events.length]
        expect(outcome.head).toEqual({ revision: last?.revision, hash: last?.hash })
        expect(outcome.position).toBe(last?.position)
      }
    })
  })
}

function describeBounds(bench: GetBench): void {
  describe('an append that passes a bound', () => {
    const [event, other] = newEvents(2) as [NewEvent, NewEvent]
    const mistakes: [string, { stream?: string; events: NewEvent[] }][] = [
      ['no event', { events: [] }],
      ['one event too many', { events: newEvents(APPEND_EVENTS_MAX + 1) }],
      ['too many bytes', { events: [newEvent(JSON.stringify('x'.repeat(APPEND_BYTES_MAX)))] }],
      ['an id twice', { events: [event, { ...other, id: event.id }] }],
      ['an id that is no UUID', { events: [event, { ...other, id: 'settle-1' }] }],
      ['an id in upper case', { events: [{ ...event, id: event.id.toUpperCase() }] }],
      ['the nil id', { events: [{ ...event, id: event.id.replace(/[^-]/g, '0') }] }],
      ['no type', { events: [{ ...event, type: '' }] }],
      ['half a character in the data', { events: [{ ...event, data: '"\ud800"' }] }],
      ['half a character in the metadata', { events: [{ ...event, metadata: '"\udc00"' }] }],
      ['a stream without a name', { stream: '', events: [event] }],
      ['a stream with half a character', { stream: 'a-\ud800', events: [event] }],
      ['a stream with too long a name', { stream: 'é'.repeat(128), events: [event] }],
    ]

    test.each(mistakes)('%s: is refused, and nothing is written', async (_name, mistake) => {
      const { store } = bench()
      const request = { stream, expected: NO_STREAM, ...mistake }
      await expect(store.append(request)).rejects.toThrow(RangeError)
      expect(await readWholeLog(store)).toEqual([])
      expect(await store.lastPosition()).toBe(START)
    })
  })
}

async function headAt(store: EventStore, revision: number) {
  return (await readWholeStream(store, stream))[revision] ?? NO_STREAM
}

/** Sends until the outcome is known, as the port asks for. */
async function settle(
  store: EventStore,
  request: Parameters<EventStore['append']>[0],
): Promise<string> {
  for (let sends = 0; sends < 10; sends += 1) {
    const { kind } = await store.append(request)
    if (kind !== 'unknown') return kind
  }
  return 'unknown'
}
