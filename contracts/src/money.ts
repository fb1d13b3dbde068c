/**
 * Money is an integer number of pico-dollars (1e-12 USD), always a `bigint`, never a `number`.
 *
 * The unit is chosen so that nothing in the ledger is ever rounded: a list price with six decimals
 * per million tokens is a whole number of pico-dollars per token, and an amount is tokens × price.
 */
import { z } from 'zod'

export type PicoDollars = bigint

const PICO_DECIMALS = 12
const PICO_PER_DOLLAR = 10n ** BigInt(PICO_DECIMALS)
const PICO_PER_CENT = PICO_PER_DOLLAR / 100n
/** $1 per million tokens is this many pico-dollars per token. */
const PICO_PER_DOLLAR_PER_MILLION = PICO_PER_DOLLAR / 1_000_000n

const DECIMAL = /^(-)?(\d{1,18})(?:\.(\d{1,12}))?$/
const WHOLE_DIGITS_MAX = 18
/** Matches an amount that is well written, and may be too large or too fine. */
const PLAIN = /^-?(\d+)(?:\.\d+)?$/
/** The number of characters that a message shows of a given text. */
const SHOWN_CHARACTERS_MAX = 64

/**
 * Reads a decimal amount of dollars, such as `5`, `0.000001` or `-1.25`.
 *
 * @throws {RangeError} when the text is not a plain decimal, is finer than a pico-dollar, or is
 *   10¹⁸ dollars and more.
 */
export function parseDollars(text: string): PicoDollars {
  const match = DECIMAL.exec(text)
  if (match === null) throw new RangeError(`"${shown(text)}" ${problemOf(text)}`)
  const [, sign, whole = '0', fraction = ''] = match
  const pico = BigInt(whole) * PICO_PER_DOLLAR + BigInt(fraction.padEnd(PICO_DECIMALS, '0'))
  return sign === undefined ? pico : -pico
}

function problemOf(text: string): string {
  const [, whole = ''] = PLAIN.exec(text) ?? []
  if (whole.length > WHOLE_DIGITS_MAX) {
    return `is too large: an amount has at most ${WHOLE_DIGITS_MAX} digits before the point`
  }
  if (whole !== '') return `is too fine: an amount has at most ${PICO_DECIMALS} decimals`
  return `is not an amount in dollars, such as 5 or 0.25 (at most ${PICO_DECIMALS} decimals)`
}

function shown(text: string): string {
  return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text
}

/**
 * Writes every non-zero decimal, and at least two: `5.00`, `0.0000123`, `-1.25`.
 * The inverse of {@link parseDollars}: `parseDollars(formatExact(x)) === x` for every amount that
 * {@link parseDollars} can read, which is every one below 10¹⁸ dollars.
 */
export function formatExact(amount: PicoDollars): string {
  const magnitude = amount < 0n ? -amount : amount
  const fraction = (magnitude % PICO_PER_DOLLAR)
    .toString()
    .padStart(PICO_DECIMALS, '0')
    .replace(/0+$/, '')
    .padEnd(2, '0')
  return `${amount < 0n ? '-' : ''}${magnitude / PICO_PER_DOLLAR}.${fraction}`
}

/** Writes an amount exactly, with its currency: `$5.00`, `-$0.25`. */
export function formatDollars(amount: PicoDollars): string {
  return amount < 0n ? `-$${formatExact(-amount)}` : `$${formatExact(amount)}`
}

/**
 * Writes an amount for a glance: two decimals, half a cent rounds away from zero, thousands
 * separated. One that has more decimals says that it is rounded, such as `≈$5.00`. A positive
 * amount below half a cent reads `<$0.01`, so that money never reads as none.
 */
export function formatGlance(amount: PicoDollars): string {
  const sign = amount < 0n ? '-' : ''
  const magnitude = amount < 0n ? -amount : amount
  const cents = (magnitude + PICO_PER_CENT / 2n) / PICO_PER_CENT
  if (magnitude > 0n && cents === 0n) return amount < 0n ? '>-$0.01' : '<$0.01'
  const rounded = magnitude % PICO_PER_CENT === 0n ? '' : '≈'
  const whole = (cents / 100n).toString().replace(/\B(?=(\d{3})+$)/g, ',')
  return `${rounded}${sign}$${whole}.${(cents % 100n).toString().padStart(2, '0')}`
}

/**
 * Reads a list price in dollars per million tokens as pico-dollars per token: `0.15` is 150000n.
 *
 * @throws {RangeError} when negative, or finer than $0.000001 per million tokens.
 */
export function parsePricePerMillion(text: string): PicoDollars {
  const pico = parseDollars(text)
  const perMillion = PICO_PER_DOLLAR / PICO_PER_DOLLAR_PER_MILLION
  if (pico < 0n || pico % perMillion !== 0n) {
    throw new RangeError(
      `"${shown(text)}" is not a price in dollars per million tokens (0 or more, at most 6 decimals)`,
    )
  }
  return pico / perMillion
}

/** Writes pico-dollars per token as dollars per million tokens, exactly: 150000n is `0.15`. */
export function formatPricePerMillion(perToken: PicoDollars): string {
  return formatExact(perToken * 1_000_000n)
}

/**
 * An amount as it is stored in events and sent between processes: the integer as decimal text. It
 * is wider than what {@link parseDollars} lets in, so that no price × tokens and no sum of amounts
 * is ever written that could not be read again.
 */
export const picoDollars = z
  .string()
  .regex(/^-?\d{1,48}$/)
  .transform((digits): PicoDollars => BigInt(digits))
