/**
 * Warnings that one outage gives a hundred times a second: of those that say the same, one line is
 * written in a second, and says how many there were.
 *
 *     first ── written at once ──▶ counting, for a second ──▶ written with the count, if any came …
 */
import { messageOf } from '@svc/contracts/error-message'
import type { Timer } from '@svc/contracts/ports/time'

/** How often the same warning is written at most, in milliseconds. */
const LINE_EVERY_MS = 1_000
/** How many different reasons are counted at a time. Further ones are counted as one. */
const REASONS_MAX = 16
const REASON_CHARACTERS_MAX = 300

interface CountedWarningsPorts {
  readonly logger: { warn(fields: object, message: string): void }
  readonly timer: Timer
}

export class CountedWarnings {
  readonly #ports: CountedWarningsPorts
  /** The warnings that were written in the last second, and how often each came since. */
  readonly #times = new Map<string, number>()

  constructor(ports: CountedWarningsPorts) {
    this.#ports = ports
  }

  /** @param error why; of its causes the innermost is written, in one line and without a stack */
  warn(message: string, error: unknown): void {
    const reason = reasonOf(error)
    const key = `${message}\n${reason.replace(/\d+/g, '')}`
    const known = this.#times.has(key) || this.#times.size < REASONS_MAX
    this.#count(known ? key : message, message, known ? reason : 'several reasons')
  }

  #count(key: string, message: string, reason: string): void {
    const times = this.#times.get(key)
    if (times === undefined) this.#write(key, message, reason, 1)
    else this.#times.set(key, times + 1)
  }

  #write(key: string, message: string, reason: string, times: number): void {
    this.#ports.logger.warn({ reason, times }, message)
    this.#times.set(key, 0)
    this.#ports.timer.after(LINE_EVERY_MS, () => {
      const more = this.#times.get(key) ?? 0
      this.#times.delete(key)
      if (more > 0) this.#write(key, message, reason, more)
    })
  }
}

/** The innermost message of an error and its causes, in one line. */
export function reasonOf(error: unknown): string {
  let inner = error
  while (inner instanceof Error && inner.cause instanceof Error && inner.cause.message !== '') {
    inner = inner.cause
  }
  const text = messageOf(inner)
  return text.replace(/\s+/g, ' ').trim().slice(0, REASON_CHARACTERS_MAX)
}
