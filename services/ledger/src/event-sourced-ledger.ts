/**
 * The ledger over an event store. Every method is a command given to the writer of its account
 * (`writer/writer.ts`), and the answer that is read from the events.
 */
import { accountOfSecret } from '@svc/contracts/api-key'
import { hashSecret } from '@svc/contracts/checked-secret'
import type { AccountCommand } from '@svc/contracts/commands'
import { accountFrozen, ServiceError, serverStopping } from '@svc/contracts/errors'
import type { AccountEvent, PriceCorrection } from '@svc/contracts/events/account'
import { gatewayActor } from '@svc/contracts/events/actors'
import type { IdSource } from '@svc/contracts/ids'
import type { Position } from '@svc/contracts/ports/event-store'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock } from '@svc/contracts/ports/time'
import type { UsedKeys } from '@svc/contracts/ports/used-keys'
import { DEFAULT_PRICE_LIST } from '@svc/contracts/price'
import type { RecordedCharges } from '@svc/contracts/recorded-charges'
import { expiredCredit } from './account/credit.ts'
import type { AccountState } from './account/state.ts'
import { balanceOf, summaryOf } from './account-summary.ts'
import { AccountAdministration } from './administration/account-administration.ts'
import type { Administration, RevokedKey } from './administration/administration.ts'
import { DerivedIds } from './administration/derived-ids.ts'
import type { ErasureNotes } from './administration/erasure-notes.ts'
import { callerOf, invalidKey } from './authentication.ts'
import { requestOfKey } from './idempotency-keys.ts'
import type {
  Accepted,
  AccountSummary,
  Balance,
  Caller,
  Ledger,
  NewKey,
  NewRequest,
  PricePublication,
  PublishedPrice,
  Settled,
  WithdrawnPrice,
} from './ledger.ts'
import type { NewPrice, PriceBook, Withdrawal } from './pricing/price-book.ts'
import type { ReadingPorts } from './recorded-end.ts'
import { RequestEnds } from './request-ends.ts'
import { RequestStarts } from './request-starts.ts'
import { RunningRequests } from './running-requests.ts'
import type { AccountWriters } from './writer/account-writers.ts'
import { bookExpiredCredit } from './writer/expired-credit.ts'
import { refuseUnopened } from './writer/refusals.ts'

type EndedRequest = Parameters<Ledger['settle']>[1]

export interface LedgerParts {
  readonly reading: ReadingPorts
  readonly writers: AccountWriters
  readonly prices: PriceBook
  readonly usedKeys: UsedKeys
  readonly charges: RecordedCharges
  readonly texts: TextStore
  readonly erasures: ErasureNotes
  readonly clock: Clock
  readonly ids: IdSource
  readonly randomBytes: (count: number) => Uint8Array
  readonly gatewayId: string
}

export class EventSourcedLedger implements Ledger {
  readonly administration: Administration
  readonly #parts: LedgerParts
  readonly #actor: string
  readonly #running: RunningRequests
  readonly #starts: RequestStarts
  readonly #ends: RequestEnds
  readonly #ids: DerivedIds
  #isClosed = false

