/**
 * What operators and customers leave a trace of beside the accounts.
 *
 *     audit          who was shown customers' records, and of what the texts were erased
 *     verifications  who had the log verified, and what was found
 *
 * Reading leaves no trace of the root, who can read the event log itself. The holder of an admin
 * token, and whoever takes a file of an account, with one of its keys or in the dashboard, get an
 * answer when its event is durable, and none without.
 *
 * An export asks for page after page, so the same question within a minute is one event. What is
 * beyond a bound of events in an hour is refused: so nobody fills the log by reading, and nobody
 * reads much without being seen.
 */
import type { Caller } from '@svc/contracts/admin/caller'
import { ServiceError } from '@svc/contracts/errors'
import { auditStream } from '@svc/contracts/events/audit'
import { decodeEvent, decodeMetadata, encodeEvent } from '@svc/contracts/events/codec'
import { type VerificationEvent, verificationsStream } from '@svc/contracts/events/verifications'
import { eventId, type IdSource } from '@svc/contracts/ids'
import { type EventStore, StoreUnavailableError } from '@svc/contracts/ports/event-store'
import type { Quarantine } from '@svc/contracts/ports/quarantine'
import { limitExceeded, type RateLimit } from '@svc/contracts/ports/rate-limits'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import { MemoryRateLimits } from '@svc/infra/rate-limits/memory-rate-limits'
import { RecentlyUsed } from '@svc/infra/recently-used'
import { FoldedStream } from '@svc/ledger/folded-stream'

/** The most events of one token, one user or one key in an hour. */
const EVENTS_PER_HOUR_MAX = 2_000
const HOUR_SECONDS = 3_600
/** The same question leaves no second event for this time after the first. */
const SAME_QUESTION_MS = 60_000
const QUESTIONS_MAX = 10_000

export interface AuditTrailPorts {
  readonly store: EventStore
  /** Keeps why something was erased, and erases it. */
  readonly texts: Pick<TextStore, 'keep' | 'erase'>
  readonly clock: Clock
  readonly timer: Timer
  readonly ids: IdSource
  /** Is told when the stream cannot be relied on. */
  readonly quarantine?: Pick<Quarantine, 'note'>
}

type Verified = VerificationEvent['data']

/**
 * The part of a question that says whose records, and from when to when; null means all of them.
 */
export type Subject = Readonly<Record<string, string | null>>

export class AuditTrail {
  readonly #ports: AuditTrailPorts
  readonly #stream: FoldedStream
  /**
   * The last event of this stream is the last verification, however many reads there were since.
   */
  readonly #verifications: FoldedStream
  readonly #perToken: RateLimit
  /** The time at which each question left its event. */
  readonly #questions = new RecentlyUsed<string, number>({ entriesMax: QUESTIONS_MAX })

  constructor(ports: AuditTrailPorts) {
    this.#ports = ports
    this.#stream = new FoldedStream(ports, { stream: auditStream, from: 'end', fold() {} })
    const verifications = { stream: verificationsStream, from: 'end', fold() {} } as const
    this.#verifications = new FoldedStream(ports, verifications)
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

  /**
   * Keeps what a verification covered and found, for every gateway and beyond every restart.
   *
   * @throws {ServiceError} `rate_limit_exceeded`, `store_unavailable`
   */
  async noteVerification(
    { actor, tokenId }: Pick<Caller, 'actor' | 'tokenId'>,
    verified: Omit<Verified, 'at'>,
  ): Promise<void> {
    if (tokenId !== null) await this.#take(tokenId)
    const { clock, ids } = this.#ports
    const changeId = ids.next('chg')
    const event = { type: 'LogVerified', data: { ...verified, at: clock.nowMs() } } as const
    const origin = { correlationId: changeId, causationId: tokenId ?? changeId, actor }
    const encoded = encodeEvent(eventId(changeId, event.type), event, origin)
    await this.#verifications.append(() => [encoded])
  }

  /**
   * @returns undefined where nobody has verified the log yet
   * @throws {ServiceError} `store_unavailable` when what is kept of it cannot be relied on
   * @throws {StoreUnavailableError} when the store is away
   */
  async lastVerification(): Promise<(Verified & Pick<Caller, 'actor'>) | undefined> {
    const last = { stream: verificationsStream, direction: 'backwards', limit: 1 } as const
    try {
      const [recorded] = await this.#ports.store.readStream(last)
      if (recorded === undefined) return undefined
      const event = decodeEvent(recorded)
      if (event.type !== 'LogVerified') throw new RangeError('it belongs into another stream')
      return { ...event.data, actor: decodeMetadata(recorded).actor }
    } catch (cause) {
      if (cause instanceof StoreUnavailableError) throw cause
      const message = 'What was kept of the last verification cannot be read: verify the log again.'
      throw new ServiceError('store_unavailable', message, { cause })
    }
  }

  #isAskedAgain(question: string, at: number): boolean {
    const before = this.#questions.get(question)
    return before !== undefined && before <= at && at - before < SAME_QUESTION_MS
  }

  async #take(tokenId: string): Promise<void> {
    const use = await this.#perToken.take(tokenId)
    if (use.allowed) return
    const message =
      `At most ${EVENTS_PER_HOUR_MAX} reads of customers' records and verifications are recorded in an hour ` +
      'for one admin token, user or key, and none is answered unrecorded.'
    throw limitExceeded(message, this.#perToken, use)
  }
}
