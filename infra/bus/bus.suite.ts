/** What every bus promises. */

import { randomUUID } from 'node:crypto'
import {
  type Bus,
  type BusConsumer,
  type BusRecord,
  type BusTopic,
  DELIVERY_BYTES_MAX,
  DELIVERY_RECORDS_MAX,
  RECORD_BYTES_MAX,
  type ReceivedRecord,
  UnsafeTopicError,
} from '@svc/contracts/ports/bus'
import { afterEach, describe, expect, test } from 'vitest'
import { keyPartition } from './key-partition.ts'

const PARTITIONS = 4
const BATCHES = 60

export function describeBus(name: string, openBus: () => Bus): void {
  describe(`the bus on ${name}`, () => {
    const opened: Bus[] = []
    const bus = () => {
      const one = openBus()
      opened.push(one)
      return one
    }
    const topicName = () => `svc-test-${randomUUID()}`
    const newTopic = () => bus().open({ name: topicName(), partitions: PARTITIONS })
    afterEach(async () => {
      for (const each of opened.splice(0)) await each.close()
    })

    test('gives back what was delivered, once and byte for byte', async () => {
      const topic = await newTopic()
      const texts = ['plain', '', 'ключ ✓ 🦜', JSON.stringify({ a: '\u0000\n"' })]
      const records = texts.map((value, at) => recordOf(`k${at}`, value, { id: value, n: `${at}` }))
      await deliver(topic, records)
      const read = await all(topic)
      expect(read.map(plain).toSorted(byKey)).toEqual(records)
      expect(read.every(({ key, partition }) => partition === keyPartition(key, PARTITIONS))).toBe(
        true,
      )
    })

    test('gives back bytes that are no UTF-8 as they were, and no text that looks like them', async () => {
      const topic = await newTopic()
      const umlauts = ['Mär', 'Mör'].map((word) => Buffer.from(word, 'latin1'))
      const records = umlauts.map((bytes) => ({ ...recordOf('k', ''), bytes }))
      await deliver(topic, [...records, recordOf('k', 'M\ufffdr')])
      const read = await all(topic)
      expect(read.map(({ value }) => value)).toEqual(['', '', 'M\ufffdr'])
      expect(read.map(({ bytes }) => bytes?.toString('latin1'))).toEqual(['Mär', 'Mör', undefined])
    })

    test('keeps the order of each key over many deliveries', async () => {
      const topic = await newTopic()
      const keys = Array.from({ length: 12 }, (_, at) => `acct_${at}`)
      for (let batch = 0; batch < BATCHES; batch += 1) {
        await deliver(
          topic,
          keys.flatMap((key) => [0, 1].map((n) => recordOf(key, `${batch}.${n}`))),
        )
      }
      const read = await all(topic)
      const expected = Array.from({ length: BATCHES }, (_, at) => [`${at}.0`, `${at}.1`]).flat()
      for (const key of keys) {
        expect(read.filter((record) => record.key === key).map(({ value }) => value)).toEqual(
          expected,
        )
      }
      const ends = Array.from({ length: PARTITIONS }, (_, partition) =>
        BigInt(read.filter((record) => record.partition === partition).length),
      )
      expect(await topic.ends()).toEqual(ends)
      expect(topic.acknowledged).toEqual(ends)
    })

    test('can be read by another process, and again', async () => {
      const name = topicName()
      const [here, there] = [bus(), bus()]
      const writer = await here.open({ name, partitions: PARTITIONS })
      const reader = await there.open({ name, partitions: PARTITIONS })
      expect(await all(reader)).toEqual([])
      await deliver(writer, [recordOf('a', '1')])
      expect((await all(reader)).map(plain)).toEqual([recordOf('a', '1')])
      await deliver(writer, [recordOf('a', '2')])
      expect((await all(reader)).map(({ value, offset }) => [value, offset])).toEqual([
        ['1', 0n],
        ['2', 1n],
      ])
      expect(reader.acknowledged).toEqual([0n, 0n, 0n, 0n])
    })

    test('gives the last record of each partition that has any', async () => {
      const topic = await newTopic()
      const { signal } = new AbortController()
      expect(await topic.last(signal)).toEqual([])
      await deliver(topic, numbered(['a', 'b'], 20))
      const partitions = new Map((await all(topic)).map((record) => [record.partition, record]))
      const last = (await topic.last(signal)).toSorted(
        (one, other) => one.partition - other.partition,
      )
      expect(last).toEqual(
        [...partitions.values()].toSorted((one, other) => one.partition - other.partition),
      )
    })

    test('takes an empty delivery, and the largest that it promises', async () => {
      const topic = await newTopic()
      await deliver(topic, [])
      const bytes = Math.floor(DELIVERY_BYTES_MAX / DELIVERY_RECORDS_MAX) - 10
      const random = randomUUID()
        .repeat(Math.ceil(bytes / 36))
        .slice(0, bytes - 1)
      const values = Array.from({ length: DELIVERY_RECORDS_MAX }, (_, at) =>
        `${at}`.padEnd(bytes, random),
      )
      await deliver(
        topic,
        values.map((value) => recordOf('k', value)),
      )
      expect((await all(topic)).map(({ value }) => value)).toEqual(values)
    })

    test('refuses a delivery over its bounds, and one beside another', async () => {
      const topic = await newTopic()
      const many = Array.from({ length: DELIVERY_RECORDS_MAX + 1 }, () => recordOf('k', 'v'))
      await expect(deliver(topic, many)).rejects.toThrow(RangeError)
      const large = recordOf('k', 'v'.repeat(RECORD_BYTES_MAX - 1))
      await expect(deliver(topic, [recordOf('key', large.value)])).rejects.toThrow(RangeError)
      const filling = Array.from({ length: DELIVERY_BYTES_MAX / RECORD_BYTES_MAX + 1 }, () => large)
      await expect(deliver(topic, filling)).rejects.toThrow(RangeError)
      const first = deliver(topic, [recordOf('k', '1')])
      await expect(deliver(topic, [recordOf('k', '2')])).rejects.toThrow(RangeError)
      await first
      expect((await all(topic)).map(({ value }) => value)).toEqual(['1'])
    })

    test('refuses other numbers of partitions than the topic has, and makes none', async () => {
      const name = topicName()
      await expect(bus().open({ name, partitions: 6 })).rejects.toThrow(UnsafeTopicError)
      await bus().open({ name, partitions: 4 })
      for (const partitions of [2, 8]) {
        const opening = bus().open({ name, partitions })
        await expect(opening).rejects.toThrow(UnsafeTopicError)
        await expect(opening).rejects.toThrow('it has 4 partitions')
      }
    })

    test('stops waiting when it is told to', async () => {
      const topic = await newTopic()
      const reason = new Error('enough')
      await expect(topic.deliver([recordOf('a', '1')], AbortSignal.abort(reason))).rejects.toBe(
        reason,
      )
      await deliver(topic, [recordOf('a', '2')])
      expect((await all(topic)).map(({ value }) => value)).toEqual(['2'])
    })

    describe('for a group that takes records', () => {
      const newWork = async () => {
        const name = topicName()
        const topic = await bus().open({ name, partitions: PARTITIONS })
        const consume = (work: TakenWork) => work.consume(bus(), name)
        return { topic, consume }
      }

      /** Six records that another consumer of the group has taken. */
      const newWorkTaken = async () => {
        const work = await newWork()
        await deliver(work.topic, numbered(['a', 'b'], 3))
        const first = new TakenWork()
        const before = work.consume(first)
        await expect.poll(() => first.taken.length).toBe(6)
        await before.close()
        return { ...work, first }
      }

      test('every record is taken from the first on, in the order of its key', async () => {
        const { topic, consume } = await newWork()
        const records = numbered(['a', 'b', 'c'], 20)
        await deliver(topic, records.slice(0, 30))
        const work = new TakenWork()
        const consumer = consume(work)
        await deliver(topic, records.slice(30))
        await expect.poll(() => work.taken.length).toBe(records.length)
        expect(byKeys(work.taken)).toEqual(byKeys(records))
        await expect.poll(() => consumer.waiting).toBe(0n)
        expect(consumer).toMatchObject({ trouble: null, skipped: null })
      })

      test('who comes later goes on behind what was taken', async () => {
        const { topic, consume, first } = await newWorkTaken()
        const later = [recordOf('a', 'a.3'), recordOf('b', 'b.3')]
        await deliver(topic, later)
        const second = new TakenWork()
        consume(second)
        await expect.poll(() => second.taken.length).toBe(2)
        expect(byKeys(second.taken)).toEqual(byKeys(later))
        expect(first.taken).toHaveLength(6)
      })

      test('a record that is not taken comes again, whatever was thrown, and none passes it', async () => {
        const { topic, consume } = await newWork()
        const records = numbered(['a'], 4)
        await deliver(topic, records)
        const errors = [
          new Error('the store is away'),
          new SyntaxError('not JSON'),
          new TypeError('not a function'),
          Object.assign(new Error('for good'), { name: 'KafkaJSNonRetriableError' }),
        ]
        const work = new TakenWork(({ value }) => {
          const error = value === 'a.1' ? errors.shift() : undefined
          if (error !== undefined) throw error
        })
        const consumer = consume(work)
        await expect.poll(() => work.taken.length).toBe(4)
        expect(work.taken.map(({ value }) => value)).toEqual(['a.0', 'a.1', 'a.2', 'a.3'])
        expect(consumer.trouble).toBeNull()
        const asked = ['a.0', ...Array.from({ length: 5 }, () => 'a.1'), 'a.2', 'a.3']
        expect(work.asked.map(({ value }) => value)).toEqual(asked)
        const told = ['the store is away', 'not JSON', 'not a function', 'for good']
        expect(work.told).toEqual(told)
      })

      test('who is closed in mid-work is let go, and the others take the record', async () => {
        const { topic, consume } = await newWork()
        await deliver(topic, numbered(['a'], 2))
        const hanging = new TakenWork(() => new Promise(() => {}))
        const stuck = consume(hanging)
        await expect.poll(() => hanging.asked.length).toBe(1)
        await stuck.close()
        expect(hanging.signals[0]?.aborted).toBe(true)
        const work = new TakenWork()
        consume(work)
        await expect.poll(() => work.taken.length).toBe(2)
      })

      test('consumers that come and go in mid-work leave nothing out', async () => {
        const { topic, consume } = await newWork()
        const keys = Array.from({ length: 12 }, (_, at) => `acct_${at}`)
        const records = numbered(keys, 10)
        const works = [new TakenWork(), new TakenWork(), new TakenWork()] as const
        const first = consume(works[0])
        await deliver(topic, records.slice(0, 40))
        consume(works[1])
        await deliver(topic, records.slice(40, 80))
        await first.close()
        consume(works[2])
        await deliver(topic, records.slice(80))
        const taken = () => new Set(works.flatMap((work) => work.taken.map(({ value }) => value)))
        await expect.poll(() => taken().size).toBe(records.length)
      })

      test('who lacks what the group has taken takes nothing, and says so, until it is there', async () => {
        const { topic, consume } = await newWorkTaken()
        await deliver(topic, [recordOf('a', 'a.3')])
        const restored = new TakenWork()
        restored.missing = ({ value }) => (value === 'b.2' ? 'b.2 is not there' : null)
        const consumer = consume(restored)
        await expect.poll(() => restored.told).toEqual(['b.2 is not there'])
        expect(consumer.trouble).toBe('b.2 is not there')
        expect(restored.lookedAt).toContain('b.2')
        expect(restored.asked).toEqual([])
        restored.missing = () => null
        await expect.poll(() => restored.taken.map(({ value }) => value)).toEqual(['a.3'])
        expect(consumer.trouble).toBeNull()
      })

      test('who gets back partitions in which another took what it lacks stops, and says so', async () => {
        const { topic, consume } = await newWork()
        const keys = Array.from({ length: 12 }, (_, at) => `acct_${at}`)
        const [own, other] = [new TakenWork(), new TakenWork()]
        const lacked = ({ value }: ReceivedRecord) =>
          own.taken.some((record) => record.value === value) ? null : 'not here'
        own.missing = lacked
        const consumer = consume(own)
        await deliver(topic, numbered(keys, 1))
        await expect.poll(() => own.taken.length).toBe(keys.length)
        const copy = consume(other)
        let delivered = keys.length
        await expect
          .poll(async () => {
            await deliver(
              topic,
              numbered(keys, 1).map(({ key }) => recordOf(key, randomUUID())),
            )
            delivered += keys.length
            return other.taken.length
          })
          .toBeGreaterThan(0)
        // What the copy left would be taken here, and be the last of its partition.
        const taken = () => own.taken.length + other.taken.length
        await expect.poll(taken).toBeGreaterThanOrEqual(delivered)
        await copy.close()
        await expect.poll(() => consumer.trouble).toBe('not here')
        expect(own.told).toContain('not here')
      })

      test('a topic that is not there is told, and taken when it is', async () => {
        const name = topicName()
        const work = new TakenWork()
        const consumer = work.consume(bus(), name)
        await expect.poll(() => consumer.trouble).toContain(`there is no topic ${name}`)
        const topic = await bus().open({ name, partitions: PARTITIONS })
        await deliver(topic, [recordOf('a', '1')])
        await expect.poll(() => work.taken.length).toBe(1)
        expect(consumer.trouble).toBeNull()
      })
    })
  })
}