  constructor(parts: LedgerParts) {
    this.#parts = parts
    this.#actor = gatewayActor(parts.gatewayId)
    this.#ids = new DerivedIds(parts.ids)
    this.#running = new RunningRequests(parts.clock)
    const shared = { running: this.#running, actor: this.#actor }
    this.#starts = new RequestStarts({ ...parts, ...shared })
    this.#ends = new RequestEnds({ ...parts, ...shared })
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

  balance(accountId: string): Promise<Balance> {
    return this.#read(accountId, balanceOf)
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

  async openAccount(input: Parameters<Ledger['openAccount']>[0]): Promise<string> {
    const { spendPolicy = 'standard', ...rest } = input
    const { accountId } = await this.administration.openAccount({ ...rest, spendPolicy })
    return accountId
  }

  async grant(accountId: string, grant: Parameters<Ledger['grant']>[1]): Promise<string> {
    const { grantId } = await this.administration.grant(accountId, grant)
    return grantId
  }

  async createKey(
    accountId: string,
    { name, expiresAt, actor }: Parameters<Ledger['createKey']>[1],
  ): Promise<NewKey> {
    const terms = { name, expiresAt: expiresAt ?? null, actor }
    const { keyId, secret } = await this.administration.createKey(accountId, terms)
    if (secret === null) throw new Error(`${keyId} is a new key, and was there`)
    return { keyId, secret }
  }

  revokeKey(accountId: string, keyId: string, reason: string, actor: string): Promise<RevokedKey> {
    return this.administration.revokeKey(accountId, { keyId, reason, actor })
  }

  async setPriceList(accountId: string, priceList: string, actor: string): Promise<boolean> {
    const { prices } = this.#parts
    if (priceList !== DEFAULT_PRICE_LIST && !(await prices.isInUse(priceList))) {
      const message = `There is no price on a list "${priceList}": publish one first.`
      throw new ServiceError('invalid_value', message, { param: 'price_list' })
    }
    return this.#do(accountId, { type: 'SetPriceList', priceList, actor })
  }

  priceList(accountId: string): Promise<string> {
    return this.#parts.writers.of(accountId).ask((state) => {
      refuseUnopened(state)
      return state.priceList
    })
  }

  async recentPriceList(accountId: string): Promise<string> {
    return this.#parts.writers.state(accountId)?.priceList ?? this.priceList(accountId)
  }

  currentPrice(
    model: string,
    onBundledModel = false,
    priceList = DEFAULT_PRICE_LIST,
  ): PublishedPrice | null {
    const { prices, clock } = this.#parts
    return prices.inForce({ model, priceList, onBundledModel }, clock.nowMs()) ?? null
  }

  nextPrice(
    model: string,
    onBundledModel = false,
    priceList = DEFAULT_PRICE_LIST,
  ): PublishedPrice | null {
    const { prices, clock } = this.#parts
    return prices.next({ model, priceList, onBundledModel }, clock.nowMs())
  }

  lookForPrices(): Promise<void> {
    return this.#parts.prices.lookAgain()
  }

  isCorrectionRun(runId: string): boolean {
    return this.#parts.prices.isRun(runId)
  }

  prices(): readonly PublishedPrice[] {
    return this.#parts.prices.all()
  }

  async publishPrice(price: NewPrice): Promise<PublishedPrice> {
    if (this.#isClosed) throw serverStopping()
    return (await this.#parts.prices.publish(price)).price
  }

  async publishPriceOnce(price: NewPrice): Promise<PricePublication> {
    if (this.#isClosed) throw serverStopping()
    return this.#parts.prices.publish(price)
  }

  async publishFirstPrice(price: NewPrice): Promise<void> {
    if (this.#isClosed) throw serverStopping()
    return this.#parts.prices.publishFirst(price)
  }

  previewPrice(price: NewPrice): Promise<PublishedPrice | null> {
    return this.#parts.prices.preview(price)
  }

  async withdrawPrice(withdrawal: Withdrawal): Promise<WithdrawnPrice> {
    if (this.#isClosed) throw serverStopping()
    return this.#parts.prices.withdraw(withdrawal)
  }

  previewCorrection(asked: Parameters<Ledger['previewCorrection']>[0]): Promise<PriceCorrection> {
    return this.#parts.prices.previewCorrection(asked)
  }

  async correctPrice({
    idempotencyKey,
    ...asked
  }: Parameters<Ledger['correctPrice']>[0]): Promise<PriceCorrection> {
    if (this.#isClosed) throw serverStopping()
    return this.#parts.prices.correct({ ...asked, runId: this.#ids.run(idempotencyKey) })
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
    this.#isClosed = true
    await Promise.all([this.#parts.prices.close(), this.#parts.writers.close()])
  }

  /** @returns whether anything happened */
  #do(accountId: string, command: WithoutTime<AccountCommand>): Promise<boolean> {
    const result = (events: readonly AccountEvent[]) => events.length > 0
    return this.#parts.writers
      .of(accountId)
      .submit({ command: (at) => ({ ...command, at }), result })
  }

  /** Reads the newest state; credit that is past its time is booked as expired first. */
  async #read<Result>(accountId: string, view: (state: AccountState) => Result): Promise<Result> {
    const { clock } = this.#parts
    const writer = this.#parts.writers.of(accountId)
    const look = (state: AccountState) => {
      refuseUnopened(state)
      return {
        isExpiryDue: expiredCredit(state, clock.nowMs()).events.length > 0,
        result: view(state),
      }
    }
    const { isExpiryDue, result } = await writer.ask(look)
    if (!isExpiryDue) return result
    await bookExpiredCredit(writer, this.#actor)
    return writer.ask(view)
  }
}

type WithoutTime<Command> = Command extends unknown ? Omit<Command, 'at'> : never
