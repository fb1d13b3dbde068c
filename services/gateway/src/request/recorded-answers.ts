/**
 * Answers that are kept so that a retry with the same `Idempotency-Key` is given the same answer.
 * One that is lost does no harm: the retry is then refused with the receipt's id, and is never
 * billed or run twice.
 */
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import type { Clock } from '@svc/contracts/ports/time'

const LIFE_MS = 24 * 3_600_000

export interface RecordedAnswer {
  readonly status: number
  readonly contentType: string
  /** The body as it was sent; for a stream, all of it. */
  readonly body: string
}

export interface RecordedAnswersPorts {
  readonly recordedAnswers: Pick<ExpiringStore, 'load' | 'save'>
  readonly clock: Clock
  readonly reach: ReachCrashPoint
}

export class RecordedAnswers {
  readonly #ports: RecordedAnswersPorts

  constructor(ports: RecordedAnswersPorts) {
    this.#ports = ports
  }

  async save(accountId: string, requestId: string, answer: RecordedAnswer): Promise<void> {
    const { recordedAnswers, clock, reach } = this.#ports
    const { status, contentType, body } = answer
    const text = JSON.stringify({ status, contentType, body })
    reach('recorded-answer.before')
    await recordedAnswers.save(accountId, requestId, text, clock.nowMs() + LIFE_MS)
    reach('recorded-answer.after')
  }

  async load(accountId: string, requestId: string): Promise<RecordedAnswer | undefined> {
    const { recordedAnswers, clock } = this.#ports
    const text = await recordedAnswers.load(accountId, requestId, clock.nowMs())
    // The store gives back what this program gave it: its shape needs no further check.
    return text === undefined ? undefined : (JSON.parse(text) as RecordedAnswer)
  }
}
