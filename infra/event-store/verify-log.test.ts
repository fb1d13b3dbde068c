import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  BrokenChainError,
  DamagedStreamError,
  type ReadStreamRequest,
  type RecordedEvent,
} from '@svc/contracts/ports/event-store'
import { describe, expect, test } from 'vitest'
import { fillStream } from './compliance/fixtures.ts'
import { MemoryEventStore, MemoryLog } from './memory/memory-event-store.ts'
import { verifyLog } from './verify-log.ts'

async function logOf(streams: number, events: number): Promise<MemoryLog> {
  const log = new MemoryLog()
  const store = new MemoryEventStore(log)
  for (let at = 0; at < streams; at += 1) await fillStream(store, `account-${at}`, events)
  return log
}

describe('the verification of a log', () => {
  test('of an empty one finds nothing', async () => {
    const result = await verifyLog(new MemoryEventStore())
    expect(result).toMatchObject({ streams: 0, events: 0, broken: [], position: -1n })
    expect(result.head).toBeUndefined()
  })

  test('of a sound one counts, and tells of its progress', async () => {
    const log = await logOf(5, 900)
    const progress: number[] = []
    const result = await verifyLog(new MemoryEventStore(log), {
      onProgress: ({ events }) => progress.push(events),
    })
    expect(result).toMatchObject({ streams: 5, events: 4_500, broken: [], position: 4_499n })
    expect(progress.slice(0, 2)).toEqual([250, 500])
    expect(progress.at(-1)).toBe(4_500)
  })

  test('of a long one lets everybody else have a turn after each page', async () => {
    const log = await logOf(10, 1_000)
    let turns = 0
    let isOver = false
    const others = (async () => {
      for (; !isOver; turns += 1) await nextTurn()
    })()
    let pages = 0
    await verifyLog(new MemoryEventStore(log), { onProgress: () => (pages += 1) })
    isOver = true
    await others
    expect(pages).toBe(40)
    expect(turns).toBeGreaterThanOrEqual(2 * pages)
  })

  test('ends early when nobody waits for it any more', async () => {
    const log = await logOf(1, 900)
    const gone = new AbortController()
    const verification = verifyLog(new MemoryEventStore(log), {
      signal: gone.signal,
      onProgress: () => gone.abort(new Error('the reader left')),
    })
    await expect(verification).rejects.toThrow('the reader left')
  })

  test('gives a head that holds over a log that grows, and over no other', async () => {
    const log = await logOf(3, 100)
    const { head } = await verifyLog(new MemoryEventStore(log))
    expect(head?.position).toBe(299n)
    await fillStream(new MemoryEventStore(log), 'account-later', 500)
    const anchorOf = async (other: MemoryLog, anchor = head) =>
      (await verifyLog(new MemoryEventStore(other), { anchor })).anchor
    expect(await anchorOf(log)).toBe('holds')
    // The other log is as long and has sound chains, and holds other events.
    expect(await anchorOf(await logOf(3, 100))).toBe('differs')
    expect(await anchorOf(await logOf(2, 100))).toBe('cut')
    expect(await anchorOf(new MemoryLog())).toBe('cut')
  })

  test('names the witnesses whose event it did not meet', async () => {
    const log = await logOf(2, 10)
    const hashAt = (stream: string, revision: number) =>
      log.streams.get(stream)?.[revision]?.hash ?? ''
    const witness = (stream: string, revision: number, hash = hashAt(stream, revision)) => {
      return { source: `${stream} ${revision}`, stream, revision, hash }
    }
    const sound = [witness('account-0', 0), witness('account-0', 9), witness('account-1', 4)]
    const beyond = witness('account-0', 10, hashAt('account-0', 9))
    const other = witness('account-1', 4, hashAt('account-1', 5))
    const noStream = witness('account-7', 0, hashAt('account-1', 0))
    const ofCache = { ...witness('account-8', 3, 'x'), onlyIfStreamExists: true }
    const { contradicted } = await verifyLog(new MemoryEventStore(log), {
      witnesses: [...sound, beyond, other, noStream, ofCache],
    })
    expect(contradicted).toEqual([other, beyond, noStream])
  })

  test('goes on behind broken streams, and names the first fault of each', async () => {
    const log = await logOf(4, 10)
    for (const [stream, revision] of [
      ['account-1', 3],
      ['account-1', 7],
      ['account-3', 0],
    ] as const) {
      Object.assign(log.streams.get(stream)?.[revision] ?? {}, { data: '"edited"' })
    }
    const { broken, events, streams } = await verifyLog(new MemoryEventStore(log))
    expect(broken).toEqual([
      { stream: 'account-1', revision: 3, cause: expect.stringContaining('does not fit') },
      { stream: 'account-3', revision: 0, cause: expect.stringContaining('does not fit') },
    ])
    expect({ events, streams }).toEqual({ events: 40, streams: 4 })
  })

  test('names a missing event, and the first of each whole stream that nobody can read', async () => {
    const log = await logOf(4, 10)
    log.streams.get('account-1')?.splice(4, 1)
    const unreadableBecause = ({ stream, revision }: RecordedEvent) =>
      stream === 'account-2' && revision > 6 ? 'it is none of ours' : undefined
    const missing = log.all.findIndex((e) => e.stream === 'account-1' && e.revision === 4)
    log.all.splice(missing, 1)
    const result = await verifyLog(new MemoryEventStore(log), { unreadableBecause })
    const cause = 'the event is missing, and revision 5 follows'
    expect(result.broken).toEqual([{ stream: 'account-1', revision: 4, cause }])
    const why = expect.stringContaining('it is none of ours')
    expect(result.unreadable).toEqual([{ stream: 'account-2', revision: 7, cause: why }])
  })

  test('that goes on from a position takes streams that have begun since as they are', async () => {
    const log = await logOf(4, 10)
    // The verification starts behind the first event of account-1.
    const from = { position: 10n, isKnown: () => true }
    const result = await verifyLog(new MemoryEventStore(log), { from })
    expect(result).toMatchObject({ streams: 3, events: 29, broken: [] })
    const edited = log.streams.get('account-3')?.[4]
    Object.assign(edited ?? {}, { data: '"edited"' })
    const { broken } = await verifyLog(new MemoryEventStore(log), { from })
    expect(broken).toMatchObject([{ stream: 'account-3', revision: 4 }])
  })

  test('compares what readers of a stream see first, where the store may hide events', async () => {
    const log = await logOf(40, 3)
    const store = new HidingStore(log)
    const hidden = ['account-7', 'account-39'].map((stream) => {
      return { stream, revision: 0, cause: expect.stringContaining('hides it') }
    })
    const { broken } = await verifyLog(store, { mayHideEvents: true })
    expect(broken).toEqual(hidden)
    const from = { position: 29n, isKnown: () => true }
    const later = await verifyLog(store, { mayHideEvents: true, from })
    expect(later.broken).toEqual([hidden[1]])
    expect((await verifyLog(store)).broken).toEqual([])
  })
})

/** Its readers see `account-7` from revision 2 on, and nothing of `account-39`. */
class HidingStore extends MemoryEventStore {
  override async readStream(request: ReadStreamRequest): Promise<readonly RecordedEvent[]> {
    const { stream, from = 0 } = request
    if (stream === 'account-7' && from < 2) throw new BrokenChainError(stream, 0)
    if (stream === 'account-39') return []
    // It knows of this one, and says so itself.
    if (stream === 'account-8') throw new DamagedStreamError(stream, 'its metadata has $maxCount')
    return super.readStream(request)
  }
}
