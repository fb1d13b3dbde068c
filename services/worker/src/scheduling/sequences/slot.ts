/** One of the model's sequences with what the pool knows of it, lent or idle; and which is lent. */
import type { EngineSequence } from '../../engines/engine.ts'
import { type Chain, sharedTokens } from '../../prefix-cache/block-names.ts'
import type { AnswerReading, LivePrompt } from './answer-reading.ts'
import type { UnkeptPrompts } from './unkept-prompts.ts'

/** A sequence of which less is shared stays with the conversation that it holds. */
const OTHERS_SHARE_MAX = 0.5

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

/**
 * @param chain of the prompt that is to be computed; null for one that is put back whole
 * @param keepsBlocks whether the beginning of a prompt comes from blocks in memory
 * @returns the slot of the most shared tokens; among equals one that is empty, then the one unused
 *   for longest
 */
export function bestSlot(
  idle: readonly Slot[],
  chain: Chain | null,
  keepsBlocks: boolean,
): Slot | undefined {
  const [best] = idle
    .map((slot) => ({ slot, shared: chain === null ? 0 : worthTokens(slot, chain, keepsBlocks) }))
    .toSorted(
      (a, b) =>
        b.shared - a.shared ||
        Number(a.slot.live !== null) - Number(b.slot.live !== null) ||
        a.slot.lastUse - b.slot.lastUse,
    )
  return best?.slot
}

/**
 * A slot whose conversation merely begins alike is worth nothing, because that beginning comes
 * from the blocks in memory.
 */
function worthTokens({ live }: Slot, chain: Chain, keepsBlocks: boolean): number {
  const shared = liveTokens(live, chain)
  const held = live?.tokens ?? 0
  return shared < held * OTHERS_SHARE_MAX && keepsBlocks ? 0 : shared
}
