import { pricingStream } from '@svc/contracts/events/pricing'
import { type NewEvent, NO_STREAM } from '@svc/contracts/ports/event-store'
import { chained } from '@svc/contracts/ports/hash-chain'
import { MemorySnapshotStore } from '@svc/infra/snapshot-store/memory/memory-snapshot-store'
import { describe, expect, test } from 'vitest'
import { KeptPrices } from './kept-prices.ts'

const events = ['one', 'two', 'three'].map(
  (id): NewEvent => ({ id, type: 'PricePublished', data: `{"price":"${id}"}`, metadata: '{}' }),
)
const heads = chained(NO_STREAM, pricingStream, events)
const [first, second, third] = heads as [(typeof heads)[0], (typeof heads)[0], (typeof heads)[0]]

function keepAll() {
  const snapshots = new MemorySnapshotStore()
  const kept = new KeptPrices(snapshots)
  kept.save(events, third)
  const saved = snapshots.load(pricingStream)
  if (saved === undefined) throw new Error('nothing was kept')
  return { snapshots, kept, saved }
}

describe('kept prices', () => {
  test('are the events behind those that still stand', () => {
    const { kept } = keepAll()
    expect(kept.behind(NO_STREAM)).toEqual(events)
    expect(kept.behind(first)).toEqual(events.slice(1))
    expect(kept.behind(second)).toEqual(events.slice(2))
    expect(kept.behind(third)).toEqual([])
  })

  test('are none where nothing was kept', () => {
    expect(new KeptPrices(new MemorySnapshotStore()).behind(NO_STREAM)).toEqual([])
  })

  test('begin with the first event, and end where there are very many', () => {
    const snapshots = new MemorySnapshotStore()
    const kept = new KeptPrices(snapshots)
    kept.save(events.slice(0, 1), first)
    expect(kept.behind(NO_STREAM)).toEqual(events.slice(0, 1))
    const saved = snapshots.load(pricingStream)
    const many = Array.from({ length: 10_001 }, () => events[0] as NewEvent)
    kept.save(many, { revision: 10_000, hash: third.hash })
    expect(snapshots.load(pricingStream)).toEqual(saved)
  })

  test('do not go back to fewer', () => {
    const { kept } = keepAll()
    kept.save(events.slice(0, 2), second)
    expect(kept.behind(first)).toEqual(events.slice(1))
  })

  test('are not believed where they do not chain to what stands', () => {
    const { kept } = keepAll()
    expect(kept.behind({ ...first, hash: second.hash })).toEqual([])
  })

  test.each([
    ['altered', { state: (state: string) => state.replace('"three"', '"four"') }],
    ['cut short', { state: (state: string) => state.slice(0, -1) }],
    ['no list', { state: () => '{}' }],
    ['of another form', { schema: 'pricing-events/0' }],
  ] as const)('are not believed when they are %s', (_what, change) => {
    const { snapshots, kept, saved } = keepAll()
    const state = 'state' in change ? change.state(saved.state) : saved.state
    const schema = 'schema' in change ? change.schema : saved.schema
    snapshots.save({ ...saved, state, schema })
    for (const head of [NO_STREAM, first]) expect(kept.behind(head)).toEqual([])
  })
})
