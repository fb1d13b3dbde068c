/** Whether what is in a topic has happened in this log. */
import {
  type BusRecord,
  BusRefusedError,
  type BusTopic,
  type ReceivedRecord,
} from '@svc/contracts/ports/bus'
import { eventAt } from '@svc/contracts/ports/event-at'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { witnessOfRecord } from './feed-witness.ts'

type Log = Pick<EventStore, 'readStream'>

/** Whoever read the topic would have events that did not happen, and wrong balances. */
class OtherTopicError extends Error {
  override readonly name = 'OtherTopicError'

  constructor({ key, headers }: BusRecord) {
    super(
      `the topic has an event of ${key}, revision ${headers.revision}, that this event log does ` +
        'not have: it is fed by another log, or was by a newer copy of this one: give the feed a ' +
        'new topic',
    )
  }
}

/**
 * What the topic has behind the checkpoint may be what a relay of this log had sent when it died,
 * or what happened in another log: in a newer copy, or in one that runs beside this. So the last
 * record of each partition is looked for in the log.
 *
 * @throws {OtherTopicError} when one is of an event that the log does not have
 */
export async function checkOwnTopic(
  topic: BusTopic,
  store: Log,
  signal: AbortSignal,
): Promise<void> {
  for (const record of await lastRecords(topic, signal)) await checkOwnRecord(store, record)
}

/** @returns none when this user may write and not read: then only a check of the feed can tell */
async function lastRecords(
  topic: BusTopic,
  signal: AbortSignal,
): Promise<readonly ReceivedRecord[]> {
  try {
    return await topic.last(signal)
  } catch (error) {
    if (error instanceof BusRefusedError) return []
    throw error
  }
}

/** @param record of the topic, perhaps of another program, which tells nothing */
async function checkOwnRecord(store: Log, record: BusRecord): Promise<void> {
  const witness = witnessOfRecord(record)
  if (witness.hash === '' || !Number.isSafeInteger(witness.revision)) return
  const event = await eventAt(store, witness)
  if (event !== 'damaged' && event?.hash !== witness.hash) throw new OtherTopicError(record)
}
