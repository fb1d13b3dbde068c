/**
 * The ledger over an event store. A method gives a command to the writer of its account
 * (`writer/writer.ts`), and makes its answer of the events that come back.
 */
import { accountOfSecret } from '@svc/contracts/api-key'
import { hashSecret } from '@svc/contracts/checked-secret'
import { accountFrozen } from '@svc/contracts/errors'
import { gatewayActor } from '@svc/contracts/events/actors'
import type { IdSource } from '@svc/contracts/ids'
import type { Position } from '@svc/contracts/ports/event-store'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock } from '@svc/contracts/ports/time'
import type { UsedKeys } from '@svc/contracts/ports/used-keys'
import type { RecordedCharges } from '@svc/contracts/recorded-charges'
import { expiredCredit } from './account/credit.ts'
import type { AccountState } from './account/state.ts'
import { balanceOf, creditOf, summaryOf } from './account-summary.ts'
import { AccountAdministration } from './administration/account-administration.ts'
import type { Administration } from './administration/administration.ts'
import type { ErasureNotes } from './administration/erasure-notes.ts'
import { callerOf, invalidKey } from './authentication.ts'
import { requestOfKey } from './idempotency-keys.ts'
import type {
  Accepted,
  AccountCredit,
  AccountSummary,
  Balance,
  Caller,
  EndedRequest,
  Ledger,
  NewRequest,
  Settled,
} from './ledger.ts'
import type { PriceBook } from './pricing/price-book.ts'
import type { Pricing } from './pricing/pricing.ts'
import type { ReadingPorts } from './recorded-end.ts'
import { RequestEnds } from './request-ends.ts'
import { RequestStarts } from './request-starts.ts'
import { RunningRequests } from './running-requests.ts'
import type { AccountWriters } from './writer/account-writers.ts'
import { writeOffExpiredCredit } from './writer/expired-credit.ts'
import { refuseUnopened } from './writer/refusals.ts'

export interface LedgerParts {
  readonly reading: ReadingPorts
  readonly writers: AccountWriters
  readonly prices: PriceBook
  readonly usedKeys: UsedKeys
  readonly charges: RecordedCharges
  readonly texts: TextStore
  readonly erasures: ErasureNotes
  readonly clock: Clock
  readonly steadyClock: Clock
  readonly ids: IdSource
  readonly randomBytes: (count: number) => Uint8Array
  readonly gatewayId: string
}

export class EventSourcedLedger implements Ledger {
  readonly administration: Administration
  readonly pricing: Pricing
  readonly #parts: LedgerParts
  readonly #actor: string
  readonly #running: RunningRequests
  readonly #starts: RequestStarts
  readonly #ends: RequestEnds

  constructor(parts: LedgerParts) {
    this.#parts = parts
    this.#actor = gatewayActor(parts.gatewayId)
    this.#running = new RunningRequests(parts.steadyClock)
    const shared = { running: this.#running, actor: this.#actor }
    this.#starts = new RequestStarts({ ...parts, ...shared })
    this.#ends = new RequestEnds({ ...parts, ...shared })
    this.pricing = parts.prices
    this.administration = new AccountAdministration(parts)
  }

  async authenticate(secret: string): Promise<Caller> {
    const { clock } = this.#parts
    const accountId = accountOfSecret(secret)
    if (accountId === undefined) throw invalidKey()
    // A key in the cached state is enough: a revocation that this state lacks refuses the request
    // at its acceptance, which needs the exact revision of the stream.
    const known = this.knownCaller(secret)
    if (known !== undefined) return known
    const secretHash = hashSecret(secret)
    const writer = this.#parts.writers.of(accountId)
    const caller = await writer.ask((state) => callerOf(state, secretHash, clock.nowMs()))
    if (caller === undefined) throw invalidKey()
    return caller
  }

  knownCaller(secret: string): Caller | undefined {
    const accountId = accountOfSecret(secret)
    const state = accountId === undefined ? undefined : this.#parts.writers.state(accountId)
    return state && callerOf(state, hashSecret(secret), this.#parts.clock.nowMs())
  }

  balance(accountId: string): Promise<AccountCredit> {
    return this.#read(accountId, creditOf)
  }

  hasKnownCredit(accountId: string): boolean {
    const state = this.#parts.writers.state(accountId)
    return state?.frozenAt === null && balanceOf(state).settled > 0n
  }

  async recentBalance(accountId: string): Promise<Balance> {
    const { state } = this.#parts.writers.of(accountId)
    if (state !== undefined && this.hasKnownCredit(accountId)) return balanceOf(state)
    return this.#read(accountId, (newest) => {
      if (newest.frozenAt !== null) throw accountFrozen()
      return balanceOf(newest)
    })
  }

  account(accountId: string): Promise<AccountSummary> {
    return this.#read(accountId, (state) => summaryOf(accountId, state))
  }

  async lookAgain(accountId: string): Promise<void> {
    if (this.lastPosition(accountId) !== undefined)
      await this.#parts.writers.of(accountId).ask(() => {})
  }

  isKnownFrozen(accountId: string): boolean {
    return (this.#parts.writers.state(accountId)?.frozenAt ?? null) !== null
  }

  priceList(accountId: string): Promise<string> {
    return this.#parts.writers.of(accountId).ask((state) => {
      refuseUnopened(state, accountId)
      return state.priceList
    })
  }

  async recentPriceList(accountId: string): Promise<string> {
    return this.#parts.writers.state(accountId)?.priceList ?? this.priceList(accountId)
  }

  newRequestId(): string {
    return this.#parts.ids.next('req')
  }

  accept(accountId: string, request: NewRequest, signal?: AbortSignal): Promise<Accepted> {
    return this.#starts.accept(accountId, request, signal)
  }

  settle(accountId: string, request: EndedRequest): Promise<Settled> {
    return this.#ends.settle(accountId, request)
  }

  fail(accountId: string, requestId: string, reason: string): Promise<void> {
    return this.#ends.fail(accountId, requestId, reason)
  }

  abandon(accountId: string, requestId: string, reason: string): Promise<boolean> {
    return this.#ends.abandon(accountId, requestId, reason)
  }

  idempotent(accountId: string, keyHash: string): ReturnType<Ledger['idempotent']> {
    return requestOfKey(this.#parts.writers.of(accountId), this.#parts.usedKeys, keyHash)
  }

  lastPosition(accountId: string): Position | undefined {
    return this.#parts.writers.lastPosition(accountId)
  }

  isRunning(requestId: string): boolean {
    return this.#running.has(requestId)
  }

  async close(): Promise<void> {
    await Promise.all([this.#parts.prices.close(), this.#parts.writers.close()])
  }

  /** Reads the newest state. Writes off expired credit first, so that no answer counts it. */
  async #read<Result>(accountId: string, view: (state: AccountState) => Result): Promise<Result> {
    const { clock } = this.#parts
    const writer = this.#parts.writers.of(accountId)
    const look = (state: AccountState) => {
      refuseUnopened(state, accountId)
      return {
        isExpiryDue: expiredCredit(state, clock.nowMs()).events.length > 0,
        result: view(state),
      }
    }
    const { isExpiryDue, result } = await writer.ask(look)
    if (!isExpiryDue) return result
    await writeOffExpiredCredit(writer, this.#actor)
    return writer.ask(view)
  }
}
