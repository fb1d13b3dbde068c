/** The feed of events to other systems, as operators see it. */
import type { ServiceStatus } from '@svc/contracts/admin/workers'
import type { Position } from '@svc/contracts/ports/event-store'
import type { TopUps } from './top-ups.ts'

export interface FeedState {
  readonly topic: string
  /** Every event up to here was found in the topic. */
  readonly position: Position
  /** The time that the oldest event that is read and not acknowledged has been waiting for it. */
  readonly waitingMs: number
  /** Says in words what keeps the feed from going on; null while all is well. */
  readonly trouble: string | null
  /** Says in words what the topic has lost of what it had acknowledged. */
  readonly lost: string | null
}

export interface Feed {
  /** The payments that come the other way, where a topic of them is named. */
  readonly topUps?: TopUps | undefined
  status(): FeedState
  check(options: {
    readonly signal: AbortSignal
    readonly onProgress: (done: { readonly events: number; readonly records: number }) => void
  }): Promise<FeedComparison>
  /** @returns how many events were sent once more */
  resend(options: {
    readonly from: Position
    readonly key?: string | undefined
    readonly signal: AbortSignal
    readonly onProgress: (events: number) => void
  }): Promise<number>
}

export interface FeedComparison {
  readonly keys: number
  readonly events: number
  readonly records: number
  readonly doubled: number
  readonly late: number
  readonly findings: readonly {
    readonly key: string
    readonly events: number
    readonly missing: number
    readonly firstMissing: Position | null
    readonly isHashWrong: boolean
    readonly isOtherHistory: boolean
  }[]
}

const MS_PER_SECOND = 1_000

/** @param head where the log ends; null while the store does not answer */
export function feedDetails(feed: Feed | undefined, head: Position | null): ServiceStatus['feed'] {
  if (feed === undefined) return null
  const { topic, position, waitingMs, trouble, lost } = feed.status()
  return {
    topic,
    position: `${position}`,
    lag: head === null ? null : `${lagOf(position, head)}`,
    waiting_seconds: Math.floor(waitingMs / MS_PER_SECOND),
    problems: [
      ...(trouble === null ? [] : [`The feed does not go on: ${trouble}`]),
      ...(lost === null ? [] : [`The topic of the feed has lost records: ${lost}`]),
    ],
  }
}

export function lagOf(position: Position, head: Position): bigint {
  return head > position ? head - position : 0n
}
