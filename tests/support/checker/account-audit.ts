import type { AccountEvent, AccountEventOf, GrantSlice } from '@svc/contracts/events/account'
import { KeyAudit } from './key-audit.ts'
import type { PriceList } from './price-list.ts'
import { RequestAudit } from './request-audit.ts'
import type { Invariant, Violation } from './violation.ts'

/** What an account had at one moment of the log. */
interface BalanceAt {
  readonly revision: number
  readonly settled: bigint
  readonly held: bigint
}

/**
 * One account, event by event.
 *
 * Overdraft (I8). When a request is accepted, what is available covers its hold, so available
 * credit is zero or more. Only the debit of an under-held request can take more than was held: it
 * may leave the account below zero by that difference. From there available credit can rise and not
 * fall, but for what the operator takes away.
 */
export class AccountAudit {
  readonly requests = new Map<string, RequestAudit>()
  /** Amounts of the grants that were asked for, in order. */
  readonly granted: bigint[] = []
  readonly revokedKeys = new Set<string>()
  /** After each event. */
  readonly balances: BalanceAt[] = []
  readonly #keys = new KeyAudit()
  readonly #stream: string
  readonly #prices: PriceList
  readonly #violations: Violation[]
  readonly #grants = new Map<string, { amount: bigint; left: bigint; expired: bigint }>()
  #strict = false
  #settled = 0n
  #held = 0n
  /** How far available credit may fall. */
  #floor = 0n
  /** What of that the operator has taken away. */
  #takenBelow = 0n

  constructor(stream: string, prices: PriceList, violations: Violation[]) {
    this.#stream = stream
    this.#prices = prices
    this.#violations = violations
  }

