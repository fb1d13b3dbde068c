import { type RecordedEvent, START, StoreAwayError } from '@svc/contracts/ports/event-store'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'
import { describe, expect, test } from 'vitest'
import { projectionDetails } from './projection-details.ts'

const MINUTE_MS = 60_000
const view = { name: 'usage', version: 1, state: 'catching-up', error: null } as const
const clock = { nowMs: () => START_MS + 3 * MINUTE_MS }

test('how long a view is behind is the age of the first event that is not in it: UX-52', async () => {
  const store = new MemoryEventStore()
  const history = new AccountHistory('Ada').open()
  const id = requestId(START_MS + MINUTE_MS, 'one')
  history.accept(id, START_MS + MINUTE_MS).settle(id, START_MS + 2 * MINUTE_MS)
  await history.writeTo(store)
  const log = await store.readAll({ after: START, limit: 100 })
  const head = await store.lastPosition()
  const accepted = log.findIndex(({ type }) => type === 'RequestAccepted')
  const behindAt = async (position: bigint) => {
    const details = { ...view, position, head, events: 1, rebuild: null }
    const [shown] = await projectionDetails({ store, clock, densePositions: false }, [details])
    return shown?.behind_seconds
  }
  expect(await behindAt(head)).toBe(0)
  expect(await behindAt(log[accepted - 1]?.position ?? head)).toBe(120)
  expect(await behindAt(log[accepted]?.position ?? head)).toBe(60)
})

test('it is not known of an event that cannot be read', async () => {
  const store = { readAll: async () => [{ data: '{' }] as never }
  const details = { ...view, position: START, head: 4n, events: 0, rebuild: null }
  const log = { store, clock, densePositions: true }
  expect(await projectionDetails(log, [details])).toMatchObject([{ behind_seconds: null }])
})

describe('how many events a view is behind: UX-52', () => {
  const HEAD = 9_000n
  /** The positions are of bytes: each event takes nine of them. */
  const positions = Array.from({ length: 1_000 }, (_, index) => BigInt(index + 1) * 9n)
  const at = (events: number, state: 'live' | 'catching-up' | 'failed' = 'catching-up') => {
    const position = positions[events - 1] ?? START
    return { ...view, state, position, head: HEAD, events, rebuild: null }
  }
  const log = (read: (after: bigint, limit: number) => readonly bigint[]) => ({
    clock,
    densePositions: false,
    store: {
      readAll: async ({ after, limit }: { after: bigint; limit: number }) =>
        read(after, limit).map((position) => ({ position, data: '{}' }) as RecordedEvent),
    },
  })
  const kept = log((after, limit) => positions.filter((each) => each > after).slice(0, limit))
  const behind = async (...of: Parameters<typeof projectionDetails>) =>
    (await projectionDetails(...of)).map((each) => {
      return [each.behind_events, each.behind_events_exact]
    })

  test('is told by the one at the end of the log, whatever positions count', async () => {
    expect(await behind(kept, [at(1_000, 'live'), at(400), at(0)])).toEqual([
      [0, true],
      [600, true],
      [1_000, true],
    ])
  })

  test('is counted in the log where no view is at its end, and not what comes meanwhile', async () => {
    expect(await behind(kept, [at(990), at(400)])).toEqual([
      [10, true],
      [600, true],
    ])
    const growing = log((after, limit) =>
      [...positions, HEAD + 9n, HEAD + 18n].filter((each) => each > after).slice(0, limit),
    )
    expect(await behind(growing, [at(1_000 - 1)])).toEqual([[1, true]])
  })

  test('is at least what was counted, where there are too many to count', async () => {
    const long = log((after, limit) => Array.from({ length: limit }, (_, i) => after + BigInt(i)))
    expect(await behind(long, [at(1)])).toEqual([[1_000, false]])
    const away = log(() => {
      throw new StoreAwayError('it is away')
    })
    expect(await behind(away, [at(990), at(400)])).toEqual([
      [0, false],
      [590, false],
    ])
  })

  test('is the difference of positions where each has an event', async () => {
    const dense = { ...kept, densePositions: true }
    const far = { ...at(0), position: START, head: 2_000_000n }
    expect(await behind(dense, [far])).toEqual([[2_000_001, true]])
  })

  test('is not measured at a view that failed: its rows may be of another log', async () => {
    const foreign = { ...at(0, 'failed'), position: HEAD, events: 5_000 }
    expect(await behind(kept, [foreign, at(990)])).toEqual([
      [0, true],
      [10, true],
    ])
  })
})
