/** Prices, their versions, and the cost of a triple of tokens. */
import { z } from 'zod'
import { type PicoDollars, picoDollars } from './money.ts'
import type { TokenClass, TokenCounts } from './tokens.ts'

/** Pico-dollars per token, per class. A cached token never costs more than a computed one. */
export interface Rates {
  readonly input: PicoDollars
  readonly cachedInput: PicoDollars
  readonly output: PicoDollars
}

/** A published price of one model. A version is immutable: a new price is a new version. */
export interface PriceVersion extends Rates {
  /** `price_…` */
  readonly version: string
}

const rate = picoDollars.refine((perToken) => perToken >= 0n, 'a price is 0 or more')

export const priceVersion = z
  .object({ version: z.string(), input: rate, cachedInput: rate, output: rate })
  .refine(
    ({ input, cachedInput }) => cachedInput <= input,
    'a cached token costs no more than a computed one',
  )

/** The prices of everybody whose account names no list of its own. */
export const DEFAULT_PRICE_LIST = 'default'

/** A list names prices, never people: it is in events that are kept for ever. */
export const priceListName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,63}$/,
    'must be at most 64 lower-case letters, digits, ".", "_" and "-", the first a letter or digit',
  )

/** One line of a receipt: `amount === price × tokens`, exactly. */
export interface CostLine {
  readonly class: TokenClass
  readonly tokens: number
  /** Pico-dollars per token. */
  readonly price: PicoDollars
  readonly amount: PicoDollars
}

/** The receipt of a triple: always the three lines, in the order of the classes. */
export function costLines(rates: Rates, counts: TokenCounts): readonly CostLine[] {
  return [
    line('input', counts.inputTokens, rates.input),
    line('cached_input', counts.cachedInputTokens, rates.cachedInput),
    line('output', counts.outputTokens, rates.output),
  ]
}

/** Gives what a triple costs, in pico-dollars: exact, never rounded. */
export function costOf(rates: Rates, counts: TokenCounts): PicoDollars {
  return costLines(rates, counts).reduce((sum, { amount }) => sum + amount, 0n)
}

/** The most a request can cost: the whole prompt computed, and every output token produced. */
export function worstCase(
  rates: Rates,
  promptTokens: number,
  maxOutputTokens: number,
): PicoDollars {
  return costOf(rates, {
    inputTokens: promptTokens,
    cachedInputTokens: 0,
    outputTokens: maxOutputTokens,
  })
}

function line(tokenClass: TokenClass, tokens: number, price: PicoDollars): CostLine {
  return { class: tokenClass, tokens, price, amount: price * BigInt(tokens) }
}
