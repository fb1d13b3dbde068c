/** What every bus promises. */
import { randomUUID } from 'node:crypto'
import {
  type Bus,
  type BusRecord,
  type BusTopic,
  MAX_DELIVERY_BYTES,
  MAX_DELIVERY_RECORDS,
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

    test('takes an empty delivery, and the largest that it promises', async () => {
      const topic = await newTopic()
      await deliver(topic, [])
      const bytes = Math.floor(MAX_DELIVERY_BYTES / MAX_DELIVERY_RECORDS) - 10
      const random = randomUUID()
        .repeat(Math.ceil(bytes / 36))
        .slice(0, bytes - 1)
      const records = Array.from({ length: MAX_DELIVERY_RECORDS }, () => recordOf('k', random))
      await deliver(topic, records)
      expect(await all(topic)).toHaveLength(MAX_DELIVERY_RECORDS)
    })

    test('refuses a delivery over its bounds, and one beside another', async () => {
      const topic = await newTopic()
      const many = Array.from({ length: MAX_DELIVERY_RECORDS + 1 }, () => recordOf('k', 'v'))
      await expect(deliver(topic, many)).rejects.toThrow(RangeError)
      const large = recordOf('k', 'v'.repeat(MAX_DELIVERY_BYTES))
      await expect(deliver(topic, [large])).rejects.toThrow(RangeError)
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
  })
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
