/**
 * Notices that the log has grown, and wakes those who wait for it.
 *
 *     subscribed ── an event of ours ──▶ wake
 *        │  └── an error, an end, or silence though the log grew ──▶ pause ──▶ subscribe again
 *     every second: where does the log end? ── further than before ──▶ wake
 *
 * Nothing but a wake-up call is taken from the subscription of the server: it is dropped when its
 * consumer is slow, ends with every restart, may fall silent, and never comes back by itself. The
 * readers page through the log at their own pace, so that none of this loses, repeats or swaps an
 * event; at worst one is seen a second later.
 */
import { Backoff } from '@svc/contracts/ports/backoff'
import { type Position, START } from '@svc/contracts/ports/event-store'
import { pause } from '@svc/contracts/ports/time'
import { systemTimer } from '../../../system/system-timer.ts'
import type { GrowthSignal } from '../../live-subscription.ts'
import { reasonOf } from '../client/server-failure.ts'
import type { Warn } from '../client/warning.ts'
import type { ServerSubscription, SubscriptionListener } from '../messages/server-calls.ts'

const LOOK_EVERY_MS = 1_000
/** The pauses between two subscriptions. */
const PAUSES = { firstMs: 100, longestMs: 5_000 }

export interface WakeUpSubscriptionPorts {
  readonly growth: GrowthSignal
  /** Subscribes to all our streams, from the end of the log on. */
  subscribe(listener: SubscriptionListener): Promise<ServerSubscription>
  lastPosition(): Promise<Position>
  /** The subscription broke off: another node may answer from now on. */
  onBroken(): void
  readonly warn: Warn
}

export class WakeUpSubscription {
  readonly #ports: WakeUpSubscriptionPorts
  readonly #closing = new AbortController()
  #running: Promise<unknown> | undefined
  #subscription: ServerSubscription | undefined
  /** The place where the log ended at the last look. */
  #seen: Position | undefined
  /** The subscription has reported everything up to here, or could not. */
  #told: Position = START
  #isTroubled = false

  constructor(ports: WakeUpSubscriptionPorts) {
    this.#ports = ports
  }

  /** Begins to follow the log. The first reader calls this. Idempotent. */
  start(): void {
    if (this.#closing.signal.aborted) return
    this.#running ??= Promise.all([this.#staySubscribed(), this.#look()])
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#subscription?.stop()
    await this.#running
  }

  async #staySubscribed(): Promise<void> {
    const { signal } = this.#closing
    const backoff = new Backoff(systemTimer, PAUSES)
    const onConfirmed = (): void => {
      backoff.reset()
      this.#isTroubled = false
    }
    while (!signal.aborted) {
      await this.#followUntilItEnds(onConfirmed)
      await backoff.pause(signal)
    }
  }

  /** Follows until the subscription ends. Never rejects. */
  async #followUntilItEnds(onConfirmed: () => void): Promise<void> {
    const { growth } = this.#ports
    try {
      const subscription = await this.#ports.subscribe({
        onConfirmed: () => {
          onConfirmed()
          // The subscription does not tell what was appended before the server knew of it.
          this.#told = this.#seen ?? START
          growth.notify()
        },
        onEvent: ({ position }) => {
          this.#told = position
          growth.notify()
        },
      })
      this.#subscription = subscription
      if (this.#closing.signal.aborted) subscription.stop()
      await subscription.ended
    } catch (error) {
      this.#ports.onBroken()
      this.#warnOnce(error)
    } finally {
      this.#subscription = undefined
      growth.notify()
    }
  }

  async #look(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      await pause(systemTimer, LOOK_EVERY_MS, signal)
      try {
        this.#compare(await this.#ports.lastPosition())
      } catch {
        // The readers meet the same error, and say so.
      }
    }
  }

  #compare(last: Position): void {
    const seen = this.#seen
    this.#seen = last
    if (seen === undefined) this.#told = last
    // It had all the time since the last look to tell of what was there then.
    else if (this.#told < seen) this.#resubscribe(last)
    if (last !== seen) this.#ports.growth.notify()
  }

  #resubscribe(last: Position): void {
    this.#told = last
    this.#subscription?.stop()
  }

  #warnOnce(error: unknown): void {
    if (this.#isTroubled || this.#closing.signal.aborted) return
    this.#isTroubled = true
    const reason = reasonOf(error)
    this.#ports.warn({ reason }, 'event store subscription ended, resubscribing')
  }
}
