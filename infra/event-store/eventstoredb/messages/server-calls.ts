/** What can be asked of the server: the arguments and results of `client.ts`. */
import type { ServerEvent } from './server-event.ts'

export type Direction = 'forwards' | 'backwards'

export interface ServerReadStream {
  readonly stream: string
  readonly direction: Direction
  /**
   * The place to begin at, inclusive. Left out, it is the start, or the end when reading backwards.
   */
  readonly from?: number | undefined
  readonly limit: number
}

export interface ServerReadAll {
  readonly direction: Direction
  /** The place of an event. Left out: the start, or the end when backwards. */
  readonly from?: bigint | undefined
  readonly limit: number
  /**
   * Asks only for the events of streams whose names begin with one of these. The server passes over
   * all others, some 300,000 a second, and says nothing meanwhile.
   */
  readonly streams?: readonly string[]
  /** Watches a filtered read forwards: the server says meanwhile how far it has looked. */
  readonly watch?: ReadWatch
}

export interface ReadWatch {
  /** The read ends there at the latest: where the log ended when it began. */
  readonly until: bigint
  /** Is told how many more events the filter did not let through. */
  readonly onPassedOver: (events: number) => void
}

export interface SubscriptionListener {
  onEvent(event: ServerEvent): void
  /** The server has taken the subscription: it sends what is appended from now on. */
  onConfirmed?(): void
  /** Is told that no later event was there. Servers before 23.10 do not say it. */
  onCaughtUp?(): void
  /**
   * Is told that everything up to here was looked at. This runs ahead of the events, so it is never
   * a place to resume.
   */
  onProgress?(position: bigint): void
}

export interface ServerSubscription {
  /** Resolves when it was stopped; rejects when it broke off, and never starts again by itself. */
  readonly ended: Promise<void>
  stop(): void
}
