/** What a group has taken before, looked at by whoever takes what comes next. */
import type { Subscription } from '@svc/contracts/ports/bus'
import type { Timer } from '@svc/contracts/ports/time'
import type { Kafka } from 'kafkajs'
import { type PartitionOffsets, readLastRecords } from './topic-reader.ts'

/** What cannot be read in this time is not looked at: records that wait are worth more. */
const READ_WITHIN_MS = 15_000

export interface LookingBack {
  readonly client: Kafka
  readonly timer: Timer
  readonly subscription: Pick<Subscription, 'topic' | 'lookBack'>
  /** What the topic still has of the records that the group has taken. */
  readonly taken: readonly PartitionOffsets[]
  readonly signal: AbortSignal
}

/** @returns what is not there of the last record of each partition, in words; null for nothing */
export async function missingOfTaken(looking: LookingBack): Promise<string | null> {
  const { client, timer, taken, signal } = looking
  const { topic, lookBack } = looking.subscription
  if (lookBack === undefined) return null
  const late = new AbortController()
  const cancel = timer.after(READ_WITHIN_MS, () => late.abort())
  const either = AbortSignal.any([signal, late.signal])
  const reading = readLastRecords({ client, timer, topic, offsets: taken, signal: either })
  const records = await reading.catch(() => []).finally(cancel)
  // In one order: what is missing is told anew when the words differ.
  for (const record of records.toSorted((one, other) => one.partition - other.partition)) {
    const missing = await lookBack(record)
    if (missing !== null) return missing
  }
  return null
}