/** Remembers what consumers of a test have taken. */
class TakenWork {
  readonly asked: ReceivedRecord[] = []
  readonly taken: ReceivedRecord[] = []
  readonly signals: AbortSignal[] = []
  readonly told: string[] = []
  readonly lookedAt: string[] = []
  /** What it says when it is asked for what was taken. */
  missing: (last: ReceivedRecord) => string | null = () => null
  readonly #handle: (record: ReceivedRecord) => unknown

  constructor(handle: (record: ReceivedRecord) => unknown = () => {}) {
    this.#handle = handle
  }

  consume(bus: Bus, topic: string): BusConsumer {
    return bus.consume({
      topic,
      group: 'takers',
      take: async (record, signal) => {
        this.asked.push(record)
        this.signals.push(signal)
        await this.#handle(record)
        this.taken.push(record)
      },
      lookBack: async (last) => {
        this.lookedAt.push(last.value)
        return this.missing(last)
      },
      onTrouble: (words) => this.told.push(words),
    })
  }
}

function numbered(keys: readonly string[], count: number): readonly BusRecord[] {
  return Array.from({ length: count }, (_, at) =>
    keys.map((key) => recordOf(key, `${key}.${at}`)),
  ).flat()
}

function byKeys(records: readonly BusRecord[]): Record<string, readonly string[]> {
  const groups = Map.groupBy(records, ({ key }) => key)
  return Object.fromEntries([...groups].map(([key, some]) => [key, some.map(({ value }) => value)]))
}

export function recordOf(
  key: string,
  value: string,
  headers: BusRecord['headers'] = {},
): BusRecord {
  return { key, value, headers }
}

export async function all(topic: BusTopic): Promise<readonly ReceivedRecord[]> {
  const found: ReceivedRecord[] = []
  await topic.read((records) => void found.push(...records), new AbortController().signal)
  return found
}

function deliver(topic: BusTopic, records: readonly BusRecord[]): Promise<void> {
  return topic.deliver(records, new AbortController().signal)
}

function plain({ key, value, headers }: BusRecord): BusRecord {
  return { key, value, headers }
}

function byKey(one: BusRecord, other: BusRecord): number {
  return one.key < other.key ? -1 : 1
}
