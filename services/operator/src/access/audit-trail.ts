/**
 * Who was shown customers' records: the stream `audit`. Only the root leaves no trace there, who
 * can read the event log itself; the holder of an admin token, and whoever takes a file of an
 * account, with one of its keys or in the dashboard, get an answer when its event is durable, and
 * none without.
 *
 * An export asks for page after page, so the same question within a minute is one event. What is
 * beyond a bound of events in an hour is refused: so nobody fills the log by reading, and nobody
 * reads much without being seen.
 */
import type { Caller } from '@svc/contracts/admin/caller'
import { auditStream } from '@svc/contracts/events/audit'
import { encodeEvent } from '@svc/contracts/events/codec'
import { eventId, type IdSource } from '@svc/contracts/ids'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { Quarantine } from '@svc/contracts/ports/quarantine'
import { limitExceeded, type RateLimit } from '@svc/contracts/ports/rate-limits'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import { MemoryRateLimits } from '@svc/infra/rate-limits/memory-rate-limits'
import { RecentlyUsed } from '@svc/infra/recently-used'
import { FoldedStream } from '@svc/ledger/folded-stream'

/** Of one token, one user, or one key. */
const EVENTS_PER_HOUR_MAX = 2_000
const HOUR_SECONDS = 3_600
/** How long after an event the same question leaves no second event. */
const SAME_QUESTION_MS = 60_000
const QUESTIONS_MAX = 10_000

export interface AuditTrailPorts {
  readonly store: EventStore
  /** Keeps why something was erased, and erases it. */
  readonly texts: Pick<TextStore, 'keep' | 'erase'>
  readonly clock: Clock
  readonly timer: Timer
  readonly ids: IdSource
  /** Told when the stream cannot be relied on. */
  readonly quarantine?: Pick<Quarantine, 'note'>
}

/** What of a question says whose records, and from when to when; null: all of them. */
export type Subject = Readonly<Record<string, string | null>>

export class AuditTrail {
  readonly #ports: AuditTrailPorts
  readonly #stream: FoldedStream
  readonly #perToken: RateLimit
  /** When each question left its event. */
  readonly #questions = new RecentlyUsed<string, number>({ entriesMax: QUESTIONS_MAX })

  constructor(ports: AuditTrailPorts) {
    this.#ports = ports
    this.#stream = new FoldedStream(ports, { stream: auditStream, from: 'end', fold() {} })
    this.#perToken = new MemoryRateLimits().open('audit', EVENTS_PER_HOUR_MAX, HOUR_SECONDS)
  }

  /**
   * Resolves when it is durable that this caller asked this.
   *
   * @throws {ServiceError} `rate_limit_exceeded`, `store_unavailable`
   */
  async record(
    { actor, tokenId }: Pick<Caller, 'actor' | 'tokenId'>,
    operation: string,
    subject: Subject,
  ): Promise<void> {
    if (tokenId === null) return
    const { clock, ids } = this.#ports
    const at = clock.nowMs()
    const question = JSON.stringify([tokenId, operation, subject])
    if (this.#isAskedAgain(question, at)) return
    await this.#take(tokenId)
    const event = { type: 'RecordsRead', data: { operation, subject, at } } as const
    const readId = ids.next('read')
    const origin = { correlationId: readId, causationId: tokenId, actor }
    const encoded = encodeEvent(eventId(readId, event.type), event, origin)
    await this.#stream.append(() => [encoded])
    this.#questions.set(question, at)
  }

  /**
   * Says that the texts of a subject are erased, and erases them. Nothing may be written about it
   * any more: what was on its way would have an event behind this one, and no text.
   *
   * @returns how many texts there were
   * @throws {ServiceError} `store_unavailable`
   */
  async erase({ actor }: Caller, subject: string, reason: string): Promise<number> {
    const { clock, ids, texts } = this.#ports
    const changeId = ids.next('chg')
    await this.#stream.append(async () => {
      const data = { changeId, subject, reason: await texts.keep(changeId, reason) }
      const event = { type: 'SubjectTextsErased', data: { ...data, at: clock.nowMs() } } as const
      const origin = { correlationId: subject, causationId: changeId, actor }
      return [encodeEvent(eventId(changeId, event.type), event, origin)]
    })
    return texts.erase(subject)
  }

  #isAskedAgain(question: string, at: number): boolean {
    const before = this.#questions.get(question)
    return before !== undefined && before <= at && at - before < SAME_QUESTION_MS
  }

  async #take(tokenId: string): Promise<void> {
    const use = await this.#perToken.take(tokenId)
    if (use.allowed) return
    const message =
      `At most ${EVENTS_PER_HOUR_MAX} reads of customers' records are recorded in an hour ` +
      'for one admin token, user or key, and none is answered unrecorded.'
    throw limitExceeded(message, this.#perToken, use)
  }
}
