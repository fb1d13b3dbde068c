/** Recorded answers in memory, for tests and as the smallest example of an adapter. */
import type { RecordedAnswer, RecordedAnswers } from '@svc/contracts/recorded-answers'
import { DEFAULT_MAX_TOTAL_BYTES, MAX_SHARE_OF_TOTAL } from '../answer-bounds.ts'

interface Entry {
  readonly answer: RecordedAnswer
  readonly expiresAt: number
  readonly bytes: number
}

export class MemoryRecordedAnswers implements RecordedAnswers {
  /** Oldest first: a Map keeps the order in which keys were put in. */
  readonly #entries = new Map<string, Entry>()
  readonly #maxTotalBytes: number
  #totalBytes = 0

  constructor(maxTotalBytes: number = DEFAULT_MAX_TOTAL_BYTES) {
    this.#maxTotalBytes = maxTotalBytes
  }

  async save(
    accountId: string,
    requestId: string,
    answer: RecordedAnswer,
    expiresAt: number,
  ): Promise<void> {
    const key = keyOf(accountId, requestId)
    this.#remove(key)
    const bytes = Buffer.byteLength(answer.body)
    if (bytes > this.#maxTotalBytes * MAX_SHARE_OF_TOTAL) return
    this.#entries.set(key, { answer, expiresAt, bytes })
    this.#totalBytes += bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#totalBytes <= this.#maxTotalBytes) break
      this.#remove(oldest)
    }
  }

  async load(
    accountId: string,
    requestId: string,
    now: number,
  ): Promise<RecordedAnswer | undefined> {
    const entry = this.#entries.get(keyOf(accountId, requestId))
    return entry !== undefined && entry.expiresAt > now ? entry.answer : undefined
  }

  async removeExpired(now: number, limit: number): Promise<number> {
    const expired = [...this.#entries].filter(([, { expiresAt }]) => expiresAt <= now)
    for (const [key] of expired.slice(0, limit)) this.#remove(key)
    return Math.min(expired.length, limit)
  }

  async close(): Promise<void> {}

  #remove(key: string): void {
    this.#totalBytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }
}

function keyOf(accountId: string, requestId: string): string {
  return JSON.stringify([accountId, requestId])
}
