/** One request and its place, and what its account has under way. */
import type { ServiceError } from '@svc/contracts/errors'
import type { FastifyReply } from 'fastify'
import { Stop } from './stop.ts'

/** Weight of the newest request in the moving average of how long requests take. */
const NEWEST_SHARE = 0.2
/** Clients obey any Retry-After: a wait that was estimated badly must not last. */
const WAIT_SECONDS_MAX = 30

export interface Visitor {
  readonly accountId: string
  readonly keyId: string
  /** The most that its body can have. */
  readonly bodyBytes: number
}

/** Who gives places out, as the visit that has one sees it. */
interface PlaceKeeper {
  leave(visit: Visit): void
  bodyRead(visit: Visit, bytes: number): void
  aside<Result>(visit: Visit, work: () => Promise<Result>): Promise<Result>
}

/** The place of one request, as whoever answers the request sees it. */
export interface Place {
  readonly stop: Stop
  /**
   * Resolves when the request has its place, or has left. @throws {ServiceError} when it is turned
   * away after a wait
   */
  readonly admitted: Promise<void>
  /** Whether it was given back. */
  readonly hasLeft: boolean
  /** Gives the place back. Called again it does nothing. */
  leave(): void
  /** Says how long the body is, now that it was read. */
  bodyRead(bytes: number): void
  /** Does work that may wait for others of the same account, holding no place of other accounts. */
  aside<Result>(work: () => Promise<Result>): Promise<Result>
}

/**
 *     waiting ──a place is free──▶ running ⇄ aside ──▶ ended
 *        └──refused, left──────────────────────────────▶
 */
type VisitState = 'waiting' | 'running' | 'aside' | 'ended'

export class Visit implements Place {
  readonly account: AccountPlaces
  readonly keyId: string
  readonly stop = new Stop()
  state: VisitState = 'waiting'
  /** What its body can have at most, and once it was read, what it has. */
  bodyBytes: number
  startedAtMs = 0
  cancelTimeout: () => void = () => {}
  readonly #places: PlaceKeeper
  readonly #admission = Promise.withResolvers<void>()

  constructor(account: AccountPlaces, { keyId, bodyBytes }: Visitor, places: PlaceKeeper) {
    this.account = account
    this.keyId = keyId
    this.bodyBytes = bodyBytes
    this.#places = places
    // A client that left gets no error: nobody awaits this.
    this.#admission.promise.catch(() => {})
  }

  get admitted(): Promise<void> {
    return this.#admission.promise
  }

  get hasLeft(): boolean {
    return this.state === 'ended'
  }

  leave(): void {
    this.#places.leave(this)
  }

  bodyRead(bytes: number): void {
    this.#places.bodyRead(this, bytes)
  }

  aside<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#places.aside(this, work)
  }

  refuse(error: ServiceError): void {
    this.#admission.reject(error)
    this.leave()
  }

  admit(): void {
    this.#admission.resolve()
  }
}

/** Resolves when the request has its place, or its client has left while it waited. */
export async function untilAdmitted(place: Place, reply: FastifyReply): Promise<void> {
  await place.admitted
  // Nobody is there to be answered.
  if (place.hasLeft) reply.hijack()
}

export class AccountPlaces {
  readonly accountId: string
  readonly waiting: Visit[] = []
  running = 0
  bodyBytes = 0
  readonly #weight: number
  #turnsLeft: number
  readonly #perKey = new Map<string, number>()
  /** About how long its requests hold a place. */
  #holdMs = 0

  /** @param weight turns in a row */
  constructor(accountId: string, weight: number) {
    this.accountId = accountId
    this.#weight = weight
    this.#turnsLeft = weight
  }

  get isEmpty(): boolean {
    return this.running === 0 && this.waiting.length === 0
  }

  runningOf(keyId: string): number {
    return this.#perKey.get(keyId) ?? 0
  }

  begin(keyId: string): void {
    this.running += 1
    this.#perKey.set(keyId, this.runningOf(keyId) + 1)
  }

  end(keyId: string, heldMs: number): void {
    this.running -= 1
    const rest = this.runningOf(keyId) - 1
    if (rest === 0) this.#perKey.delete(keyId)
    else this.#perKey.set(keyId, rest)
    this.#holdMs += (heldMs - this.#holdMs) * (this.#holdMs === 0 ? 1 : NEWEST_SHARE)
  }

  /** @returns whether it was the last of its turns in a row */
  takeTurn(): boolean {
    this.#turnsLeft -= 1
    if (this.#turnsLeft > 0) return false
    this.#turnsLeft = this.#weight
    return true
  }

  /** About how long until one more would have its turn, in whole seconds, at least one. */
  waitSeconds(places: number): number {
    const ms = (this.#holdMs * (this.waiting.length + 1)) / Math.max(1, places)
    return Math.min(WAIT_SECONDS_MAX, Math.max(1, Math.ceil(ms / 1_000)))
  }
}
