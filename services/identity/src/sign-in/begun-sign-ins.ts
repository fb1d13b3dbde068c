/**
 * Keeps what was begun and is to be finished by the same browser: each can be taken once, for some
 * minutes, in the process where it began. When there are too many the oldest gives way.
 */
import type { Clock } from '@svc/contracts/ports/time'

const LIFE_MS = 10 * 60_000
const ENTRIES_MAX = 20_000

interface Entry<Begun> {
  readonly begun: Begun
  readonly endsAt: number
}

export class BegunSignIns<Begun> {
  readonly #clock: Clock
  readonly #max: number
  /** All entries live equally long, so the oldest is the first. */
  readonly #entries = new Map<string, Entry<Begun>>()

  /** @param max how many can be open at once */
  constructor(clock: Clock, max = ENTRIES_MAX) {
    this.#clock = clock
    this.#max = max
  }

  /** @param name that nobody can guess */
  keep(name: string, begun: Begun): void {
    const now = this.#clock.nowMs()
    for (const [oldest, { endsAt }] of this.#entries) {
      if (now < endsAt && this.#entries.size < this.#max) break
      this.#entries.delete(oldest)
    }
    this.#entries.set(name, { begun, endsAt: now + LIFE_MS })
  }

  take(name: string): Begun | undefined {
    const entry = this.#entries.get(name)
    this.#entries.delete(name)
    return entry !== undefined && this.#clock.nowMs() < entry.endsAt ? entry.begun : undefined
  }
}
