/** What requests cost: the prices that were published, and what is done to them. */
import type { PriceCorrection } from '@svc/contracts/events/account'
import type { Rates } from '@svc/contracts/price'
import type { CorrectedPrice } from './price-rules.ts'
import type { PricePublication, PublishedPrice, WithdrawnPrice } from './published-price.ts'

export interface NewPrice {
  readonly model: string
  /** Default: the list of accounts without one of their own. */
  readonly priceList?: string | undefined
  readonly rates: Rates
  /** In milliseconds since 1970, now or later. Default: now. */
  readonly effectiveFrom?: number
  /** Who publishes it. Default: this gateway. */
  readonly actor?: string
  /** The same key publishes once. */
  readonly idempotencyKey?: string | undefined
  /** Is shown the price that a new one would replace, and throws to refuse it. */
  readonly approve?: (replaced: PublishedPrice | null) => void
}

export interface PriceNeighbours {
  /** The price that the new one takes the place of, or null. */
  readonly replaced: PublishedPrice | null
  /** The announced price that takes the place of the new one, or null. */
  readonly replacedBy: PublishedPrice | null
}

export interface Withdrawal {
  readonly version: string
  readonly reason: string
  readonly actor: string
}

export interface AskedCorrection extends CorrectedPrice {
  readonly idempotencyKey: string
  readonly reason: string
  readonly actor: string
}

/** Refusals reject with a `ServiceError` of the catalogue. */
export interface Pricing {
  /**
   * The price in force now, or null: then the model cannot be sold.
   *
   * @param onBundledModel whether the bundled model runs it; only then the demo price counts
   * @param priceList default: that of accounts without a list of their own
   */
  current(model: string, onBundledModel?: boolean, priceList?: string): PublishedPrice | null
  /** The price that takes effect next, or null: none is announced. Parameters as above. */
  next(model: string, onBundledModel?: boolean, priceList?: string): PublishedPrice | null
  /**
   * When the first price of a list takes effect, of whatever model, in milliseconds since 1970.
   * Null: the list has one in force, or none. The prices of `default` do not count for another.
   *
   * @param onBundledModel whether the bundled model is served; only then the demo price counts
   */
  startOf(priceList: string, onBundledModel?: boolean): number | null
  /** Every version that was ever published, oldest first. */
  published(): readonly PublishedPrice[]
  /** Whether a run of price corrections was begun, as far as this process knows. */
  isRun(runId: string): boolean
  /** Reads what other processes may have just published. Never rejects: what is known stays. */
  lookAgain(): Promise<void>

  /**
   * Resolves when the price is durable.
   *
   * @throws {ServiceError} `invalid_value` when it would take effect in the past, `conflict` when
   *   another one of the list takes effect at the same moment, or has the same idempotency key
   */
  publish(price: NewPrice): Promise<PricePublication>
  /** Publishes unless there is any price already: of gateways that start at once, one does. */
  publishFirst(price: NewPrice): Promise<void>
  /** Refuses what publishing refuses. Resolves to the prices before and after this one. */
  preview(price: NewPrice): Promise<PriceNeighbours>
  /**
   * Takes back a price that has been announced. One that was withdrawn before stays so.
   *
   * @throws {ServiceError} `not_found`; `conflict` from a minute before it takes effect on
   */
  withdraw(withdrawal: Withdrawal): Promise<WithdrawnPrice>

  /**
   * What a run that corrects a price would be about. Refuses what {@link correct} refuses, but for
   * a price that was replaced just now.
   */
  previewCorrection(asked: CorrectedPrice): Promise<PriceCorrection>
  /**
   * Records that the requests of a period were charged at a wrong price, and names the run that
   * makes it good, account by account: `Administration.correctPrice`. The same key is the same run,
   * and about the same requests.
   *
   * @throws {ServiceError} `not_found`, `invalid_value`; `conflict` while requests may be accepted
   *   at the price and the period is open, and when the run was begun with other content
   */
  correct(asked: AskedCorrection): Promise<PriceCorrection>
}
