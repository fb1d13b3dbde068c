/** A request as the reference account remembers it, and what it costs. */
import type { Slice } from './reference-funds.ts'

export interface Rates {
  readonly input: bigint
  readonly cached: bigint
  readonly output: bigint
}

export interface Tokens {
  readonly input: number
  readonly cached: number
  readonly output: number
}

export interface ReferenceRequest {
  readonly acceptedAt: number
  readonly version: string
  readonly rates: Rates
  readonly prompt: number
  readonly outputMax: number
  readonly hold: bigint
  readonly isUnderHeld: boolean
  readonly key: string | null
  status: 'running' | 'charged' | 'free'
  tokens: Tokens
  amount: bigint
  slices: readonly Slice[]
  debt: bigint
  refunds: { readonly key: string | null; readonly id: string; readonly amount: bigint }[]
}

export interface PriceRun {
  readonly id: string
  readonly version: string
  readonly rates: Rates
  readonly from: number
  readonly to: number
}

export function costOf(rates: Rates, { input, cached, output }: Tokens): bigint {
  return rates.input * BigInt(input) + rates.cached * BigInt(cached) + rates.output * BigInt(output)
}

/** @returns zero where not even one fits */
export function mostTokens(max: number, fits: (tokens: number) => boolean): number {
  let tokens = max
  while (tokens > 0 && !fits(tokens)) tokens -= 1
  return tokens
}
