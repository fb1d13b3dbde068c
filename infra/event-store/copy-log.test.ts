import {
  BrokenChainError,
  type EventStore,
  NO_STREAM,
  StoreAwayError,
} from '@svc/contracts/ports/event-store'
import { pause } from '@svc/contracts/ports/time'
import { ManualTime } from '@svc/testing/manual-time'
import { describe, expect, test } from 'vitest'
import { systemTimer } from '../system/system-timer.ts'
import { fillStream, newEvents, readWholeLog } from './compliance/fixtures.ts'
import { COPY_START, type CopyPlace, copyLog } from './copy-log.ts'
import { MemoryEventStore } from './memory/memory-event-store.ts'
import { ComparedLog, LogsDifferError } from './same-log.ts'
import { verifyLog } from './verify-log.ts'

type Target = Pick<EventStore, 'readAll' | 'append'>

/** Streams whose events stand between each other, and one that is longer than an append. */
async function someLog(): Promise<MemoryEventStore> {
  const store = new MemoryEventStore()
  const heads = new Map<string, typeof NO_STREAM>()
  for (let at = 0; at < 1_500; at += 1) {
    const stream = `account-${at % 7}`
    const expected = heads.get(stream) ?? NO_STREAM
    const outcome = await store.append({ stream, expected, events: newEvents(1 + (at % 2)) })
    if (outcome.kind === 'appended') heads.set(stream, outcome.head)
  }
  await fillStream(store, 'audit', 1_200, { batch: 400 })
  return store
}

async function copied(source: EventStore, target: Target, from = COPY_START) {
  const places: CopyPlace[] = []
  const options = { source, target, from, appendsAtOnce: 1, timer: systemTimer }
  for await (const place of copyLog(options)) places.push(place)
  return places
}

const bare = async (store: EventStore) =>
  (await readWholeLog(store)).map(({ position, ...event }) => event)

describe('a copy', () => {
  test('has every event with its id, revision and hash, in the same order', async () => {
    const [source, target] = [await someLog(), new MemoryEventStore()]
    await fillStream(source, 'late', 3)
    const places = await copied(source, target)
    expect(await bare(target)).toEqual(await bare(source))
    expect(places.at(-1)?.events).toBe(3_453)
    const compared = new ComparedLog(source, target)
    expect(await verifyLog(compared)).toMatchObject({ events: 3_453, broken: [] })
  })

  test('goes on from an older place, over what is there, wherever it was cut off', async () => {
    const source = await someLog()
    for (const appends of [0, 1, 300, 1_200]) {
      const target = new MemoryEventStore()
      let left = appends
      const cut: Target = {
        readAll: (request) => target.readAll(request),
        append: (request) => {
          if (left === 0) throw new Error('killed')
          left -= 1
          return target.append(request)
        },
      }
      const reached: CopyPlace[] = []
      const options = { source, target: cut, from: COPY_START, appendsAtOnce: 1 }
      const copying = (async () => {
        for await (const place of copyLog({ ...options, timer: systemTimer })) reached.push(place)
      })()
      await expect(copying).rejects.toThrow('killed')
      // The note of the last page may be lost as well.
      await copied(source, target, reached.at(-2) ?? COPY_START)
      expect(await bare(target)).toEqual(await bare(source))
    }
  })

  test('sends the very same append again while its outcome is not known', async () => {
    const [source, target] = [await someLog(), new MemoryEventStore()]
    let calls = 0
    const unsure: Target = {
      readAll: (request) => target.readAll(request),
      async append(request) {
        calls += 1
        if (calls % 500 === 1) return { kind: 'unknown', cause: 'not sent' }
        const outcome = await target.append(request)
        return calls % 500 === 3 ? { kind: 'unknown', cause: 'no answer' } : outcome
      },
    }
    await copied(source, unsure)
    expect(await bare(target)).toEqual(await bare(source))
  })

  test('is given up when an append is not confirmed for a minute, however long each try', async () => {
    const [source, target] = [await someLog(), new MemoryEventStore()]
    const time = new ManualTime()
    const away: Target = {
      readAll: (request) => target.readAll(request),
      async append() {
        await pause(time, 10_000)
        throw new StoreAwayError('away')
      },
    }
    const options = { source, target: away, from: COPY_START, appendsAtOnce: 1, timer: time }
    let end: unknown
    const copying = copyLog(options).next()
    void copying.catch((error: unknown) => {
      end = error
    })
    await time.advance(60_000)
    expect(end).toBeUndefined()
    await time.advance(15_000)
    expect(end).toMatchObject({ message: 'away' })
  })

  test('is none when the target holds anything else', async () => {
    const [source, target] = [await someLog(), new MemoryEventStore()]
    await fillStream(target, 'account-1', 1)
    await expect(copied(source, target)).rejects.toThrow(LogsDifferError)
  })

  test('is none when somebody else writes to it meanwhile', async () => {
    const [source, target] = [await someLog(), new MemoryEventStore()]
    let calls = 0
    const shared: Target = {
      readAll: (request) => target.readAll(request),
      async append(request) {
        calls += 1
        if (calls === 5) await fillStream(target, request.stream, 1)
        return target.append(request)
      },
    }
    await expect(copied(source, shared)).rejects.toThrow(/somebody else writes there/)
  })

  test('stops at an event of the source that was altered', async () => {
    const source = await someLog()
    const altered: EventStore = Object.assign(Object.create(source), {
      readAll: async (request: Parameters<EventStore['readAll']>[0]) =>
        (await source.readAll(request)).map((event) =>
          event.stream === 'account-3' && event.revision === 5
            ? { ...event, data: '{"altered":true}' }
            : event,
        ),
    })
    const target = new MemoryEventStore()
    await expect(copied(altered, target)).rejects.toThrow(BrokenChainError)
  })
})

describe('a comparison', () => {
  test('finds an event that is missing at the end, or is one too many', async () => {
    const [source, target] = [await someLog(), new MemoryEventStore()]
    await copied(source, target)
    await fillStream(source, 'late', 1)
    await expect(verifyLog(new ComparedLog(source, target))).rejects.toThrow(LogsDifferError)
    await expect(verifyLog(new ComparedLog(target, source))).rejects.toThrow(LogsDifferError)
  })
})
