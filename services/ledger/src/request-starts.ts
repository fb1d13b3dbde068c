/**
 * Starts requests. Two things can be in the log and not in memory: a price that another process has
 * just published, and an old Idempotency-Key that the account has forgotten. No request may be
 * refused for want of the first, or run twice for want of the second. So what is missing is looked
 * up, and the request is decided once more.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { UsedKeys } from '@svc/contracts/ports/used-keys'
import { mayBeForgotten, refuseForgottenKey } from './idempotency-keys.ts'
import type { Accepted, Ledger, NewRequest } from './ledger.ts'
import type { PriceBook } from './pricing/price-book.ts'
import { dataOf } from './recorded-data.ts'
import type { RunningRequests } from './running-requests.ts'
import type { AccountWriters } from './writer/account-writers.ts'

interface RequestStartsPorts {
  readonly writers: Pick<AccountWriters, 'of'>
  readonly prices: Pick<PriceBook, 'inForce' | 'next' | 'lookAgain'>
  readonly usedKeys: UsedKeys
  readonly running: RunningRequests
  readonly gatewayId: string
  readonly actor: string
}

interface StartOptions {
  /** As the command has it. */
  readonly keysSearched: number | null
  readonly signal: AbortSignal | undefined
}

/** This method of the ledger is documented in `ledger.ts`. */
export class RequestStarts implements Pick<Ledger, 'accept'> {
  readonly #ports: RequestStartsPorts

  constructor(ports: RequestStartsPorts) {
    this.#ports = ports
  }

  async accept(accountId: string, request: NewRequest, signal?: AbortSignal): Promise<Accepted> {
    try {
      return await this.#acceptKeyed(accountId, request, signal)
    } catch (error) {
      if (!isUnread(error)) throw error
      // Another process may have published the first price, or that of this account's list, or used
      // enough Idempotency-Keys for the account to have forgotten this one.
      await this.#ports.prices.lookAgain()
      return this.#acceptKeyed(accountId, request, signal)
    }
  }

  async #acceptKeyed(
    accountId: string,
    request: NewRequest,
    signal: AbortSignal | undefined,
  ): Promise<Accepted> {
    const { writers, usedKeys } = this.#ports
    const writer = writers.of(accountId)
    const key = request.idempotency
    const keysSearched =
      key !== null && mayBeForgotten(writer, key)
        ? await refuseForgottenKey(writer, usedKeys, key)
        : null
    return this.#submit(accountId, request, { keysSearched, signal })
  }

  #submit(
    accountId: string,
    { onBundledModel = false, endsWithinMs, ...asked }: NewRequest,
    { keysSearched, signal }: StartOptions,
  ): Promise<Accepted> {
    const { writers, prices, running, gatewayId, actor } = this.#ports
    const { requestId, model } = asked
    const decided = Promise.withResolvers<Accepted>()
    // The limit that the worker was started with. When the decision is made again on a newer state,
    // it must not be lowered any more.
    let startedTokens: number | undefined
    const durable = writers
      .of(accountId)
      .submit({
        command: (at, { priceList }) => {
          const price = prices.inForce({ model, priceList, onBundledModel }, at)
          const next = price === null ? prices.next(model, onBundledModel, priceList) : null
          return {
            type: 'AcceptRequest',
            ...asked,
            keysSearched,
            isStarted: startedTokens !== undefined,
            maxOutputTokens: startedTokens ?? asked.maxOutputTokens,
            price,
            soldFrom: next?.effectiveFrom,
            gatewayId,
            actor,
            deadline: at + endsWithinMs,
            at,
          }
        },
        result: (events) => dataOf(events, 'RequestAccepted'),
        goAhead: ({ price, hold, maxOutputTokens }) => {
          startedTokens = maxOutputTokens
          const deadline = running.add(requestId, endsWithinMs)
          const lowered = maxOutputTokens < asked.maxOutputTokens
          decided.resolve({ requestId, price, hold, maxOutputTokens, lowered, deadline, durable })
        },
        signal,
      })
      .then(
        () => {},
        (error: unknown) => {
          if (startedTokens !== undefined) running.delete(requestId)
          decided.reject(error)
          throw error
        },
      )
    // A caller that does not wait for it must not end the process by an unhandled rejection.
    durable.catch(() => {})
    return decided.promise
  }
}

/** Whether it may be refused for what this process has not read. */
function isUnread(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false
  return error.code === 'model_not_priced' || error.code === 'view_behind'
}
