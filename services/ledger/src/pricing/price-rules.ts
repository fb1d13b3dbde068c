/** What can be published, withdrawn and corrected. Refusals name the field at fault. */
import { ServiceError } from '@svc/contracts/errors'
import type { PriceCorrection } from '@svc/contracts/events/account'
import {
  DEFAULT_PRICE_LIST,
  type PriceVersion,
  priceListName,
  priceVersion,
  type Rates,
} from '@svc/contracts/price'
import { PRICE_NOTICE_MS } from '../writer/ledger-limits.ts'
import type { PriceLists } from './price-lists.ts'
import type { PublishedPrice } from './published-price.ts'

const PRICES_MAX = 10_000
export const CORRECTIONS_MAX = 10_000
const MODEL_CHARACTERS_MAX = 200
/** A price from so little before now is one from now: clocks differ, and a command takes time. */
const PAST_TOLERANCE_MS = 60_000

/** When a price takes effect that is published at a moment; undefined is at once. */
export function startOf(effectiveFrom: number | undefined, at: number): number {
  return Math.max(effectiveFrom ?? at, at)
}

/** @throws {ServiceError} `invalid_value` */
export function checkPrice({
  model,
  priceList,
  price,
}: {
  readonly model: string
  readonly priceList: string
  readonly price: PriceVersion
}): void {
  if (model === '' || [...model].length > MODEL_CHARACTERS_MAX) {
    throw invalid(`The name of a model has 1 to ${MODEL_CHARACTERS_MAX} characters.`, 'model')
  }
  const name = priceListName.safeParse(priceList)
  if (!name.success) {
    throw invalid(`The name of a price list ${name.error.issues[0]?.message}.`, 'price_list')
  }
  const { input, cachedInput, output } = price
  const text = { input: `${input}`, cachedInput: `${cachedInput}`, output: `${output}` }
  if (!priceVersion.safeParse({ version: price.version, ...text }).success) {
    const message = 'Prices are zero or more, and a cached token costs no more than a computed one.'
    throw invalid(message, 'rates')
  }
}

/** @throws {ServiceError} `invalid_value` for a time that is none or past; `conflict` */
export function checkSchedule(
  lists: PriceLists,
  {
    model,
    priceList,
    effectiveFrom,
    at,
  }: {
    readonly model: string
    readonly priceList: string
    readonly effectiveFrom: number | undefined
    readonly at: number
  },
): void {
  if (lists.size >= PRICES_MAX) {
    throw new ServiceError('conflict', `There are ${PRICES_MAX} prices, the most there can be.`)
  }
  if (effectiveFrom === undefined) return
  if (!Number.isSafeInteger(effectiveFrom)) {
    throw invalid('The moment is not a time in milliseconds since 1970.', 'effective_from')
  }
  if (effectiveFrom < at - PAST_TOLERANCE_MS) {
    const message =
      `A price takes effect now or later: ${timeText(effectiveFrom)} is past, ` +
      `it is ${timeText(at)}. For a price from now on name no time.`
    throw invalid(message, 'effective_from')
  }
  const announced = effectiveFrom > at && lists.startingAt(priceList, model, effectiveFrom)
  if (announced) {
    const message =
      `The price ${announced.version} takes effect on the list "${priceList}" at that very ` +
      `moment, ${timeText(effectiveFrom)}: withdraw it first, or name another time.`
    throw new ServiceError('conflict', message, { param: 'effective_from' })
  }
}

/**
 * One that was withdrawn before stays withdrawn. Every gateway has to know of it before the price
 * takes effect, so that none accepts a request at a withdrawn one.
 *
 * @throws {ServiceError} `not_found`; `conflict` when it is in force, or is about to be
 */
export function checkWithdrawal(
  version: string,
  price: PublishedPrice | undefined,
  at: number,
): void {
  if (price === undefined) throw noSuchPrice(version)
  const { effectiveFrom, withdrawnAt } = price
  if (withdrawnAt !== null || effectiveFrom > at + PRICE_NOTICE_MS) return
  const since = timeText(effectiveFrom)
  throw new ServiceError(
    'conflict',
    effectiveFrom <= at
      ? `The price ${version} took effect at ${since}: it cannot be withdrawn. Publish another one.`
      : `The price ${version} takes effect at ${since}, in less than a minute: it is too late to ` +
          'withdraw it. Publish another one.',
  )
}

