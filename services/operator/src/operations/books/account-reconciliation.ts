/**
 * Holds the events of one account against each other, one after the other:
 *
 *     meters    no more tokens are metered than the request was accepted for, and none as computed
 *               that the counter of the worker's runtime did not see evaluated
 *     debits    metered tokens × the price pinned at acceptance = the debit
 *     balances  grants − debits ± corrections = the balance of the event = that of the full replay
 *     postings  the postings of every event are in balance, and say what the customer has
 */
import { isDeepStrictEqual } from 'node:util'
import { AccountBooks, sumOf, type TrialBalance } from '@svc/contracts/account-books'
import { messageOf } from '@svc/contracts/error-message'
import {
  type AccountEvent,
  type AccountEventOf,
  type BalanceMove,
  movesBalance,
} from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'
import { costLines, costOf, type PriceVersion } from '@svc/contracts/price'
import type { TokenCounts } from '@svc/contracts/tokens'
import { accountDecider } from '@svc/ledger/account/decider'
import type { Findings } from './findings.ts'

interface RunningRequest {
  readonly price: PriceVersion
  readonly promptTokens: number
  readonly maxOutputTokens: number
  /** Is null until the request is metered. */
  metered: TokenCounts | null
}

export class AccountReconciliation {
  readonly #accountId: string
  readonly #findings: Findings
  readonly #running = new Map<string, RunningRequest>()
  readonly #books = new AccountBooks()
  #state = accountDecider.initialState()
  #isReplayed = true
  #areBalanced = true
  /** The sum of all amounts that moved the balance. */
  #sum = 0n
  #recorded = 0n

  constructor(accountId: string, findings: Findings) {
    this.#accountId = accountId
    this.#findings = findings
  }

  get trialBalance(): TrialBalance {
    return this.#books.trialBalance
  }

  /** @param subject where the event stands */
  take(event: AccountEvent, subject: string): void {
    this.#followRequest(event, subject)
    this.#addUp(event, subject)
    this.#replay(event, subject)
    const postings = this.#books.post(event)
    const sum = sumOf(postings.map(({ amount }) => amount))
    if (sum === 0n) return
    this.#areBalanced = false
    this.#findings.add('postings', subject, `the postings of ${event.type} sum to ${sum}`, sum)
  }

  /** Is called behind the last event. */
  finish(): void {
    const { settled, held } = this.#books
    for (const [requestId, { metered, price }] of this.#running) {
      if (metered !== null) this.#missingDebit(requestId, price, metered)
    }
    // An event that is not balanced was told of when it was read.
    if (this.#areBalanced && settled !== this.#recorded) {
      const problem = 'the postings and the balance are not the same'
      this.#findings.add('postings', this.#accountId, problem, settled - this.#recorded)
    }
    if (!this.#isReplayed) return
    if (held !== this.#state.held) {
      const problem = 'the postings and the holds are not the same'
      this.#findings.add('postings', this.#accountId, problem, held - this.#state.held)
    }
    if (this.#state.balance !== this.#recorded) {
      const problem = 'the replay and the balance are not the same'
      this.#findings.add('balances', this.#accountId, problem, this.#state.balance - this.#recorded)
    }
  }

  #followRequest(event: AccountEvent, subject: string): void {
    switch (event.type) {
      case 'RequestAccepted': {
        const { requestId, price, promptTokens, maxOutputTokens } = event.data
        this.#running.set(requestId, { price, promptTokens, maxOutputTokens, metered: null })
        break
      }
      case 'TokensMetered':
        this.#meter(event.data, subject)
        break
      case 'CreditDebited':
        this.#debit(event.data, subject)
        break
      case 'RequestFailed':
      case 'RequestAbandoned':
        this.#endWithoutDebit(event.data.requestId)
        break
      default:
    }
  }

  #meter(metered: AccountEventOf<'TokensMetered'>['data'], subject: string): void {
    const { requestId, inputTokens, cachedInputTokens, outputTokens, cache } = metered
    const request = this.#running.get(requestId)
    const { promptTokens, maxOutputTokens } = request ?? { promptTokens: 0, maxOutputTokens: 0 }
    const above =
      aboveZero(inputTokens - cache.evaluatedTokens) +
      aboveZero(inputTokens + cachedInputTokens - promptTokens) +
      aboveZero(outputTokens - maxOutputTokens)
    if (above > 0) {
      const problem = `${requestId} is metered above what its worker can have computed`
      this.#findings.add('meters', subject, problem, BigInt(above))
    }
    if (request === undefined) return
    if (request.metered !== null) this.#missingDebit(requestId, request.price, request.metered)
    request.metered = metered
  }

  #debit(debited: AccountEventOf<'CreditDebited'>['data'], subject: string): void {
    const { requestId, amount, lines } = debited
    const request = this.#running.get(requestId)
    this.#running.delete(requestId)
    const metered = request?.metered ?? null
    const dueLines =
      request === undefined || metered === null ? [] : costLines(request.price, metered)
    const due = sumOf(dueLines.map((line) => line.amount))
    const shown = sumOf(lines.map((line) => line.amount))
    if (metered !== null && due === amount && isDeepStrictEqual(lines, dueLines)) return
    const problem =
      metered === null
        ? `${requestId} is debited without a meter`
        : `${requestId} is metered at ${due} pico-dollars, debited ${amount}, shown as ${shown}`
    this.#findings.add('debits', subject, problem, amount === due ? shown - due : amount - due)
  }

  #endWithoutDebit(requestId: string): void {
    const request = this.#running.get(requestId)
    this.#running.delete(requestId)
    if (request === undefined || request.metered === null) return
    this.#missingDebit(requestId, request.price, request.metered)
  }

  #missingDebit(requestId: string, price: PriceVersion, metered: TokenCounts): void {
    const problem = `${requestId} is metered and not debited`
    this.#findings.add('debits', this.#accountId, problem, costOf(price, metered))
  }

  #addUp(event: AccountEvent, subject: string): void {
    if (!movesBalance(event)) return
    this.#sum += movedBy(event)
    this.#recorded = event.data.balanceAfter
    if (this.#sum === this.#recorded) return
    const difference = this.#recorded - this.#sum
    const problem = `the balance is ${this.#recorded}, and adds up to ${this.#sum}`
    this.#findings.add('balances', subject, problem, difference)
    // This was told once: what follows is held against the balance as it stands.
    this.#sum = this.#recorded
  }

  #replay(event: AccountEvent, subject: string): void {
    if (!this.#isReplayed) return
    try {
      this.#state = accountDecider.evolve(this.#state, event)
    } catch (cause) {
      this.#isReplayed = false
      const why = messageOf(cause)
      this.#findings.add('balances', subject, `cannot be replayed: ${why}`, 0n)
    }
  }
}

/** Tells by how much an event changes the balance. */
function movedBy({ type, data }: BalanceMove): PicoDollars {
  switch (type) {
    case 'CreditGranted':
    case 'CreditRefunded':
    case 'BalanceAdjusted':
    case 'AccountClosed':
      return data.amount
    case 'CreditDebited':
    case 'CreditExpired':
    case 'GrantVoided':
      return -data.amount
  }
}

function aboveZero(tokens: number): number {
  return Math.max(0, tokens)
}
