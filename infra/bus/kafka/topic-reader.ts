/** Reads records of a topic, by a group of its own that leaves nothing. */
import { randomUUID } from 'node:crypto'
import { BusAwayError, BusRefusedError, type ReceivedRecord } from '@svc/contracts/ports/bus'
import { pause, type Timer } from '@svc/contracts/ports/time'
import { within } from '@svc/contracts/ports/within'
import type { EachBatchPayload, Kafka } from 'kafkajs'
import { closed, failureOf, isOfKafka, lacksCoordinator } from './kafka-failure.ts'
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
  /** What to read of each partition: from the first of the offsets up to the second. */
  readonly offsets: readonly PartitionOffsets[]
  readonly take: (records: readonly ReceivedRecord[]) => void
  readonly signal: AbortSignal
}

export interface PartitionOffsets {
  readonly partition: number
  readonly low: bigint
  readonly high: bigint
}

/**
 * @throws {BusAwayError} when the cluster stops answering
 * @throws {BusRefusedError} when this user may not read, or nobody answers for its group
 * @throws the reason of the signal
 */
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
      if (hasRead || !(error instanceof BusAwayError)) throw error
      if (tries === JOIN_TRIES) {
        throw lacksCoordinator(error) ? new BusRefusedError(error.message, { cause: error }) : error
      }
      await pause(reading.timer, JOIN_PAUSE_MS, reading.signal)
    }
  }
}

/**
 * @param offsets of the topic, of which the last record of each partition is read
 * @throws {BusAwayError} when the cluster stops answering
 */
export async function readLastRecords(
  reading: Omit<TopicReading, 'take'>,
): Promise<readonly ReceivedRecord[]> {
  const found: ReceivedRecord[] = []
  const offsets = reading.offsets
    .filter(({ low, high }) => low < high)
    .map(({ partition, high }) => ({ partition, low: high - 1n, high }))
  await readTopic({ ...reading, offsets, take: (records) => void found.push(...records) })
  return found
}

async function readOnce(reading: TopicReading): Promise<void> {
  const { client, timer, topic, offsets, take, signal } = reading
  signal.throwIfAborted()
  const asked = offsets.filter(({ low, high }) => low < high)
  const left = new Map(asked.map((one) => [one.partition, one]))
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
  let hasCrashed = false
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    hasCrashed = true
    reject(failureOf(payload.error))
  })
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort)
  const silent = () => reject(new BusAwayError(`nothing was read for ${READ_SILENCE_MS} ms`))
  let stopWatch = timer.after(READ_SILENCE_MS, silent)
  const eachBatch = async ({ batch }: EachBatchPayload): Promise<void> => {
    stopWatch()
    stopWatch = timer.after(READ_SILENCE_MS, silent)
    const wanted = left.get(batch.partition)
    if (wanted === undefined) return
    try {
      take(receivedWithin(wanted, batch))
    } catch (error) {
      reject(error)
    }
    if (BigInt(batch.lastOffset()) + 1n >= wanted.high) left.delete(batch.partition)
    if (left.size === 0) resolve()
  }
  try {
    await consumer.connect()
    await consumer.subscribe({ topics: [topic], fromBeginning: true })
    await consumer.run({ autoCommit: false, eachBatch })
    // Who could not join its group is at no place, and says what was wrong.
    for (const { partition, low } of hasCrashed ? [] : asked) {
      consumer.seek({ topic, partition, offset: `${low}` })
    }
    await promise
  } catch (error) {
    signal.throwIfAborted()
    throw isOfKafka(error) ? failureOf(error) : error
  } finally {
    stopWatch()
    signal.removeEventListener('abort', abort)
    await within(timer, CLOSE_WITHIN_MS, closed(consumer), undefined)
    void forgetGroup(client, groupId)
  }
}

function receivedWithin(
  { low, high }: PartitionOffsets,
  { partition, messages }: EachBatchPayload['batch'],
): readonly ReceivedRecord[] {
  return messages
    .map((message) => receivedRecord(partition, message))
    .filter(({ offset }) => offset >= low && offset < high)
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
