/** Stored responses in memory, for tests and as the smallest example of an adapter. */
import type { StoredResponses } from '@svc/contracts/stored-responses'
import {
  defaultResponseBounds,
  MAX_SHARE_OF_ACCOUNT,
  type ResponseBounds,
} from '../response-bounds.ts'

interface Entry {
  readonly accountId: string
  readonly body: string
  readonly expiresAt: number
  readonly bytes: number
}

export class MemoryStoredResponses implements StoredResponses {
  /** Oldest first: a Map keeps the order in which keys were put in. */
  readonly #entries = new Map<string, Entry>()
  readonly #bounds: ResponseBounds

  constructor(bounds: ResponseBounds = defaultResponseBounds) {
    this.#bounds = bounds
  }

  async save(
    accountId: string,
    responseId: string,
    body: string,
    expiresAt: number,
  ): Promise<void> {
    const key = keyOf(accountId, responseId)
    this.#entries.delete(key)
    const bytes = Buffer.byteLength(body)
    const { maxAccountBytes, maxTotalBytes } = this.#bounds
    if (bytes > maxAccountBytes * MAX_SHARE_OF_ACCOUNT) return
    this.#entries.set(key, { accountId, body, expiresAt, bytes })
    this.#shrink(maxAccountBytes, (entry) => entry.accountId === accountId)
    this.#shrink(maxTotalBytes, () => true)
  }

  async load(accountId: string, responseId: string, now: number): Promise<string | undefined> {
    const entry = this.#entries.get(keyOf(accountId, responseId))
    return entry !== undefined && entry.expiresAt > now ? entry.body : undefined
  }

  async remove(accountId: string, responseId: string): Promise<boolean> {
    return this.#entries.delete(keyOf(accountId, responseId))
  }

  async removeExpired(now: number, limit: number): Promise<number> {
    const expired = [...this.#entries].filter(([, { expiresAt }]) => expiresAt <= now)
    for (const [key] of expired.slice(0, limit)) this.#entries.delete(key)
    return Math.min(expired.length, limit)
  }

  async close(): Promise<void> {}

  #shrink(maxBytes: number, counts: (entry: Entry) => boolean): void {
    const counted = [...this.#entries].filter(([, entry]) => counts(entry))
    let total = counted.reduce((sum, [, { bytes }]) => sum + bytes, 0)
    for (const [key, { bytes }] of counted) {
      if (total <= maxBytes) return
      this.#entries.delete(key)
      total -= bytes
    }
  }
}

function keyOf(accountId: string, responseId: string): string {
  return JSON.stringify([accountId, responseId])
}
