/** What was used: requests, and tokens and money by class. */
import type { UsedTokens } from '../rows/usage-rows.ts'

/** Grows with time; money in pico-dollars. */
export interface Used {
  requests: number
  inputTokens: number
  cachedInputTokens: number
  outputTokens: number
  inputAmount: bigint
  cachedInputAmount: bigint
  outputAmount: bigint
}

/** The usage as a row has it. What was used stands beside it. */
export interface StoredUsed {
  readonly requests: number
  readonly input_tokens: number
  readonly cached_input_tokens: number
  readonly output_tokens: number
  readonly input_amount: string
  readonly cached_input_amount: string
  readonly output_amount: string
}

/** The columns of {@link StoredUsed} alone, in their order. */
export type UsedColumns = readonly [
  requests: number,
  inputTokens: number,
  cachedInputTokens: number,
  outputTokens: number,
  inputAmount: string,
  cachedInputAmount: string,
  outputAmount: string,
]
export const NOTHING_USED: UsedColumns = [0, 0, 0, 0, '0', '0', '0']

export function nothingUsed(): Used {
  return readColumns(NOTHING_USED)
}

export function readUsed(row: StoredUsed): Used {
  return {
    requests: row.requests,
    inputTokens: row.input_tokens,
    cachedInputTokens: row.cached_input_tokens,
    outputTokens: row.output_tokens,
    inputAmount: BigInt(row.input_amount),
    cachedInputAmount: BigInt(row.cached_input_amount),
    outputAmount: BigInt(row.output_amount),
  }
}

export function readColumns(row: UsedColumns): Used {
  const [requests, inputTokens, cachedInputTokens, outputTokens, input, cachedInput, output] = row
  return {
    requests,
    inputTokens,
    cachedInputTokens,
    outputTokens,
    inputAmount: BigInt(input),
    cachedInputAmount: BigInt(cachedInput),
    outputAmount: BigInt(output),
  }
}

export function columnsOf(used: Used): UsedColumns {
  return [
    used.requests,
    used.inputTokens,
    used.cachedInputTokens,
    used.outputTokens,
    used.inputAmount.toString(),
    used.cachedInputAmount.toString(),
    used.outputAmount.toString(),
  ]
}

export function addUsed(total: Used, used: Used): void {
  total.requests += used.requests
  total.inputTokens += used.inputTokens
  total.cachedInputTokens += used.cachedInputTokens
  total.outputTokens += used.outputTokens
  total.inputAmount += used.inputAmount
  total.cachedInputAmount += used.cachedInputAmount
  total.outputAmount += used.outputAmount
}

/** Tells what was used between two totals. */
export function usedBetween(before: Used, after: Used): UsedTokens {
  const inputAmount = after.inputAmount - before.inputAmount
  const cachedInputAmount = after.cachedInputAmount - before.cachedInputAmount
  const outputAmount = after.outputAmount - before.outputAmount
  return {
    requests: after.requests - before.requests,
    inputTokens: after.inputTokens - before.inputTokens,
    cachedInputTokens: after.cachedInputTokens - before.cachedInputTokens,
    outputTokens: after.outputTokens - before.outputTokens,
    inputAmount,
    cachedInputAmount,
    outputAmount,
    amount: inputAmount + cachedInputAmount + outputAmount,
  }
}

export function sumOfUsed(parts: readonly UsedTokens[]): UsedTokens {
  const sum = (of: (part: UsedTokens) => number) => parts.reduce((total, p) => total + of(p), 0)
  const money = (of: (part: UsedTokens) => bigint) => parts.reduce((total, p) => total + of(p), 0n)
  return {
    requests: sum((part) => part.requests),
    inputTokens: sum((part) => part.inputTokens),
    cachedInputTokens: sum((part) => part.cachedInputTokens),
    outputTokens: sum((part) => part.outputTokens),
    inputAmount: money((part) => part.inputAmount),
    cachedInputAmount: money((part) => part.cachedInputAmount),
    outputAmount: money((part) => part.outputAmount),
    amount: money((part) => part.amount),
  }
}