  take(event: AccountEvent, { revision }: { readonly revision: number }): void {
    switch (event.type) {
      case 'AccountOpened':
      case 'SpendPolicySet':
        this.#strict = event.data.spendPolicy === 'strict'
        break
      case 'PriceListSet':
      case 'TextsErased':
      case 'AccountRenamed':
      case 'AccountFrozen':
      case 'AccountUnfrozen':
      case 'ApiKeyCreated':
      case 'ApiKeyRenamed':
      case 'ApiKeyExpirySet':
        break
      case 'ApiKeyRevoked':
        this.revokedKeys.add(event.data.keyId)
        break
      case 'AccountClosed':
        this.#close(event.data)
        break
      case 'GrantVoided':
        this.#void(event.data)
        break
      case 'CreditRefunded':
        this.#refund(event.data)
        break
      case 'BalanceAdjusted':
        this.#adjust(event.data)
        break
      case 'CreditGranted':
        this.#grant(event.data)
        break
      case 'CreditExpired':
        this.#expire(event.data)
        break
      case 'RequestAccepted':
        this.#accept(event.data)
        break
      case 'TokensMetered':
        this.#request(event.data.requestId, 'metered')?.take(event.data, revision)
        break
      case 'CreditDebited':
        this.#debit(event.data, revision)
        break
      case 'RequestFailed':
        this.#end(event.data.requestId, 'failed')
        break
      case 'RequestAbandoned':
        this.#end(event.data.requestId, 'abandoned')
        break
    }
    this.#checkOverdraft(revision)
    this.balances.push({ revision, settled: this.#settled, held: this.#held })
  }

  /** To be called when nothing runs any more. */
  finish(): void {
    for (const request of this.requests.values()) request.finish()
    if (this.#held !== 0n) this.#report('I9', `has holds of ${this.#held} and nothing runs`)
    const left = [...this.#grants.values()].reduce((sum, grant) => sum + grant.left, 0n)
    const owned = this.#settled > 0n ? this.#settled : 0n
    if (left !== owned) this.#report('I1', `has grants worth ${left} and a balance of ${owned}`)
  }

  #checkOverdraft(revision: number): void {
    const available = this.#settled - this.#held
    if (available < this.#floor) {
      this.#report('I8', `is at ${available} available after revision ${revision}`)
    }
    this.#floor = available < 0n ? available : 0n
    if (available >= 0n) this.#takenBelow = 0n
  }

  #grant(granted: AccountEventOf<'CreditGranted'>['data']): void {
    const { grantId, amount, paidDebt, balanceAfter } = granted
    const debt = this.#settled < 0n ? -this.#settled : 0n
    const owed = debt < amount ? debt : amount
    if (amount <= 0n) this.#report('I1', `is granted ${amount}`)
    if (this.#grants.has(grantId)) this.#report('I1', `has the grant ${grantId} twice`)
    if (paidDebt !== owed) this.#report('I1', `pays ${paidDebt} of a debt of ${debt}`)
    this.#grants.set(grantId, { amount, left: amount - paidDebt, expired: 0n })
    this.granted.push(amount)
    this.#settle(amount, balanceAfter)
  }

  #expire({ grantId, amount, balanceAfter }: AccountEventOf<'CreditExpired'>['data']): void {
    if (amount <= 0n) this.#report('I1', `has ${amount} of ${grantId} expire`)
    this.#spend(grantId, amount)
    const grant = this.#grants.get(grantId)
    if (grant !== undefined) grant.expired += amount
    this.#settle(-amount, balanceAfter)
  }

  #void(voided: AccountEventOf<'GrantVoided'>['data']): void {
    const { grantId, amount, slices, debt, balanceAfter } = voided
    const grant = this.#grants.get(grantId)
    const owed = (grant?.amount ?? 0n) - (grant?.expired ?? 0n)
    if (amount !== owed) this.#report('I1', `voids ${amount} of a grant of ${owed}`)
    this.#take(amount, slices, debt)
    this.#settle(-amount, balanceAfter)
  }

  #refund(refunded: AccountEventOf<'CreditRefunded'>['data']): void {
    const { refundId, requestId, amount, refundedBefore, paidDebt, slices, credit } = refunded
    this.#request(requestId, 'refunded')?.refund(amount, refundedBefore)
    for (const slice of slices) this.#spend(slice.grantId, -slice.amount, true)
    const returned = slices.reduce((sum, slice) => sum + slice.amount, 0n)
    this.#credit(refundId, amount - returned, paidDebt, credit)
    this.#settle(amount, refunded.balanceAfter)
  }

