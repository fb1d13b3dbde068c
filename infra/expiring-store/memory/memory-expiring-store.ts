/** An expiring store in memory, for tests and as the smallest example of an adapter. */
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import { responseBounds, SHARE_OF_ACCOUNT_MAX, type StoreBounds } from '../store-bounds.ts'

interface Entry {
  readonly accountId: string
  readonly text: string
  readonly expiresAt: number
  readonly bytes: number
}

export class MemoryExpiringStore implements ExpiringStore {
  /** The entries, the oldest first: a Map keeps the order in which keys were put in. */
  readonly #entries = new Map<string, Entry>()
  readonly #bounds: StoreBounds

  constructor(bounds: StoreBounds = responseBounds) {
    this.#bounds = bounds
  }

  async save(accountId: string, id: string, text: string, expiresAt: number): Promise<void> {
    const key = keyOf(accountId, id)
    this.#entries.delete(key)
    const bytes = Buffer.byteLength(text)
    const { maxAccountBytes, maxTotalBytes } = this.#bounds
    if (bytes > maxAccountBytes * SHARE_OF_ACCOUNT_MAX) return
    this.#entries.set(key, { accountId, text, expiresAt, bytes })
    for (let used = this.#used(); ; used = this.#used()) {
      if ((used.get(accountId) ?? 0) > maxAccountBytes) this.#removeOldestOf(accountId)
      else if (sumOf(used.values()) > maxTotalBytes) this.#removeOldestOf(largestOf(used))
      else return
    }
  }

  async load(accountId: string, id: string, now: number): Promise<string | undefined> {
    const entry = this.#entries.get(keyOf(accountId, id))
    return entry !== undefined && entry.expiresAt > now ? entry.text : undefined
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    return this.#entries.delete(keyOf(accountId, id))
  }

  async removeAll(accountId: string): Promise<number> {
    const own = [...this.#entries].filter(([, entry]) => entry.accountId === accountId)
    for (const [key] of own) this.#entries.delete(key)
    return own.length
  }

  async removeExpired(now: number, limit: number): Promise<number> {
    const expired = [...this.#entries].filter(([, { expiresAt }]) => expiresAt <= now)
    for (const [key] of expired.slice(0, limit)) this.#entries.delete(key)
    return Math.min(expired.length, limit)
  }

  async close(): Promise<void> {}

  /** Bytes by account. */
  #used(): Map<string, number> {
    const used = new Map<string, number>()
    for (const { accountId, bytes } of this.#entries.values()) {
      used.set(accountId, (used.get(accountId) ?? 0) + bytes)
    }
    return used
  }

  #removeOldestOf(accountId: string): void {
    for (const [key, entry] of this.#entries) {
      if (entry.accountId !== accountId) continue
      this.#entries.delete(key)
      return
    }
  }
}

function keyOf(accountId: string, id: string): string {
  return JSON.stringify([accountId, id])
}

function sumOf(values: Iterable<number>): number {
  let sum = 0
  for (const value of values) sum += value
  return sum
}

function largestOf(used: ReadonlyMap<string, number>): string {
  const [[largest] = ['']] = [...used].sort(([, one], [, other]) => other - one)
  return largest
}
