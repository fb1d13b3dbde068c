/** One of the model's sequences with what the pool knows of it, lent or idle. */
import type { EngineSequence } from '../../engines/engine.ts'
import { type Chain, sharedTokens } from '../../prefix-cache/block-names.ts'
import type { AnswerReading, LivePrompt } from './answer-reading.ts'
import type { UnkeptPrompts } from './unkept-prompts.ts'

export interface Slot {
  sequence: EngineSequence
  /** The prompt that it holds, as far as it can be reused. */
  live: LivePrompt | null
  /** Of the answer to it. */
  readonly reading: AnswerReading
  /** What it holds of prompts that is nowhere else. */
  readonly unkept: UnkeptPrompts
  lent: boolean
  /** Larger is later. */
  lastUse: number
}

/** Leading tokens of a prompt that need not be computed, because the sequence holds them. */
export function liveTokens(live: LivePrompt | null, chain: Chain): number {
  return live === null ? 0 : sharedTokens(chain, live.chain, live.tokens)
}