  #adjust(adjusted: AccountEventOf<'BalanceAdjusted'>['data']): void {
    const { adjustmentId, amount, paidDebt, credit, slices, debt, balanceAfter } = adjusted
    const [taken, given] = amount < 0n ? [-amount, 0n] : [0n, amount]
    this.#take(taken, slices, debt)
    this.#credit(adjustmentId, given, paidDebt, credit)
    this.#settle(amount, balanceAfter)
  }

  #close(closed: AccountEventOf<'AccountClosed'>['data']): void {
    const { amount, slices, paidDebt, balanceAfter } = closed
    const taken = slices.reduce((sum, slice) => sum + slice.amount, 0n)
    for (const slice of slices) this.#spend(slice.grantId, slice.amount)
    if (paidDebt - taken !== amount) this.#report('I1', `moves ${paidDebt - taken} for ${amount}`)
    this.#settle(amount, balanceAfter)
    if (this.#settled !== 0n) this.#report('I1', `is closed with a balance of ${this.#settled}`)
    if (this.#held !== 0n) this.#report('I9', 'is closed with requests running')
  }

  /** The operator takes an amount away, also where that makes a debt. */
  #take(amount: bigint, slices: readonly GrantSlice[], debt: bigint): void {
    for (const slice of slices) this.#spend(slice.grantId, slice.amount)
    const taken = slices.reduce((sum, slice) => sum + slice.amount, debt)
    if (taken !== amount) this.#report('I1', `takes ${taken} for ${amount}`)
    const left = [...this.#grants.values()].some((grant) => grant.left > 0n)
    if (debt < 0n || (debt > 0n && left)) this.#report('I1', `makes a debt of ${debt}`)
    const available = this.#settled - this.#held - amount
    if (available >= 0n) return
    const below = -available < amount ? -available : amount
    this.#takenBelow += below
    this.#floor -= below
  }

  /** An amount comes that pays a debt first; the rest is a grant of its own. */
  #credit(grantId: string, amount: bigint, paidDebt: bigint, credit: bigint): void {
    const debt = this.#settled < 0n ? -this.#settled : 0n
    if (paidDebt > debt) this.#report('I1', `pays ${paidDebt} of a debt of ${debt}`)
    if (paidDebt + credit !== amount) this.#report('I1', `credits ${credit} of ${amount}`)
    if (credit > 0n) this.#grants.set(grantId, { amount: credit, left: credit, expired: 0n })
  }

  #accept(accepted: AccountEventOf<'RequestAccepted'>['data']): void {
    const { requestId, keyId, hold, underHeld, price } = accepted
    const report = (invariant: Invariant, problem: string) =>
      this.#report(invariant, problem, requestId)
    if (this.requests.has(requestId)) report('I4', 'is accepted twice')
    if (!this.#prices.has(price)) report('I2', 'is pinned to a price that was not published')
    if (underHeld && this.#strict) report('I8', 'is under-held on a strict account')
    if (underHeld && this.#runsUnderHeld()) report('I8', 'is the second under-held request')
    if (hold < 0n) report('I8', `holds ${hold}`)
    if (this.revokedKeys.has(keyId)) report('I18', 'is accepted with a revoked key')
    const request = new RequestAudit(accepted, report)
    this.requests.set(requestId, request)
    this.#keys.take(request, report)
    this.#held += hold
    this.#floor = 0n
  }

  #debit(debit: AccountEventOf<'CreditDebited'>['data'], revision: number): void {
    const { requestId, amount, slices, debt, balanceAfter } = debit
    const request = this.#request(requestId, 'debited')
    const hold = request?.openHold ?? 0n
    request?.debit(debit, revision)
    for (const slice of slices) this.#spend(slice.grantId, slice.amount)
    this.#held -= hold
    this.#settle(-amount, balanceAfter)
    if (request?.accepted.underHeld && amount > hold) {
      this.#floor = hold - amount - this.#takenBelow
    }
    if (debt < 0n) this.#report('I1', `has a debt of ${debt}`, requestId)
  }

  #end(requestId: string, how: 'failed' | 'abandoned'): void {
    const request = this.#request(requestId, how)
    this.#held -= request?.openHold ?? 0n
    request?.end(how)
  }

  #settle(change: bigint, balanceAfter: bigint): void {
    this.#settled += change
    if (balanceAfter === this.#settled) return
    this.#report('I1', `says a balance of ${balanceAfter}, its events add up to ${this.#settled}`)
  }

  #spend(grantId: string, amount: bigint, isBack = false): void {
    const grant = this.#grants.get(grantId)
    if (grant === undefined) {
      this.#report('I1', `spends an unknown grant ${grantId}`)
      return
    }
    if (amount < 0n !== isBack) this.#report('I1', `spends ${amount} of ${grantId}`)
    grant.left -= amount
    if (grant.left > grant.amount) this.#report('I1', `has more of ${grantId} than was granted`)
    if (grant.left < 0n) this.#report('I1', `spends more of ${grantId} than was granted`)
  }

  #request(requestId: string, how: string): RequestAudit | undefined {
    const request = this.requests.get(requestId)
    if (request === undefined) this.#report('I4', `is ${how} and was not accepted`, requestId)
    return request
  }

  #runsUnderHeld(): boolean {
    return [...this.requests.values()].some(
      ({ running, accepted }) => running && accepted.underHeld,
    )
  }

  #report(invariant: Invariant, problem: string, subject = this.#stream): void {
    this.#violations.push({ invariant, subject, problem })
  }
}
