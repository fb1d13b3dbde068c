/**
 * Double entry: what each event of an account means in the books of whoever sells the tokens.
 *
 * A posting above zero is a debit, one below a credit; the postings of an event sum to zero. So the
 * books never decide anything, and show at once when an event does not add up in itself.
 *
 *     a paid grant of $10         payments          +10    customer_credit      −10
 *     a promotional one of $2     promotional_expense +2   promotional_credit    −2
 *     a request that holds $1     reserved           +1    held                  −1
 *     … and is debited $0.40      customer_credit  +0.4    earned              −0.4
 *                                 held               +1    reserved              −1
 *
 * What the customer has is the credit of both kinds less the debt; `reserved` and `held` are a pair
 * beside it, because a hold takes from no grant in particular.
 */
import type { AccountEvent, AccountEventOf, GrantSlice } from '../events/account.ts'
import type { PicoDollars } from '../money.ts'

export const bookAccounts = [
  /** Money of the outside that was paid in, less what was paid out. */
  'payments',
  /** Paid credit that customers have not used: owed to them. */
  'customer_credit',
  /** The same of credit that nobody paid for. */
  'promotional_credit',
  /** The sum that customers owe, because no credit covered it. */
  'debt',
  /** The sum that running requests hold, and its counterpart. */
  'held',
  'reserved',
  /** Debits less refunds. */
  'earned',
  /** Paid credit that expired unused. */
  'breakage',
  /** Promotional credit that was given, less what of it expired unused. */
  'promotional_expense',
  /** Debts that were given up when their account was closed, less credit that was. */
  'write_off',
  /** Voided grants and adjustments. */
  'corrections',
] as const
export type BookAccount = (typeof bookAccounts)[number]

export interface Posting {
  readonly account: BookAccount
  /** A debit when above zero, a credit when below; never zero. */
  readonly amount: PicoDollars
}

/** The facts that the events before tell about the one to be posted. */
export interface BooksBefore {
  /** @returns undefined for a grant that was never made */
  categoryOf(grantId: string): 'paid' | 'promotional' | undefined
  /** Tells what the request holds: zero for one that does not run. */
  holdOf(requestId: string): PicoDollars
}

/** Pure. What moves no money has no postings. */
export function postingsOf(event: AccountEvent, before: BooksBefore): readonly Posting[] {
  return linesOf(event, before).filter(({ amount }) => amount !== 0n)
}

function linesOf(event: AccountEvent, before: BooksBefore): readonly Posting[] {
  switch (event.type) {
    case 'CreditGranted':
      return granted(event.data)
    case 'CreditExpired':
      return expired(event.data, before)
    case 'GrantVoided':
      return [
        ...taken(event.data.slices, before),
        post('debt', event.data.debt),
        post('corrections', -event.data.amount),
      ]
    case 'CreditRefunded':
      return [
        post('earned', event.data.amount),
        post('debt', -event.data.paidDebt),
        ...returned(event.data.slices, before),
        post('customer_credit', -event.data.credit),
      ]
    case 'BalanceAdjusted':
      return adjusted(event.data, before)
    case 'AccountClosed':
      return [
        ...taken(event.data.slices, before),
        post('debt', -event.data.paidDebt),
        post(event.data.remainder === 'paid_out' ? 'payments' : 'write_off', event.data.amount),
      ]
    case 'RequestAccepted':
      return [post('reserved', event.data.hold), post('held', -event.data.hold)]
    case 'CreditDebited':
      return [
        ...taken(event.data.slices, before),
        post('debt', event.data.debt),
        post('earned', -event.data.amount),
        ...released(event.data.requestId, before),
      ]
    case 'RequestFailed':
    case 'RequestAbandoned':
      return released(event.data.requestId, before)
    case 'AccountOpened':
    case 'AccountRenamed':
    case 'AccountFrozen':
    case 'AccountUnfrozen':
    case 'SpendPolicySet':
    case 'PriceListSet':
    case 'TextsErased':
    case 'ApiKeyCreated':
    case 'ApiKeyRenamed':
    case 'ApiKeyExpirySet':
    case 'ApiKeyRevoked':
    case 'TokensMetered':
      return []
    default:
      return event satisfies never
  }
}

function granted({ amount, category, paidDebt }: AccountEventOf<'CreditGranted'>['data']) {
  return [
    post(category === 'paid' ? 'payments' : 'promotional_expense', amount),
    post('debt', -paidDebt),
    post(creditOf(category), paidDebt - amount),
  ]
}

/** The part that nobody paid for and nobody used was no expense after all. */
function expired(
  { grantId, amount }: AccountEventOf<'CreditExpired'>['data'],
  before: BooksBefore,
): readonly Posting[] {
  const category = before.categoryOf(grantId)
  return [
    post(creditOf(category), amount),
    post(category === 'promotional' ? 'promotional_expense' : 'breakage', -amount),
  ]
}

function adjusted(
  data: AccountEventOf<'BalanceAdjusted'>['data'],
  before: BooksBefore,
): readonly Posting[] {
  return [
    post('corrections', data.amount),
    post('debt', data.debt - data.paidDebt),
    post(creditOf(data.category), -data.credit),
    ...taken(data.slices, before),
  ]
}

function taken(slices: readonly GrantSlice[], before: BooksBefore): readonly Posting[] {
  return slices.map(({ grantId, amount }) => post(creditOf(before.categoryOf(grantId)), amount))
}

function returned(slices: readonly GrantSlice[], before: BooksBefore): readonly Posting[] {
  return slices.map(({ grantId, amount }) => post(creditOf(before.categoryOf(grantId)), -amount))
}

function released(requestId: string, before: BooksBefore): readonly Posting[] {
  const hold = before.holdOf(requestId)
  return [post('held', hold), post('reserved', -hold)]
}

/** A grant that was never made counts as paid: what is wrong with it, the replay says. */
function creditOf(category: 'paid' | 'promotional' | undefined): BookAccount {
  return category === 'promotional' ? 'promotional_credit' : 'customer_credit'
}

function post(account: BookAccount, amount: PicoDollars): Posting {
  return { account, amount }
}
