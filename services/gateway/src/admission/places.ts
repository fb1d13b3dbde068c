/**
 * Who runs and who waits. A request takes a place before its body is read and gives it back when it
 * has ended. Places are shared by rules that no caller can bend:
 *
 *     a key has requestsPerKey of them, its account requestsPerAccount, all have requestsInFlight
 *     an account that is alone may have more: what nobody else asks for would be wasted
 *     a request beyond them waits in the queue of its account; the accounts take turns, by weight
 *     a full queue of the account turns the newcomer away; when the queues together are full, the
 *     newest of the longest queue has to go, whoever comes
 *
 * What waits costs a socket and no memory: its body stays where it is. The place counts the body
 * too, so that neither an account nor all of them hold more bytes than they may.
 */
import { accountFrozen, serverStopping } from '@svc/contracts/errors'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import { within } from '@svc/contracts/ports/within'
import type { RecentTenants } from '@svc/infra/turns/recent-tenants'
import type { HttpLimits } from '../http/limits.ts'
import { tooMany, tooManyOfAll } from './admission-errors.ts'
import { AccountPlaces, Visit, type Visitor } from './visit.ts'

export type PlaceBounds = Pick<
  HttpLimits,
  | 'requestsPerKey'
  | 'requestsPerAccount'
  | 'requestsInFlight'
  | 'waitingPerAccount'
  | 'waitingRequests'
  | 'waitMs'
  | 'smallBodyBytes'
  | 'bodyBytesPerAccount'
  | 'bodyBytesInFlight'
>

/** The bounds of one account. */
export type OwnBounds = Pick<PlaceBounds, 'requestsPerKey' | 'requestsPerAccount'>

export interface PlacesOptions {
  readonly bounds: PlaceBounds
  /** What an account may have while it is alone, and who tells. Left out: no more than others. */
  readonly alone?: { readonly bounds: OwnBounds; readonly recent: RecentTenants }
  readonly timer: Timer
  readonly clock: Clock
  /** Turns in a row by account; 1 for an account without an entry. */
  readonly weights?: ReadonlyMap<string, number> | undefined
}

export class Places {
  readonly #options: PlacesOptions
  readonly #bounds: PlaceBounds
  readonly #accounts = new Map<string, AccountPlaces>()
  /** Accounts that wait, in the order of their turns: the first is next. */
  readonly #turns = new Set<AccountPlaces>()
  readonly #visits = new Set<Visit>()
  #running = 0
  #waiting = 0
  /** Bytes of bodies that are not small. Small ones are bounded by the number of places. */
  #largeBodyBytes = 0
  #isClosed = false
  #onIdle: () => void = () => {}

  constructor(options: PlacesOptions) {
    this.#options = options
    this.#bounds = options.bounds
  }

  /** Requests that have a place. */
  get count(): number {
    return this.#visits.size
  }

  get waiting(): number {
    return this.#waiting
  }

