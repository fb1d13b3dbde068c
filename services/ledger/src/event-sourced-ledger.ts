/**
 * The ledger over an event store. Read with `writer.ts`: every method here is a command given to
 * the writer of its account, and the answer that is read from the events.
 */
import {
  accountOfSecret,
  hashSecret,
  lastFour,
  makeSecret,
  SECRET_RANDOM_BYTES,
} from '@svc/contracts/api-key'
import type { AccountCommand } from '@svc/contracts/commands'
import { ServiceError } from '@svc/contracts/errors'
import type { SpendPolicy } from '@svc/contracts/events/account'
import { type IdSource, idTimeMs, isId, makeDerivedId } from '@svc/contracts/ids'
import type { Position } from '@svc/contracts/ports/event-store'
import type { Clock } from '@svc/contracts/ports/time'
import type { UsedKeys } from '@svc/contracts/ports/used-keys'
import { expiredCredit } from './account/credit.ts'
import { type AccountState, grantOfReference } from './account/state.ts'
import { balanceOf, summaryOf } from './account-summary.ts'
import type { AccountWriters } from './account-writers.ts'
import { callerOf, invalidKey } from './authentication.ts'
import { gatewayActor } from './demo-price.ts'
import type {
  Accepted,
  AccountSummary,
  Balance,
  Caller,
  Ledger,
  NewKey,
  NewRequest,
  PublishedPrice,
  RevokedKey,
  Settled,
} from './ledger.ts'
import type { NewPrice, PriceBook } from './pricing.ts'
import type { ReadingPorts } from './recorded-end.ts'
import { shuttingDown } from './refusals.ts'
import { type EndedRequest, Requests } from './requests.ts'
import type { AccountWriter } from './writer/writer.ts'

export interface LedgerParts {
  readonly reading: ReadingPorts
  readonly writers: AccountWriters
  readonly prices: PriceBook
  readonly usedKeys: UsedKeys
  readonly clock: Clock
  readonly ids: IdSource
  readonly randomBytes: (count: number) => Uint8Array
  readonly gatewayId: string
}

export class EventSourcedLedger implements Ledger {
  readonly #parts: LedgerParts
  readonly #actor: string
  readonly #requests: Requests
  #isClosed = false

