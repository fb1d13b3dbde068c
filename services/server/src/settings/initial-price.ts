/** The price that a first start publishes: three settings, in dollars per million tokens. */
import { type PicoDollars, parsePricePerMillion } from '@svc/contracts/money'
import type { Rates } from '@svc/contracts/price'
import { z } from 'zod'

const rate = z.string().transform((text, context): PicoDollars | undefined => {
  if (text === '') return undefined
  try {
    return parsePricePerMillion(text)
  } catch {
    const message = 'must be dollars per million tokens, such as 0.15 (at most 6 decimals)'
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
})

export const initialPriceVariables = {
  SVC_INIT_PRICE_INPUT: rate.optional(),
  SVC_INIT_PRICE_CACHED_INPUT: rate.optional(),
  SVC_INIT_PRICE_OUTPUT: rate.optional(),
}

const names = Object.keys(initialPriceVariables) as (keyof typeof initialPriceVariables)[]

type InitialPriceSettings = {
  readonly [Name in keyof typeof initialPriceVariables]?: PicoDollars | undefined
}

/** @returns undefined when none is set */
export function initialPriceOf(settings: InitialPriceSettings): Rates | undefined {
  const { SVC_INIT_PRICE_INPUT: input, SVC_INIT_PRICE_OUTPUT: output } = settings
  const { SVC_INIT_PRICE_CACHED_INPUT: cachedInput } = settings
  if (input === undefined || cachedInput === undefined || output === undefined) return undefined
  return { input, cachedInput, output }
}

/** What is wrong with the three together, in one line; undefined: nothing. */
export function initialPriceProblem(settings: InitialPriceSettings): string | undefined {
  const missing = names.find((name) => settings[name] === undefined)
  const price = initialPriceOf(settings)
  if (price === undefined) {
    const isNoneSet = names.every((name) => settings[name] === undefined)
    return isNoneSet ? undefined : `${missing}: is missing: a price has three rates`
  }
  if (price.cachedInput > price.input) {
    return 'SVC_INIT_PRICE_CACHED_INPUT: must be at most SVC_INIT_PRICE_INPUT'
  }
  if (price.input === 0n && price.output === 0n) {
    return 'SVC_INIT_PRICE_INPUT: a price of nothing is published with svc price publish --yes'
  }
  return undefined
}
