/**
 * Notes who came in and went, for those who audit the service: in the stream `audit`, beside what
 * was read. A sign-in gets its session when its event is durable. Refusals are counted, and written
 * once a minute: whoever guesses passwords cannot fill the log.
 */
import { userActor } from '@svc/contracts/events/actors'
import { type AuditEvent, auditStream, type SignInWay } from '@svc/contracts/events/audit'
import { encodeEvent } from '@svc/contracts/events/codec'
import { eventId, type IdSource } from '@svc/contracts/ids'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import { RecentlyUsed } from '@svc/infra/recently-used'
import { FoldedStream } from '@svc/ledger/folded-stream'

/** An event of a user leaves no second one of the same for this time. */
const SAME_MS = 60_000
const USERS_MAX = 10_000
const REFUSALS_EVERY_MS = 60_000
/** Users whose refusals are told apart in a minute; those of more are among the unknown ones. */
const REFUSED_USERS_MAX = 100

export interface SignInTrailPorts {
  readonly store: EventStore
  readonly clock: Clock
  readonly timer: Timer
  readonly ids: IdSource
  /** Is told of refusals that could not be written; they are tried again with the next. */
  readonly onTrouble: (cause: unknown) => void
}

type OfUser = Extract<AuditEvent, { type: 'UserSignedIn' | 'UserSignedOut' }>

/** A passkey or a linked identity that came or went, without its time. */
export type WayChanged =
  | {
      readonly type: 'PasskeyAdded' | 'PasskeyRemoved'
      readonly data: { readonly userId: string; readonly passkeyId: string }
    }
  | {
      readonly type: 'IdentityLinked' | 'IdentityUnlinked'
      readonly data: { readonly userId: string; readonly issuer: string }
    }

interface Refused {
  count: number
  readonly since: number
}

export class SignInTrail {
  readonly #ports: SignInTrailPorts
  readonly #stream: FoldedStream
  readonly #noted = new RecentlyUsed<string, number>({ entriesMax: USERS_MAX })
  #refused = new Map<string | null, Refused>()
  #cancelWrite: (() => void) | undefined

  constructor(ports: SignInTrailPorts) {
    this.#ports = ports
    this.#stream = new FoldedStream(ports, { stream: auditStream, from: 'end', fold() {} })
  }

  /** Resolves when it is durable. @throws {ServiceError} `store_unavailable` */
  signedIn(userId: string, way: SignInWay): Promise<void> {
    return this.#once(`in ${way} ${userId}`, (at) => {
      return { type: 'UserSignedIn', data: { userId, way, at } }
    })
  }

  /** The same. */
  signedOut(userId: string): Promise<void> {
    return this.#once(`out ${userId}`, (at) => {
      return { type: 'UserSignedOut', data: { userId, at } }
    })
  }

  /** Notes that what a user signs in with has changed. Resolves when that is durable. */
  changed(change: WayChanged): Promise<void> {
    const { type, data } = change
    const event = { type, data: { ...data, at: this.#ports.clock.nowMs() } } as AuditEvent
    return this.#append([event], userActor(data.userId))
  }

  /** @param userId undefined for an address that no user has */
  refused(userId: string | undefined): void {
    const isTold = this.#refused.has(userId ?? null) || this.#refused.size < REFUSED_USERS_MAX
    const who = isTold ? (userId ?? null) : null
    const before = this.#refused.get(who) ?? { count: 0, since: this.#ports.clock.nowMs() }
    this.#refused.set(who, { ...before, count: before.count + 1 })
    this.#cancelWrite ??= this.#ports.timer.after(REFUSALS_EVERY_MS, () => void this.#write())
  }

  /** Writes what was counted and not written yet. */
  async close(): Promise<void> {
    this.#cancelWrite?.()
    await this.#write()
    this.#cancelWrite?.()
  }

  async #once(what: string, eventAt: (at: number) => OfUser): Promise<void> {
    const at = this.#ports.clock.nowMs()
    const before = this.#noted.get(what)
    if (before !== undefined && before <= at && at - before < SAME_MS) return
    const event = eventAt(at)
    await this.#append([event], userActor(event.data.userId))
    this.#noted.set(what, at)
  }

  async #write(): Promise<void> {
    this.#cancelWrite = undefined
    const counted = this.#refused
    if (counted.size === 0) return
    this.#refused = new Map()
    const at = this.#ports.clock.nowMs()
    const events = [...counted].map(
      ([userId, refused]) =>
        ({ type: 'SignInsRefused', data: { userId, ...refused, at } }) as const,
    )
    try {
      await this.#append(events, 'dashboard')
    } catch (cause) {
      this.#putBack(counted)
      this.#ports.onTrouble(cause)
    }
  }

  #putBack(counted: ReadonlyMap<string | null, Refused>): void {
    for (const [who, { count, since }] of counted) {
      this.#refused.set(who, { count: count + (this.#refused.get(who)?.count ?? 0), since })
    }
    this.#cancelWrite ??= this.#ports.timer.after(REFUSALS_EVERY_MS, () => void this.#write())
  }

  #append(events: readonly AuditEvent[], actor: string): Promise<void> {
    const changeId = this.#ports.ids.next('chg')
    const origin = { correlationId: changeId, causationId: changeId, actor }
    const encoded = events.map((event, index) =>
      encodeEvent(eventId(changeId, `${index} ${event.type}`), event, origin),
    )
    return this.#stream.append(() => encoded)
  }
}