  /**
   * @returns a visit whose `admitted` resolves when it has its place; `leave` must be called
   * @throws {ServiceError} 429 when the account has as much under way as it may, 503 when all have
   */
  enter(visitor: Visitor): Visit {
    if (this.#isClosed) throw serverStopping()
    this.#options.alone?.recent.came(visitor.accountId)
    // An account that has become alone may have more than when they began to wait.
    this.#startWaiting()
    const visit = new Visit(this.#accountOf(visitor.accountId), visitor, this)
    if (this.#hasRoom(visit)) this.#start(visit)
    else this.#queue(visit)
    return visit
  }

  /** Ends a visit, whether it runs or waits. Without effect on one that has ended. */
  leave(visit: Visit): void {
    const { account, state } = visit
    if (state === 'ended') return
    if (state === 'waiting') this.#unqueue(visit)
    else this.#giveBack(visit)
    visit.state = 'ended'
    visit.admit()
    if (account.isEmpty) this.#accounts.delete(account.accountId)
    this.#startWaiting()
    if (this.#visits.size === 0) this.#onIdle()
  }

  /** The body is there: what it was given beyond that is free. */
  bodyRead(visit: Visit, bytes: number): void {
    if (visit.state === 'ended' || bytes >= visit.bodyBytes) return
    this.#countBytes(visit, -1)
    visit.bodyBytes = bytes
    this.#countBytes(visit, 1)
    this.#startWaiting()
  }

  /** Frees the place for others while the request waits for something of its own account. */
  async aside<Result>(visit: Visit, work: () => Promise<Result>): Promise<Result> {
    if (visit.state !== 'running') return work()
    visit.state = 'aside'
    this.#running -= 1
    this.#startWaiting()
    try {
      return await work()
    } finally {
      this.#return(visit)
    }
  }

  /** Accounts that have a request under way, whether it runs or waits. */
  get accountIds(): readonly string[] {
    return [...this.#accounts.keys()]
  }

  /** Ends what an account has under way: what runs is stopped, what waits is refused. */
  freeze(accountId: string): void {
    const waiting = this.#accounts.get(accountId)?.waiting ?? []
    for (const visit of [...waiting]) visit.refuse(accountFrozen())
    for (const { account, stop } of this.#visits) {
      if (account.accountId === accountId) stop.stop('account_frozen')
    }
  }

  /** Stops those that run, turns those away that wait, and lets nobody else in. */
  stopAll(): void {
    this.turnAway()
    for (const { stop } of [...this.#visits]) stop.stop('shutting_down')
  }

  /** Lets nobody in any more, and refuses those who wait. */
  turnAway(): void {
    this.#isClosed = true
    for (const account of [...this.#turns]) {
      for (const visit of [...account.waiting]) visit.refuse(serverStopping())
    }
  }

  /** Resolves when nothing runs, or to false when the time is over before that. */
  idle(timeoutMs: number): Promise<boolean> {
    if (this.#visits.size === 0) return Promise.resolve(true)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#onIdle = () => resolve(true)
    return within(this.#options.timer, timeoutMs, promise, false)
  }

  #accountOf(accountId: string): AccountPlaces {
    const weight = this.#options.weights?.get(accountId) ?? 1
    return this.#accounts.get(accountId) ?? new AccountPlaces(accountId, weight)
  }

  #hasRoom(visit: Visit): boolean {
    return this.#accountHasRoom(visit) && this.#allHaveRoom(visit)
  }

  /** A body that is larger than all that an account may have is let in alone. */
  #accountHasRoom({ account, keyId, bodyBytes }: Visit): boolean {
    const { requestsPerAccount, requestsPerKey } = this.#boundsOf(account)
    const { bodyBytesPerAccount } = this.#bounds
    const held = account.bodyBytes
    return (
      account.running < requestsPerAccount &&
      account.runningOf(keyId) < requestsPerKey &&
      (held === 0 || held + bodyBytes <= bodyBytesPerAccount)
    )
  }

  #boundsOf({ accountId }: AccountPlaces): OwnBounds {
    const { alone } = this.#options
    return alone === undefined || alone.recent.othersThan(accountId) ? this.#bounds : alone.bounds
  }

  #allHaveRoom({ bodyBytes }: Visit): boolean {
    const { requestsInFlight, smallBodyBytes, bodyBytesInFlight } = this.#bounds
    const held = this.#largeBodyBytes
    return (
      this.#running < requestsInFlight &&
      (bodyBytes <= smallBodyBytes || held === 0 || held + bodyBytes <= bodyBytesInFlight)
    )
  }

  #start(visit: Visit): void {
    visit.state = 'running'
    visit.startedAtMs = this.#options.clock.nowMs()
    visit.account.begin(visit.keyId)
    this.#accounts.set(visit.account.accountId, visit.account)
    this.#running += 1
    this.#visits.add(visit)
    this.#countBytes(visit, 1)
    visit.admit()
  }

  #giveBack(visit: Visit): void {
    const heldMs = this.#options.clock.nowMs() - visit.startedAtMs
    visit.account.end(visit.keyId, heldMs)
    if (visit.state === 'running') this.#running -= 1
    this.#visits.delete(visit)
    this.#countBytes(visit, -1)
  }

  /** It has run before: its place is taken again, also when others have taken theirs meanwhile. */
  #return(visit: Visit): void {
    if (visit.state !== 'aside') return
    visit.state = 'running'
    this.#running += 1
  }

  #countBytes({ account, bodyBytes }: Visit, sign: 1 | -1): void {
    account.bodyBytes += sign * bodyBytes
    if (bodyBytes > this.#bounds.smallBodyBytes) this.#largeBodyBytes += sign * bodyBytes
  }

  #queue(visit: Visit): void {
    const { account } = visit
    const { waitingPerAccount, waitingRequests, waitMs } = this.#bounds
    if (account.waiting.length >= waitingPerAccount) throw this.#refusalOf(visit)
    if (this.#waiting >= waitingRequests) this.#makeRoomFor(visit)
    account.waiting.push(visit)
    this.#accounts.set(account.accountId, account)
    this.#turns.add(account)
    this.#waiting += 1
    visit.cancelTimeout = this.#options.timer.after(waitMs, () =>
      visit.refuse(this.#refusalOf(visit)),
    )
  }

  #makeRoomFor(visit: Visit): void {
    // Nobody has to leave for a newcomer whose account would then have as many waiting.
    let length = visit.account.waiting.length + 1
    let newest: Visit | undefined
    for (const { waiting } of this.#turns) {
      if (waiting.length <= length) continue
      length = waiting.length
      newest = waiting.at(-1)
    }
    if (newest === undefined) throw this.#refusalOf(visit)
    newest.refuse(this.#refusalOf(newest))
  }

  #unqueue(visit: Visit): void {
    const { account } = visit
    account.waiting.splice(account.waiting.indexOf(visit), 1)
    if (account.waiting.length === 0) this.#turns.delete(account)
    this.#waiting -= 1
    visit.cancelTimeout()
  }

  #startWaiting(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#unqueue(next)
      this.#start(next)
    }
  }

  /** The oldest that may run of the account whose turn it is. Who may not run loses no turn. */
  #next(): Visit | undefined {
    if (this.#running >= this.#bounds.requestsInFlight) return undefined
    for (const account of this.#turns) {
      if (account.running >= this.#boundsOf(account).requestsPerAccount) continue
      const visit = account.waiting.find((waiting) => this.#hasRoom(waiting))
      if (visit === undefined) continue
      if (account.takeTurn()) {
        this.#turns.delete(account)
        this.#turns.add(account)
      }
      return visit
    }
    return undefined
  }

  /** Whose bound it was: the account's own is 429, that of all is 503. */
  #refusalOf(visit: Visit) {
    const { account } = visit
    if (this.#accountHasRoom(visit)) return tooManyOfAll(account.waitSeconds(1))
    const { requestsPerAccount, requestsPerKey } = this.#boundsOf(account)
    const isKey = account.runningOf(visit.keyId) >= requestsPerKey
    const bound = isKey ? requestsPerKey : requestsPerAccount
    return tooMany(isKey ? 'key' : 'account', bound, account.waitSeconds(bound))
  }
}
