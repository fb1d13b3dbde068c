/** What can be asked of the server: the arguments and results of `client.ts`. */
import type { ServerEvent } from './server-event.ts'

export type Direction = 'forwards' | 'backwards'

export interface ServerReadStream {
  readonly stream: string
  readonly direction: Direction
  /** Inclusive. Left out: the start, or the end when backwards. */
  readonly from?: number
  readonly limit: number
}

export interface ServerReadAll {
  readonly direction: Direction
  /** The place of an event. Left out: the start, or the end when backwards. */
  readonly from?: bigint
  readonly limit: number
  /**
   * Only the events of streams whose names begin with one of these. The server passes over all
   * others, some 300,000 a second, and says nothing meanwhile.
   */
  readonly streams?: readonly string[]
  /** Of a filtered read forwards: the server says meanwhile how far it has looked. */
  readonly watch?: ReadWatch
}

export interface ReadWatch {
  /** The read ends there at the latest: where the log ended when it began. */
  readonly until: bigint
  /** Told how many more events the filter did not let through. */
  readonly onPassedOver: (events: number) => void
}

export interface SubscriptionListener {
  onEvent(event: ServerEvent): void
  /** The server has taken the subscription: it sends what is appended from now on. */
  onConfirmed?(): void
  /** No later event was there. Servers before 23.10 do not say it. */
  onCaughtUp?(): void
  /** Everything up to here was looked at. Runs ahead of the events: never a place to resume. */
  onProgress?(position: bigint): void
}

export interface ServerSubscription {
  /** Resolves when it was stopped; rejects when it broke off, and never starts again by itself. */
  readonly ended: Promise<void>
  stop(): void
}
