import { type AppendRequest, NO_STREAM } from '@svc/contracts/ports/event-store'
import {
  fillStream,
  idsOf,
  newEvents,
  readWholeStream,
} from '@svc/infra/event-store/compliance/fixtures'
import { describeEventStore } from '@svc/infra/event-store/compliance.suite'
import { MemoryEventStore, MemoryLog } from '@svc/infra/event-store/memory/memory-event-store'
import { describe, expect, test } from 'vitest'
import { type Fault, listedFaults, seededFaults } from './fault-plan.ts'
import { FaultyEventStore } from './faulty-event-store.ts'

describeEventStore('a faulty store without faults', async () => {
  const log = new MemoryLog()
  return {
    open: async () => new FaultyEventStore(new MemoryEventStore(log), listedFaults()),
    async tamper(stream, revision) {
      const event = log.streams.get(stream)?.[revision]
      if (event !== undefined) Object.assign(event, { data: '{"amount":"0"}' })
    },
    remove: async () => {},
  }
})

const stream = 'account-1'
const request = (): AppendRequest => ({ stream, expected: NO_STREAM, events: newEvents(2) })
const storeWith = (...faults: Fault[]) =>
  new FaultyEventStore(new MemoryEventStore(), listedFaults(...faults))

describe('a faulty store', () => {
  const whatThen: [Fault, string, 'appended' | 'duplicate'][] = [
    ['fail-before', 'unknown', 'appended'],
    ['commit-then-unknown', 'unknown', 'duplicate'],
    ['conflict', 'conflict', 'appended'],
    ['delay', 'appended', 'duplicate'],
    ['none', 'appended', 'duplicate'],
  ]
  test.each(whatThen)('%s: says %s; the same append again is %s', async (fault, first, second) => {
    const store = storeWith(fault)
    const append = request()
    expect((await store.append(append)).kind).toBe(first)
    expect((await store.append(append)).kind).toBe(second)
    expect(idsOf(await readWholeStream(store, stream))).toEqual(idsOf(append.events))
  })

  test('commit-late: a read says that it is absent, and then it is there', async () => {
    const log = new MemoryLog()
    const store = new FaultyEventStore(new MemoryEventStore(log), listedFaults('commit-late'))
    expect((await store.append(request())).kind).toBe('unknown')
    expect(await readWholeStream(store, stream)).toEqual([])
    await store.close()
    expect(log.streams.get(stream)).toHaveLength(2)
  })

  test('gives the same faults for the same seed, at about the asked shares', () => {
    const shares = { 'fail-before': 0.2, 'commit-then-unknown': 0.1, conflict: 0.1, delay: 0.1 }
    const draw = (seed: number): Fault[] => {
      const plan = seededFaults(seed, shares)
      return Array.from({ length: 2_000 }, () => plan.next())
    }
    expect(draw(7)).toEqual(draw(7))
    expect(draw(7)).not.toEqual(draw(8))
    const failed = draw(7).filter((fault) => fault === 'fail-before').length
    expect(failed).toBeGreaterThan(300)
    expect(failed).toBeLessThan(500)
    expect(() => seededFaults(1, { conflict: 0.6, delay: 0.5 })).toThrow(RangeError)
  })

  test('lets reads through', async () => {
    const store = storeWith()
    const head = await fillStream(store, stream, 3)
    const [last] = await store.readStream({ stream, direction: 'backwards', limit: 1 })
    expect(last?.hash).toBe(head.hash)
  })
})
