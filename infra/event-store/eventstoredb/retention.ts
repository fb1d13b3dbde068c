/**
 * Finds the streams that the server was told to shorten, hide or delete before this process came.
 * From then on the log is read, and tells.
 */
import type { Position } from '@svc/contracts/ports/event-store'
import { systemTimer } from '../../system/system-timer.ts'
import { METADATA_PREFIX } from './layout/stream-prefix.ts'
import type { ServerSubscription, SubscriptionListener } from './messages/server-calls.ts'
import { type Order, orderIn } from './watch/set-aside-streams.ts'

/** A server before 23.10 does not say that the end is reached; then it is, after such a silence. */
const SILENCE_MS = 2_000

export interface FoundOrders {
  /** The orders by the server's name of the stream. */
  readonly orders: ReadonlyMap<string, Order>
  /** Whether the search came to the end of the log before the time was over. */
  readonly isComplete: boolean
}

export interface RetentionPorts {
  /** Subscribes to all streams with the prefix, from the start of the log on. */
  subscribe(prefix: string, listener: SubscriptionListener): ServerSubscription
  /** The place where the log ended when the search began. */
  readonly end: Position
  readonly timeoutMs: number
}

/**
 * Finds the orders about our streams. Metadata are events too, in a stream of their own: `$$` and
 * the name of the stream. The last one counts.
 *
 * @throws what ends the subscription
 */
export async function findOrders(
  streamPrefix: string,
  { subscribe, end, timeoutMs }: RetentionPorts,
): Promise<FoundOrders> {
  const orders = new Map<string, Order>()
  const { promise, resolve, reject } = Promise.withResolvers<'finished' | 'unfinished'>()
  // The search ends in a turn of its own: events that came before are still on their way to
  // `onEvent`.
  const finish = (): void => void setImmediate(resolve, 'finished')
  const cancelBound = systemTimer.after(timeoutMs, () => resolve('unfinished'))
  let cancelSilence = (): void => {}
  const onSign = (): void => {
    cancelSilence()
    cancelSilence = systemTimer.after(SILENCE_MS, finish)
  }
  const subscription = subscribe(METADATA_PREFIX + streamPrefix, {
    onConfirmed: onSign,
    onCaughtUp: finish,
    onProgress: (position) => (position >= end ? finish() : onSign()),
    onEvent(event) {
      onSign()
      const stream = event.stream.slice(METADATA_PREFIX.length)
      const order = orderIn(event)
      if (order === undefined) orders.delete(stream)
      else orders.set(stream, order)
    },
  })
  subscription.ended.catch(reject)
  try {
    const how = await promise
    return { orders, isComplete: how === 'finished' }
  } finally {
    cancelBound()
    cancelSilence()
    subscription.stop()
  }
}
