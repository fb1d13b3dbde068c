/**
 * Ends requests. A gateway that lost the answer sends the end again: it is then answered with the
 * end that the log holds.
 */
import type { AccountCommand } from '@svc/contracts/commands'
import { ServiceError } from '@svc/contracts/errors'
import type { AccountEvent, AccountEventOf } from '@svc/contracts/events/account'
import { SWEEPER_ACTOR } from '@svc/contracts/events/actors'
import type { EndedRequest, Ledger, Settled } from './ledger.ts'
import { dataOf } from './recorded-data.ts'
import { findRecordedEnd, type ReadingPorts, type RecordedEnd } from './recorded-end.ts'
import type { RunningRequests } from './running-requests.ts'
import type { AccountWriters } from './writer/account-writers.ts'
import { isRefusedForNow, loadingRefusal } from './writer/refusals.ts'

type Debit = AccountEventOf<'CreditDebited'>['data']

interface RequestEndsPorts {
  readonly writers: Pick<AccountWriters, 'of'>
  readonly reading: ReadingPorts
  readonly running: RunningRequests
  readonly actor: string
}

/** These methods of the ledger are documented in `ledger.ts`. */
export class RequestEnds implements Pick<Ledger, 'settle' | 'fail' | 'abandon'> {
  readonly #ports: RequestEndsPorts

  constructor(ports: RequestEndsPorts) {
    this.#ports = ports
  }

  async settle(accountId: string, request: EndedRequest): Promise<Settled> {
    const { actor } = this.#ports
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
    const { actor } = this.#ports
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
    const actor = SWEEPER_ACTOR
    try {
      await this.#end(accountId, requestId, {
        command: (at) => ({ type: 'AbandonRequest', requestId, reason, actor, at }),
        result: () => undefined,
      })
      return true
    } catch (error) {
      if (hasEnded(error)) return false
      throw error
    }
  }

  /** Reads how the request ended that somebody is trying to end once more. */
  async #recordedEnd(accountId: string, requestId: string): Promise<RecordedEnd | undefined> {
    try {
      return await findRecordedEnd(this.#ports.reading, accountId, requestId)
    } catch (cause) {
      throw loadingRefusal(cause)
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
    try {
      const result = await this.#ports.writers.of(accountId).submit({ ...work, endsRequest: true })
      this.#ports.running.delete(requestId)
      return result
    } catch (error) {
      // Nobody sends an end again that was refused for good. The sweeper ends the request as soon
      // as the account can be written.
      if (!isRefusedForNow(error)) this.#ports.running.delete(requestId)
      throw error
    }
  }
}

function settledBy({ amount, lines, slices, balanceAfter }: Debit): Settled {
  return { amount, lines, slices, balanceAfter }
}

function hasEnded(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'conflict'
}
