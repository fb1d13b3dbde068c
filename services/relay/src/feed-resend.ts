/** Sends events to the topic once more: what it has lost, or what a consumer wants again. */
import type { PicoDollars } from '@svc/contracts/money'
import { type BusRecord, type BusTopic, inDeliveries } from '@svc/contracts/ports/bus'
import type { Position } from '@svc/contracts/ports/event-store'
import { type FeedEventsPorts, type FeedRange, feedEvents } from './feed-events.ts'
import { feedRecord } from './feed-record.ts'

const BATCH_RECORDS = 500

export interface FeedResendPorts extends FeedEventsPorts {
  readonly topic: Pick<BusTopic, 'deliver'>
  readonly lowBalance?: PicoDollars
}

export interface FeedResendOptions extends FeedRange {
  /** The position of the first event that is sent again: the log before it is not read. */
  readonly from: Position
  /** The account whose events alone are sent again. */
  readonly key?: string | undefined
  readonly onProgress?: (records: number) => void
}

/** @returns how many events were sent again, all of them acknowledged */
export async function resendFeed(
  { topic, lowBalance, ...log }: FeedResendPorts,
  { key: only, onProgress = () => {}, ...range }: FeedResendOptions,
): Promise<number> {
  let sent = 0
  let waiting: BusRecord[] = []
  const send = async (): Promise<void> => {
    for (const delivery of inDeliveries(waiting)) await topic.deliver(delivery, range.signal)
    sent += waiting.length
    waiting = []
    onProgress(sent)
  }
  for await (const { key, event } of feedEvents(log, range)) {
    if (only !== undefined && key !== only) continue
    const record = feedRecord(event, lowBalance)
    if (record !== undefined) waiting.push(record)
    if (waiting.length >= BATCH_RECORDS) await send()
  }
  await send()
  return sent
}
