/**
 * Finds streams that the server was told to shorten. A stream's metadata can limit the age or the
 * number of its events, or hide those before a revision; a ledger that loses events is worse than
 * one that does not start.
 *
 * Metadata are events too, in a stream of their own: `$$` and the name of the stream. The last one
 * counts.
 */
import type { Position } from '@svc/contracts/ports/event-store'
import { systemTimer } from '../../system/system-timer.ts'
import type { ServerSubscription, SubscriptionListener } from './client/server-calls.ts'
import type { ServerEvent } from './client/server-event.ts'

const METADATA_PREFIX = '$$'
const forgettingKeys = ['$maxAge', '$maxCount', '$tb'] as const
/** A server before 23.10 does not say that the end is reached; then it is, after such a silence. */
const SILENCE_MS = 2_000

export interface ForgetfulStream {
  readonly stream: string
  readonly key: (typeof forgettingKeys)[number]
}

export interface RetentionPorts {
  /** To all streams with the prefix, from the start of the log on. */
  subscribe(prefix: string, listener: SubscriptionListener): ServerSubscription
  /** Where the log ended when the search began. */
  readonly end: Position
  readonly timeoutMs: number
}

/**
 * @returns the first stream with the prefix that is set to lose events; `unfinished` when the time
 *   was over before the end of the log
 * @throws what ends the subscription
 */
export async function findForgetfulStream(
  streamPrefix: string,
  { subscribe, end, timeoutMs }: RetentionPorts,
): Promise<ForgetfulStream | 'unfinished' | undefined> {
  const found = new Map<string, ForgetfulStream>()
  const { promise, resolve, reject } = Promise.withResolvers<'finished' | 'unfinished'>()
  // In a turn of its own: events that came before are still on their way to `onEvent`.
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
      const key = forgettingKeyOf(event)
      if (key === undefined) found.delete(stream)
      else found.set(stream, { stream, key })
    },
  })
  subscription.ended.catch(reject)
  try {
    const how = await promise
    const [first] = found.values()
    return first ?? (how === 'unfinished' ? how : undefined)
  } finally {
    cancelBound()
    cancelSilence()
    subscription.stop()
  }
}

function forgettingKeyOf({ data }: ServerEvent): ForgetfulStream['key'] | undefined {
  const value = data.kind === 'json' ? data.value : undefined
  if (typeof value !== 'object' || value === null) return undefined
  const settings = new Map<string, unknown>(Object.entries(value))
  // Nothing stands before revision 0.
  return forgettingKeys.find((key) => settings.has(key) && settings.get(key) !== 0)
}
