/** Sends events to the topic once more: what it has lost, or what a consumer wants again. */
import { type BusRecord, type BusTopic, inDeliveries } from '@svc/contracts/ports/bus'
import type { EventStore, Position } from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import { eventsUpTo } from './feed-check.ts'
import { feedKey, feedRecord } from './feed-record.ts'

const BATCH_RECORDS = 500

export interface FeedResendPorts {
  readonly store: Pick<EventStore, 'readAll'>
  readonly topic: Pick<BusTopic, 'deliver'>
  readonly pace: Pace
}

export interface FeedResendOptions {
  /** The first event that is sent again, and the last that may be. */
  readonly from: Position
  readonly upTo: Position
  /** Only what has this key: an account. */
  readonly key?: string | undefined
  readonly signal: AbortSignal
  readonly onProgress?: (records: number) => void
}

/** @returns how many events were sent again, all of them acknowledged */
export async function resendFeed(
  { store, topic, pace }: FeedResendPorts,
  { from, upTo, key, signal, onProgress = () => {} }: FeedResendOptions,
): Promise<number> {
  let sent = 0
  let waiting: BusRecord[] = []
  const send = async (): Promise<void> => {
    for (const delivery of inDeliveries(waiting)) await topic.deliver(delivery, signal)
    sent += waiting.length
    waiting = []
    onProgress(sent)
  }
  for await (const event of eventsUpTo(store, upTo, pace)) {
    signal.throwIfAborted()
    if (event.position < from) continue
    if (key !== undefined && feedKey(event.stream) !== key) continue
    const record = feedRecord(event)
    if (record !== undefined) waiting.push(record)
    if (waiting.length >= BATCH_RECORDS) await send()
  }
  await send()
  return sent
}