function isSameRates(one: Rates, other: Rates): boolean {
  const { input, cachedInput, output } = other
  return one.input === input && one.cachedInput === cachedInput && one.output === output
}

/** Another price than the version has, for requests that have been accepted. */
export interface CorrectedPrice {
  readonly version: string
  readonly rates: Rates
  /**
   * When the requests were accepted, in milliseconds since 1970. Undefined for all that are pinned
   * to the version.
   */
  readonly from: number | undefined
  readonly to: number | undefined
}

/**
 * @param price the version as it was published
 * @throws {ServiceError} `not_found`, `invalid_value`; `conflict` for a version at which requests
 *   may still be accepted, unless it is said up to when they are meant
 */
export function checkCorrection(
  { version, rates, from = 0, to }: CorrectedPrice,
  price: PublishedPrice | undefined,
  isInForce: boolean,
  at: number,
): void {
  if (price === undefined) throw noSuchPrice(version)
  const { model, priceList, withdrawnAt, effectiveFrom } = price
  if (withdrawnAt !== null || effectiveFrom > at) {
    const message = `The price ${version} has never been in force: nothing was charged at it.`
    throw new ServiceError('conflict', message)
  }
  checkPrice({ model, priceList, price: { version, ...rates } })
  if (isSameRates(rates, price)) {
    throw invalid(`These are the rates that ${version} has: nothing is to be corrected.`, 'rates')
  }
  if (to === undefined && isInForce) {
    const message =
      `The price ${version} is in force, and requests are still accepted at it: publish the right ` +
      'price first, or say up to when requests are meant (to).'
    throw new ServiceError('conflict', message, { param: 'to' })
  }
  if (to !== undefined && to > at) {
    throw invalid(`Up to ${timeText(to)} is in the future: it is ${timeText(at)}.`, 'to')
  }
  if (from >= (to ?? at)) {
    throw invalid(`The period ends at ${timeText(to ?? at)}, before it begins.`, 'from')
  }
}

/**
 * A run passes each account once: begun while another gateway, whose clock is behind or which does
 * not know the right price yet, can still accept a request that it is about, it would miss that
 * request, and nobody would be told.
 *
 * @param lastMs when the last request that is meant can be accepted
 * @throws {ServiceError} `conflict`
 */
export function checkNotAccepted(version: string, lastMs: number, at: number): void {
  if (lastMs <= at) return
  const message =
    `Other gateways may accept requests that are meant at the price ${version} until ` +
    `${timeText(lastMs)}: correct it then, or say that those up to an earlier time are meant (to).`
  throw new ServiceError('conflict', message, { param: 'to' })
}

/**
 * What was not named the first time may be left out the next time, too, and is then as it was.
 *
 * @throws {ServiceError} `conflict` for a run that was begun about something else
 */
export function checkSameRun({ price, from, to }: PriceCorrection, asked: CorrectedPrice): void {
  const isSame =
    price.version === asked.version &&
    isSameRates(price, asked.rates) &&
    (asked.from === undefined || asked.from === from) &&
    (asked.to === undefined || asked.to === to)
  if (isSame) return
  const message = 'This run was begun before, with another price or for other requests.'
  throw new ServiceError('conflict', message)
}

interface AskedPrice {
  readonly model: string
  readonly priceList?: string | undefined
  readonly rates: Rates
  readonly effectiveFrom?: number
}

/**
 * A price from now on is one from when it was first asked for, and so is one from shortly before.
 *
 * @throws {ServiceError} `conflict` for a price that was published as another one
 */
export function checkSamePrice(made: PublishedPrice, asked: AskedPrice): void {
  const { model, priceList = DEFAULT_PRICE_LIST, rates, effectiveFrom } = asked
  const isSame =
    made.model === model &&
    made.priceList === priceList &&
    isSameRates(made, rates) &&
    (effectiveFrom === undefined || startOf(effectiveFrom, made.publishedAt) === made.effectiveFrom)
  if (isSame) return
  const message = `Another price was published under this idempotency key: ${made.version}.`
  throw new ServiceError('conflict', message)
}

function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString()
}

function invalid(message: string, param: string): ServiceError {
  return new ServiceError('invalid_value', message, { param })
}

function noSuchPrice(version: string): ServiceError {
  return new ServiceError('not_found', `There is no price ${version}.`, { param: 'version' })
}
