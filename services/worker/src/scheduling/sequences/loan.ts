/** A sequence in the hands of one request. */
import type { EngineSequence } from '../../engines/engine.ts'
import { blocksOf } from '../../prefix-cache/block-names.ts'
import type { PrefixWork } from '../../prefix-cache/prefix-cache.ts'
import type { UnkeptPrompt } from './unkept-prompts.ts'

/** It is the request's alone until it is given back, put aside or discarded. */
export interface Loan {
  readonly sequence: EngineSequence
  /** Leading tokens of the prompt that the sequence already holds. */
  readonly reusedTokens: number
  /** Whole blocks among them. */
  readonly reusedBlocks: number
  readonly lastBlockHash: string | null
  /** The cache from which the last of the reused blocks came. */
  readonly source: 'none' | 'l1' | 'l2'
  /** The runtime's counter before anything was computed for this request. */
  readonly evaluatedBefore: number
  readonly work: PrefixWork
  /** Prompts that this one goes on from: the loan owns their work too. */
  readonly takenOver: readonly UnkeptPrompt[]
}

/** What a sequence that was just made holds. */
export const NOTHING_HELD = {
  takenOver: [],
  reusedTokens: 0,
  reusedBlocks: 0,
  lastBlockHash: null,
  source: 'none',
} as const

/** What of each prompt its sequence holds, the newest first. */
export function promptsOf(
  { work, takenOver }: Loan,
  computedTokens: number,
): readonly UnkeptPrompt[] {
  const own = { work, blocks: blocksOf(work.chain, computedTokens) }
  const others = takenOver.map(({ work, blocks }) => {
    return { work, blocks: Math.min(blocks, blocksOf(work.chain, computedTokens)) }
  })
  return [own, ...others]
}
