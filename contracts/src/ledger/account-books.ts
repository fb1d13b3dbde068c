/** The books of one account: its events posted one after the other, and its trial balance. */
import type { AccountEvent } from '../events/account.ts'
import type { PicoDollars } from '../money.ts'
import {
  type BookAccount,
  type BooksBefore,
  bookAccounts,
  type Posting,
  postingsOf,
} from './postings.ts'

/** The balance of each account of the books: debits less credits. */
export type TrialBalance = Readonly<Record<BookAccount, PicoDollars>>

export class AccountBooks {
  readonly #balances = zeroBalances()
  readonly #categories = new Map<string, 'paid' | 'promotional'>()
  readonly #holds = new Map<string, PicoDollars>()
  readonly #before: BooksBefore = {
    categoryOf: (grantId) => this.#categories.get(grantId),
    holdOf: (requestId) => this.#holds.get(requestId) ?? 0n,
  }

  get trialBalance(): TrialBalance {
    return this.#balances
  }

  /** The settled balance of the customer, as the postings say. */
  get settled(): PicoDollars {
    const { customer_credit: paid, promotional_credit: promotional, debt } = this.#balances
    return -(paid + promotional + debt)
  }

  /** The sum that the customer's running requests hold, as the postings say. */
  get held(): PicoDollars {
    return -this.#balances.held
  }

  /** @returns the postings of the event, which sum to zero when it adds up in itself */
  post(event: AccountEvent): readonly Posting[] {
    const postings = postingsOf(event, this.#before)
    for (const { account, amount } of postings) this.#balances[account] += amount
    this.#remember(event)
    return postings
  }

  #remember({ type, data }: AccountEvent): void {
    if (type === 'CreditGranted') this.#categories.set(data.grantId, data.category)
    // A correction that gives credit is a grant with the id of the correction.
    else if (type === 'BalanceAdjusted') this.#categories.set(data.adjustmentId, data.category)
    else if (type === 'CreditRefunded') this.#categories.set(data.refundId, 'paid')
    else if (type === 'RequestAccepted') this.#holds.set(data.requestId, data.hold)
    else if (type === 'CreditDebited' || type === 'RequestFailed' || type === 'RequestAbandoned') {
      this.#holds.delete(data.requestId)
    }
  }
}

/** The balances of books without a posting. */
export function zeroBalances(): Record<BookAccount, PicoDollars> {
  const zeros = bookAccounts.map((account) => [account, 0n] as const)
  return Object.fromEntries(zeros) as Record<BookAccount, PicoDollars>
}

/** Adds up amounts. The sum is zero when debits and credits are in balance. */
export function sumOf(amounts: Iterable<PicoDollars>): PicoDollars {
  let sum = 0n
  for (const amount of amounts) sum += amount
  return sum
}
