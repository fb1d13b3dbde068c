/**
 * What is due for requests that were charged at a wrong price. Pure.
 *
 *     kept(price) = cost at the price − what was refunded, at least zero
 *     due         = kept(the price that counts now) − kept(the right price)
 *
 * The price that counts now is the one that the request is pinned to, or the last that made it
 * good: so a request that two runs are about is counted once, by the difference between them. What
 * a refund gave back is not given back again.
 */
import type { CorrectionDue } from '@svc/contracts/commands'
import type { PriceCorrection } from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'
import { costOf } from '@svc/contracts/price'
import { smallerOf } from '../account/burn-down.ts'
import {
  costAtItsPrice,
  isAbout,
  type PinnedCharge,
} from '../account/corrections/price-correction.ts'
import type { Grant } from '../account/state.ts'

export interface WronglyCharged extends PinnedCharge {
  /** The slices in the order in which they were burnt, each with the kind of its grant. */
  readonly slices: readonly Part[]
  readonly debt: PicoDollars
  /** What was given back of it. */
  readonly refunded: PicoDollars
}

interface Part {
  readonly category: Grant['category']
  readonly amount: PicoDollars
}

/** What is due to one account, request by request. */
export class PriceDifference {
  readonly #correction: PriceCorrection
  readonly #earlier: readonly PriceCorrection[]
  requests = 0
  /**
   * How many of these requests cost more or less than before: what is due for all may still be
   * nothing.
   */
  differing = 0
  /** What its requests cost before and after the correction, less what was refunded. */
  before = 0n
  after = 0n
  #paid = 0n
  #promotional = 0n
  #charged = 0n

  /** @param earlier corrections of the account before this one, in their order */
  constructor(correction: PriceCorrection, earlier: readonly PriceCorrection[]) {
    this.#correction = correction
    this.#earlier = earlier
  }

  isAbout(request: Pick<PinnedCharge, 'version' | 'acceptedAt'>): boolean {
    return isAbout(this.#correction, request)
  }

  /** Takes a request that it {@link isAbout}. */
  add(charge: WronglyCharged): void {
    const cost = costAtItsPrice(charge, this.#earlier)
    const before = kept(cost, charge)
    const after = kept(costOf(this.#correction.price, charge.counts), charge)
    this.requests += 1
    this.before += before
    this.after += after
    if (after !== before) this.differing += 1
    if (after > before) this.#charged += after - before
    else this.#giveBack(charge, cost, before, before - after)
  }

  /**
   * All that comes back less all that is charged. Where both are, what is charged is taken from
   * promotional credit first, as when tokens are paid for.
   */
  get due(): CorrectionDue {
    const total = this.#paid + this.#promotional - this.#charged
    const promotional = this.#promotional - smallerOf(this.#promotional, this.#charged)
    return { paid: total - promotional, promotional }
  }

  /**
   * Takes the amount from the end of the debit, as a refund does: its debt first, then its slices
   * from the last on.
   */
  #giveBack(charge: WronglyCharged, cost: PicoDollars, before: PicoDollars, amount: PicoDollars) {
    // What an earlier correction charged beyond the debit is the end of it.
    const beyond = cost > charge.amount ? cost - charge.amount : 0n
    const end: Part = { category: 'paid', amount: charge.debt + beyond }
    let back = charge.amount + beyond - before
    let left = amount
    for (const place of [end, ...charge.slices.toReversed()]) {
      const passed = smallerOf(place.amount, back)
      back -= passed
      const part = smallerOf(place.amount - passed, left)
      left -= part
      if (place.category === 'paid') this.#paid += part
      else this.#promotional += part
    }
  }
}

function kept(cost: PicoDollars, { refunded }: WronglyCharged): PicoDollars {
  return cost > refunded ? cost - refunded : 0n
}
