/** Reads a topic from its first record to its last, by a group of its own that leaves nothing. */
import { randomUUID } from 'node:crypto'
import { BusAwayError, type ReceivedRecord } from '@svc/contracts/ports/bus'
import { pause, type Timer } from '@svc/contracts/ports/time'
import { within } from '@svc/contracts/ports/within'
import type { EachBatchPayload, Kafka } from 'kafkajs'
import { closed, failureOf, isOfKafka } from './kafka-failure.ts'
import { receivedRecord } from './received-record.ts'

/** A read that gets nothing for this long has failed. */
const READ_SILENCE_MS = 30_000
const READ_SESSION_MS = 10_000
const READ_WAIT_MS = 500
/** How long a finished read may wait for its connections to close. */
const CLOSE_WITHIN_MS = 1_000
/**
 * How often a request is tried: the first group of a cluster waits for the topic in which groups
 * are kept.
 */
export const RETRIES = { retries: 8, initialRetryTime: 100, maxRetryTime: 1_000 }
/** How often to join while nothing was read: kafkajs gives up on a group that is loading. */
const JOIN_TRIES = 10
const JOIN_PAUSE_MS = 500

export interface TopicReading {
  readonly client: Kafka
  readonly timer: Timer
  readonly topic: string
  /** The first offset of each partition, and the one behind its last record. */
  readonly offsets: readonly PartitionOffsets[]
  readonly take: (records: readonly ReceivedRecord[]) => void
  readonly signal: AbortSignal
}

export interface PartitionOffsets {
  readonly partition: number
  readonly low: bigint
  readonly high: bigint
}

/** @throws {BusAwayError} when the cluster stops answering */
export async function readTopic(reading: TopicReading): Promise<void> {
  let hasRead = false
  const take: TopicReading['take'] = (records) => {
    hasRead = true
    reading.take(records)
  }
  for (let tries = 1; ; tries += 1) {
    try {
      return await readOnce({ ...reading, take })
    } catch (error) {
      if (hasRead || tries === JOIN_TRIES || !(error instanceof BusAwayError)) throw error
      await pause(reading.timer, JOIN_PAUSE_MS, reading.signal)
    }
  }
}

async function readOnce(reading: TopicReading): Promise<void> {
  const { client, timer, topic, offsets, take, signal } = reading
  const left = new Map<number, bigint>()
  for (const { partition, low, high } of offsets) {
    if (low < high) left.set(partition, high)
  }
  if (left.size === 0) return
  const groupId = `svc-read-${randomUUID()}`
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  promise.catch(() => {})
  const consumer = client.consumer({
    groupId,
    sessionTimeout: READ_SESSION_MS,
    maxWaitTimeInMs: READ_WAIT_MS,
    allowAutoTopicCreation: false,
    retry: { ...RETRIES, restartOnFailure: async () => false },
  })
  consumer.on(consumer.events.CRASH, ({ payload }) => reject(failureOf(payload.error)))
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort)
  const silent = () => reject(new BusAwayError(`nothing was read for ${READ_SILENCE_MS} ms`))
  let stopWatch = timer.after(READ_SILENCE_MS, silent)
  const eachBatch = async ({ batch }: EachBatchPayload): Promise<void> => {
    stopWatch()
    stopWatch = timer.after(READ_SILENCE_MS, silent)
    const end = left.get(batch.partition)
    if (end === undefined) return
    try {
      take(receivedBefore(end, batch))
    } catch (error) {
      reject(error)
    }
    if (BigInt(batch.lastOffset()) + 1n >= end) left.delete(batch.partition)
    if (left.size === 0) resolve()
  }
  try {
    await consumer.connect()
    await consumer.subscribe({ topics: [topic], fromBeginning: true })
    await consumer.run({ autoCommit: false, eachBatch })
    await promise
  } catch (error) {
    throw signal.aborted || !isOfKafka(error) ? error : failureOf(error)
  } finally {
    stopWatch()
    signal.removeEventListener('abort', abort)
    await within(timer, CLOSE_WITHIN_MS, closed(consumer), undefined)
    void forgetGroup(client, groupId)
  }
}

function receivedBefore(end: bigint, { partition, messages }: EachBatchPayload['batch']) {
  return messages
    .map((message) => receivedRecord(partition, message))
    .filter(({ offset }) => offset < end)
}

/** Removes the group of the read. What is left of it would expire by itself. */
async function forgetGroup(client: Kafka, groupId: string): Promise<void> {
  const admin = client.admin()
  try {
    await admin.connect()
    await admin.deleteGroups([groupId])
  } catch {
  } finally {
    void closed(admin)
  }
}
