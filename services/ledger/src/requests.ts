/** Requests through the ledger: accepted, run by this process, ended. */
import type { AccountCommand } from '@svc/contracts/commands'
import { ServiceError } from '@svc/contracts/errors'
import type { AccountEvent, AccountEventOf, AccountEventType } from '@svc/contracts/events/account'
import { StoreUnavailableError } from '@svc/contracts/ports/event-store'
import type { Clock } from '@svc/contracts/ports/time'
import type { UsedKey, UsedKeys } from '@svc/contracts/ports/used-keys'
import type { AccountState } from './account/state.ts'
import { refusalOfUsedKey } from './account/used-key.ts'
import type { Accepted, Ledger, NewRequest, Settled } from './ledger.ts'
import type { PriceBook } from './pricing.ts'
import { findRecordedEnd, type ReadingPorts, type RecordedEnd } from './recorded-end.ts'
import { defect, serviceErrorOf, storeUnavailable } from './refusals.ts'
import { RunningRequests } from './running-requests.ts'
import type { AccountWriter } from './writer/writer.ts'

export type EndedRequest = Parameters<Ledger['settle']>[1]

type Debit = AccountEventOf<'CreditDebited'>['data']

export interface RequestsParts {
  /** @throws {ServiceError} */
  readonly writerOf: (accountId: string) => AccountWriter
  readonly prices: PriceBook
  readonly reading: ReadingPorts
  readonly usedKeys: UsedKeys
  readonly clock: Clock
  readonly gatewayId: string
  readonly actor: string
}

export class Requests {
  readonly #parts: RequestsParts
  readonly #running: RunningRequests

  constructor(parts: RequestsParts) {
    this.#parts = parts
    this.#running = new RunningRequests(parts.clock)
  }

  isRunning(requestId: string): boolean {
    return this.#running.has(requestId)
  }

  async accept(accountId: string, request: NewRequest, signal?: AbortSignal): Promise<Accepted> {
    const { prices, clock } = this.#parts
    const { model, onBundledModel } = request
    // Another process may have published its first price a moment ago.
    if (prices.inForce(model, clock.nowMs(), onBundledModel) === null) await prices.lookAgain()
    if (!this.#mayBeForgotten(accountId, request.idempotency)) {
      try {
        return await this.#accept(accountId, request, false, signal)
      } catch (error) {
        // The state in memory had not heard that keys were forgotten; the newest state had.
        if (!(error instanceof ServiceError) || error.code !== 'view_behind') throw error
      }
    }
    await this.#refuseForgottenKey(accountId, request.idempotency)
    return this.#accept(accountId, request, true, signal)
  }