  constructor(parts: LedgerParts) {
    this.#parts = parts
    this.#actor = gatewayActor(parts.gatewayId)
    this.#requests = new Requests({
      ...parts,
      actor: this.#actor,
      writerOf: (accountId) => this.#writer(accountId),
    })
  }

  async authenticate(secret: string): Promise<Caller> {
    const { clock } = this.#parts
    const accountId = accountOfSecret(secret)
    if (accountId === undefined) throw invalidKey()
    // A key that memory knows will do: a revocation that memory has not heard of is heard of when
    // the request is accepted, because that needs the exact revision of the stream.
    const known = this.knownCaller(secret)
    if (known !== undefined) return known
    const secretHash = hashSecret(secret)
    const writer = this.#writer(accountId)
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

  async recentBalance(accountId: string): Promise<Balance> {
    const { state } = this.#writer(accountId)
    const known = state && balanceOf(state)
    return known !== undefined && known.settled > 0n ? known : this.balance(accountId)
  }

  account(accountId: string): Promise<AccountSummary> {
    return this.#read(accountId, (state) => summaryOf(accountId, state))
  }

  async openAccount(input: Parameters<Ledger['openAccount']>[0]): Promise<string> {
    const accountId = this.#parts.ids.next('acct')
    const { name, spendPolicy = 'standard', actor } = input
    await this.#do(accountId, { type: 'OpenAccount', accountId, name, spendPolicy, actor })
    return accountId
  }

  async setSpendPolicy(accountId: string, spendPolicy: SpendPolicy, actor: string): Promise<void> {
    await this.#do(accountId, { type: 'SetSpendPolicy', spendPolicy, actor })
  }

  /** A payment has one id on this account, whoever delivers it and however often. */
  async grant(accountId: string, grant: Parameters<Ledger['grant']>[1]): Promise<string> {
    const { reference } = grant
    const writer = this.#writer(accountId)
    const grantId =
      reference === null
        ? this.#parts.ids.next('grant')
        : makeDerivedId('grant', idTimeMs(accountId), accountId, reference)
    return writer.submit({
      command: (at) => ({ type: 'GrantCredit', ...grant, grantId, at }),
      result: (_events, state) =>
        (reference === null ? undefined : grantOfReference(state, reference)?.grantId) ?? grantId,
    })
  }

  async createKey(
    accountId: string,
    { name, expiresAt, actor }: Parameters<Ledger['createKey']>[1],
  ): Promise<NewKey> {
    const { ids, randomBytes } = this.#parts
    const writer = this.#writer(accountId)
    const keyId = ids.next('key')
    const secret = makeSecret(accountId, randomBytes(SECRET_RANDOM_BYTES))
    await writer.submit({
      command: (at) => ({
        type: 'CreateApiKey',
        keyId,
        name,
        secretHash: hashSecret(secret),
        lastFour: lastFour(secret),
        expiresAt: expiresAt ?? null,
        actor,
        at,
      }),
      result: () => undefined,
    })
    return { keyId, secret }
  }

  async revokeKey(
    accountId: string,
    keyId: string,
    reason: string,
    actor: string,
  ): Promise<RevokedKey> {
    return this.#writer(accountId).submit({
      command: (at) => ({ type: 'RevokeApiKey', keyId, reason, actor, at }),
      result: (events, state) => {
        const revokedAt = state.keys.get(keyId)?.revokedAt
        if (typeof revokedAt !== 'number') throw new Error(`${keyId} was revoked and is not`)
        return { revokedAt, alreadyRevoked: events.length === 0 }
      },
    })
  }

  currentPrice(model: string, onBundledModel = false): PublishedPrice | null {
    return this.#parts.prices.inForce(model, this.#parts.clock.nowMs(), onBundledModel)
  }

  lookForPrices(): Promise<void> {
    return this.#parts.prices.lookAgain()
  }

  prices(): readonly PublishedPrice[] {
    return this.#parts.prices.all()
  }

  async publishPrice(price: NewPrice): Promise<PublishedPrice> {
    if (this.#isClosed) throw shuttingDown()
    return this.#parts.prices.publish(price)
  }

  newRequestId(): string {
    return this.#parts.ids.next('req')
  }

  accept(accountId: string, request: NewRequest, signal?: AbortSignal): Promise<Accepted> {
    return this.#requests.accept(accountId, request, signal)
  }

  settle(accountId: string, request: EndedRequest): Promise<Settled> {
    return this.#requests.settle(accountId, request)
  }

  fail(accountId: string, requestId: string, reason: string): Promise<void> {
    return this.#requests.fail(accountId, requestId, reason)
  }

  abandon(accountId: string, requestId: string, reason: string): Promise<boolean> {
    return this.#requests.abandon(accountId, requestId, reason)
  }

  idempotent(accountId: string, keyHash: string): ReturnType<Ledger['idempotent']> {
    return this.#requests.idempotent(accountId, keyHash)
  }

  lastPosition(accountId: string): Position | undefined {
    return this.#parts.writers.lastPosition(accountId)
  }

  isRunning(requestId: string): boolean {
    return this.#requests.isRunning(requestId)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#parts.prices.close()
    await this.#parts.writers.close()
  }

  #writer(accountId: string): AccountWriter {
    if (this.#isClosed) throw shuttingDown()
    if (!isId('acct', accountId)) throw noSuchAccount()
    return this.#parts.writers.of(accountId)
  }

  async #do(accountId: string, command: WithoutTime<AccountCommand>): Promise<void> {
    await this.#writer(accountId).submit({
      command: (at) => ({ ...command, at }),
      result: () => undefined,
    })
  }

  /** Reads the newest state; credit that is past its time is booked as expired first. */
  async #read<Result>(accountId: string, view: (state: AccountState) => Result): Promise<Result> {
    const { clock } = this.#parts
    const writer = this.#writer(accountId)
    const look = (state: AccountState) => {
      if (state.accountId === null) throw noSuchAccount()
      return {
        isExpiryDue: expiredCredit(state, clock.nowMs()).events.length > 0,
        result: view(state),
      }
    }
    let seen = await writer.ask(look)
    while (seen.isExpiryDue) {
      seen = await writer.submit({
        command: (at) => ({ type: 'ExpireCredit', actor: this.#actor, at }),
        result: (_events, state) => look(state),
      })
    }
    return seen.result
  }
}

type WithoutTime<Command> = Command extends unknown ? Omit<Command, 'at'> : never

function noSuchAccount(): ServiceError {
  return new ServiceError('not_found', 'There is no such account.')
}
