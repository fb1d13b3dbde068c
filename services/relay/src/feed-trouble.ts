/** What keeps the feed from being sent: since when, and what the log was told of it. */
import { messageOf } from '@svc/contracts/error-message'
import type { Clock } from '@svc/contracts/ports/time'

export interface FeedTroublePorts {
  readonly topic: string
  readonly clock: Clock
  readonly log: {
    warn(fields: object, message: string): void
    error(fields: object, message: string): void
  }
}

export class FeedTrouble {
  readonly #ports: FeedTroublePorts
  #words: string | null = null
  #sinceMs: number | undefined
  /** Whether the trouble is in the log, and its end is not. */
  #isLogged = false

  constructor(ports: FeedTroublePorts) {
    this.#ports = ports
  }

  /** The message of the last error, until {@link end}. Null when there is none. */
  get words(): string | null {
    return this.#words
  }

  /** When the trouble began, in milliseconds since 1970; undefined while there is none. */
  get sinceMs(): number | undefined {
    return this.#sinceMs
  }

  /**
   * Notes an error, and logs it unless the last one had the same message.
   *
   * @param waitingSinceMs when the oldest event was read that waits for the bus. Default: now
   */
  note(error: unknown, waitingSinceMs: number | undefined): void {
    const words = messageOf(error)
    this.#sinceMs ??= waitingSinceMs ?? this.#ports.clock.nowMs()
    if (words === this.#words) return
    this.#words = words
    this.#logProblem(words)
  }

  /** Events get through again. The log says so at the next {@link logChange}. */
  end(): void {
    this.#sinceMs = undefined
    this.#words = null
  }

  /**
   * Logs trouble that no error told of, and the end of any trouble. A delivery that the bus keeps
   * retrying is such trouble: only the topic knows of it.
   *
   * @param problem what is wrong now, wherever it was noticed; null when nothing is
   */
  logChange(problem: string | null): void {
    if (problem !== null) {
      if (!this.#isLogged) this.#logProblem(problem)
      return
    }
    if (!this.#isLogged) return
    this.#isLogged = false
    const { topic, log } = this.#ports
    log.warn({ topic }, 'the feed is sent again')
  }

  #logProblem(problem: string): void {
    this.#isLogged = true
    const { topic, log } = this.#ports
    log.error({ topic, problem }, 'the feed cannot be sent, retrying')
  }
}