  #accept(
    accountId: string,
    { onBundledModel, endsWithinMs, ...asked }: NewRequest,
    isKeySearched: boolean,
    signal: AbortSignal | undefined,
  ): Promise<Accepted> {
    const { prices, gatewayId, actor, writerOf } = this.#parts
    const { requestId, model } = asked
    const decided = Promise.withResolvers<Accepted>()
    let wentAhead = false
    const durable = writerOf(accountId)
      .submit({
        command: (at) => ({
          type: 'AcceptRequest',
          ...asked,
          isKeySearched,
          price: prices.inForce(model, at, onBundledModel),
          gatewayId,
          actor,
          deadline: at + endsWithinMs,
          at,
        }),
        result: (events) => dataOf(events, 'RequestAccepted'),
        goAhead: ({ price, hold, maxOutputTokens, deadline }) => {
          wentAhead = true
          this.#running.add(requestId, deadline)
          const lowered = maxOutputTokens < asked.maxOutputTokens
          decided.resolve({ requestId, price, hold, maxOutputTokens, lowered, deadline, durable })
        },
        signal,
      })
      .then(
        () => {},
        (error: unknown) => {
          if (wentAhead) this.#running.delete(requestId)
          decided.reject(error)
          throw error
        },
      )
    // The caller may have no use for it: that must not end the process.
    durable.catch(() => {})
    return decided.promise
  }

  async settle(accountId: string, request: EndedRequest): Promise<Settled> {
    const { actor } = this.#parts
    const { requestId } = request
    try {
      return await this.#end(accountId, requestId, {
        command: (at) => ({ type: 'SettleRequest', ...request, actor, at }),
        result: (events) => settledBy(dataOf(events, 'CreditDebited')),
      })
    } catch (error) {
      const end = hasEnded(error) ? await this.#recordedEnd(accountId, requestId) : undefined
      if (!end?.debit) throw error
      return settledBy(end.debit)
    }
  }

  async fail(accountId: string, requestId: string, reason: string): Promise<void> {
    const { actor } = this.#parts
    try {
      await this.#end(accountId, requestId, {
        command: (at) => ({ type: 'FailRequest', requestId, reason, actor, at }),
        result: () => undefined,
      })
    } catch (error) {
      const end = hasEnded(error) ? await this.#recordedEnd(accountId, requestId) : undefined
      if (end?.debit !== null) throw error
    }
  }

  async abandon(accountId: string, requestId: string, reason: string): Promise<boolean> {
    try {
      await this.#end(accountId, requestId, {
        command: (at) => ({ type: 'AbandonRequest', requestId, reason, actor: 'sweeper', at }),
        result: () => undefined,
      })
      return true
    } catch (error) {
      if (hasEnded(error)) return false
      throw error
    }
  }

  async idempotent(accountId: string, keyHash: string): ReturnType<Ledger['idempotent']> {
    const writer = this.#parts.writerOf(accountId)
    const find = (state: AccountState) => {
      const used = state.idempotencyKeys.get(keyHash)
      if (used === undefined) return state.hasForgottenKeys ? 'forgotten' : undefined
      return { ...used, running: state.openRequests.has(used.requestId) }
    }
    // Memory will do: what it has not heard of, the acceptance will. Only that a request runs may
    // have ceased to be true, and nothing would ever say so.
    const known = writer.state && find(writer.state)
    const isUncertain = writer.state === undefined || (typeof known === 'object' && known.running)
    const found = isUncertain ? await writer.ask(find) : known
    if (found !== 'forgotten') return found
    const used = await this.#forgotten(accountId, keyHash)
    if (used === undefined) return undefined
    const { requestId, bodyHash, isRunning } = used
    return { requestId, bodyHash, running: isRunning }
  }

  #mayBeForgotten(accountId: string, key: NewRequest['idempotency']): boolean {
    const state = this.#parts.writerOf(accountId).state
    return (
      key !== null && state?.hasForgottenKeys === true && !state.idempotencyKeys.has(key.keyHash)
    )
  }

  /** @throws {ServiceError} when the request of the key runs, or was debited */
  async #refuseForgottenKey(accountId: string, key: NewRequest['idempotency']): Promise<void> {
    if (key === null) return
    const used = await this.#forgotten(accountId, key.keyHash)
    if (used !== undefined) throw serviceErrorOf(refusalOfUsedKey(used, key.bodyHash))
  }

  async #forgotten(accountId: string, keyHash: string): Promise<UsedKey | undefined> {
    const { usedKeys, writerOf } = this.#parts
    const upTo = writerOf(accountId).lastPosition
    // Without an event there is no key.
    return upTo === undefined ? undefined : usedKeys.find(accountId, keyHash, upTo)
  }

  /** For an end that is told again because its first telling was not answered. */
  async #recordedEnd(accountId: string, requestId: string): Promise<RecordedEnd | undefined> {
    try {
      return await findRecordedEnd(this.#parts.reading, accountId, requestId)
    } catch (cause) {
      throw cause instanceof StoreUnavailableError ? storeUnavailable(cause) : defect(cause)
    }
  }

  async #end<Result>(
    accountId: string,
    requestId: string,
    work: {
      readonly command: (at: number) => AccountCommand
      readonly result: (events: readonly AccountEvent[]) => Result
    },
  ): Promise<Result> {
    const { writerOf } = this.#parts
    try {
      const result = await writerOf(accountId).submit({ ...work, endsRequest: true })
      this.#running.delete(requestId)
      return result
    } catch (error) {
      if (hasEnded(error)) this.#running.delete(requestId)
      throw error
    }
  }
}

function settledBy({ amount, lines, slices, balanceAfter }: Debit): Settled {
  return { amount, lines, slices, balanceAfter }
}

function dataOf<T extends AccountEventType>(
  events: readonly AccountEvent[],
  type: T,
): AccountEventOf<T>['data'] {
  const event = events.find((candidate): candidate is AccountEventOf<T> => candidate.type === type)
  if (event === undefined) throw new Error(`the decision has no ${type}`)
  return event.data as AccountEventOf<T>['data']
}

function hasEnded(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'conflict'
}
