import type { Position } from '@svc/contracts/ports/event-store'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { GrowthSignal } from '../../live-subscription.ts'
import type { ServerSubscription, SubscriptionListener } from '../messages/server-calls.ts'
import type { ServerEvent } from '../messages/server-event.ts'
import { WakeUpSubscription } from './wake-up-subscription.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A server whose subscriptions and log a test moves. */
class Server {
  last: Position = 100n
  isAway = false
  readonly warnings: string[] = []
  readonly growth = new GrowthSignal()
  readonly watch: WakeUpSubscription
  subscriptions = 0
  broken = 0
  open: { listener: SubscriptionListener; break(error: Error): void } | undefined

  constructor() {
    this.watch = new WakeUpSubscription({
      growth: this.growth,
      subscribe: async (listener) => this.#subscribe(listener),
      lastPosition: async () => {
        if (this.isAway) throw new Error('away')
        return this.last
      },
      onBroken: () => {
        this.broken += 1
      },
      warn: (_, message) => void this.warnings.push(message),
    })
    this.watch.start()
    this.watch.start()
  }

  tell(position: Position): void {
    this.last = position
    this.open?.listener.onEvent({ position } as ServerEvent)
  }

  /** Whether those who wait are woken up. */
  async wakes(act: () => unknown): Promise<boolean> {
    const seen = this.growth.commits
    await act()
    return this.growth.commits !== seen
  }

  #subscribe(listener: SubscriptionListener): ServerSubscription {
    if (this.isAway) throw new Error('away')
    this.subscriptions += 1
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
    this.open = { listener, break: reject }
    listener.onConfirmed?.()
    const stop = (): void => {
      this.open = undefined
      resolve()
    }
    return { ended, stop }
  }
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('the growth of the log', () => {
  test('wakes at once when the subscription tells of it', async () => {
    const server = new Server()
    await pass(1_500)
    expect(server.subscriptions).toBe(1)
    expect(await server.wakes(() => server.tell(107n))).toBe(true)
    expect(await server.wakes(() => pass(5_000))).toBe(true)
    expect(await server.wakes(() => pass(60_000))).toBe(false)
    expect(server.subscriptions).toBe(1)
    await server.watch.close()
  })

  test('wakes within two looks when the subscription is silent, and subscribes anew', async () => {
    const server = new Server()
    await pass(1_500)
    server.last = 107n
    expect(await server.wakes(() => pass(1_000))).toBe(true)
    expect(server.subscriptions).toBe(1)
    await pass(1_200)
    expect(server.subscriptions).toBe(2)
    await pass(60_000)
    expect(server.subscriptions).toBe(2)
    expect(server.warnings).toEqual([])
    await server.watch.close()
  })

  test('is watched again after the subscription broke, with longer pauses, and one warning', async () => {
    const server = new Server()
    await pass(1_500)
    server.isAway = true
    server.open?.break(new Error('Consumer too slow'))
    await pass(60_000)
    expect(server.broken).toBeGreaterThan(5)
    expect(server.broken).toBeLessThan(30)
    expect(server.warnings).toEqual(['event store subscription ended, resubscribing'])
    server.isAway = false
    expect(await server.wakes(() => pass(5_000))).toBe(true)
    expect(server.subscriptions).toBe(2)
    server.open?.break(new Error('Connection dropped'))
    await pass(200)
    expect(server.subscriptions).toBe(3)
    expect(server.warnings).toHaveLength(2)
    await server.watch.close()
  })

  test('is not watched once it is closed', async () => {
    const server = new Server()
    await pass(1_500)
    await server.watch.close()
    expect(server.open).toBeUndefined()
    server.watch.start()
    await pass(60_000)
    expect(server.subscriptions).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})
