/**
 * Which of the waiting evaluations form the next batch.
 *
 * A batch is either one chunk of one prompt alone, or the next tokens of generating sequences: the
 * two kinds take turns. So a long prompt delays the others by one chunk at a time (the runtime's
 * own strategy would let it take every batch until it is done), and the bytes that a prompt
 * leaves in the KV cache never depend on who else was running.
 *
 * Sequences stand in a batch in the order of their numbers. llama.cpp computes in one go only those
 * whose numbers follow one another: of 2, 0, 3, 1 it makes two computations, and reads the weights
 * twice. It also keeps its graph for the next batch only if that one has the same sequences.
 */
import { type BatchCounts, noBatches } from '../engine.ts'

/** The part of the runtime's batch item that matters here. */
export interface WaitingItem {
  readonly tokens: readonly unknown[]
  /** True at the tokens after which a new token is drawn: none in a chunk of a prompt. */
  readonly logits: readonly (true | undefined)[]
  readonly evaluationPriority: number
}

/** The evaluation priority of a sequence that must not share a batch. */
export const PRIORITY_ALONE = -1

/**
 * The evaluation priority of a sequence that shares batches: its place in them. Nothing else of an
 * item tells which sequence it is of.
 *
 * @param sequence its number in the context, from 0
 */
export function prioritySharedOf(sequence: number): number {
  return sequence
}

export type BatchStrategy = <Item extends WaitingItem>(waiting: {
  readonly items: readonly Item[]
  readonly size: number
}) => { item: Item; processAmount: number }[]

/**
 * Takes as many items as fit, by the numbers of their sequences. Forced tokens make an item longer
 * than one token.
 */
function fitting<Item extends WaitingItem>(items: readonly Item[], size: number) {
  const batch: { item: Item; processAmount: number }[] = []
  let room = size
  for (const item of items) {
    const processAmount = Math.min(item.tokens.length, size)
    if (processAmount > room) continue
    batch.push({ item, processAmount })
    room -= processAmount
  }
  return batch.toSorted((a, b) => a.item.evaluationPriority - b.item.evaluationPriority)
}

/**
 * A strategy with its own turn counters: one for each context.
 *
 * @param counts is added to with every batch
 */
export function alternatingBatches(counts: BatchCounts = noBatches()): BatchStrategy {
  let lastWasPrompt = false
  let turns = 0
  return ({ items, size }) => {
    const prompts = items.filter((item) => !item.logits.includes(true))
    const drawing = items.filter((item) => item.logits.includes(true))
    if (drawing.length > 0 && (lastWasPrompt || prompts.length === 0)) {
      lastWasPrompt = false
      const lonely = drawing.find((item) => item.evaluationPriority === PRIORITY_ALONE)
      const batch = lonely === undefined ? fitting(drawing, size) : fitting([lonely], size)
      counts.decode += 1
      for (const { processAmount } of batch) counts.decodeTokens += processAmount
      return batch
    }
    const prompt = prompts[turns % Math.max(1, prompts.length)]
    if (prompt === undefined) return []
    lastWasPrompt = true
    turns += 1
    const processAmount = Math.min(size, prompt.tokens.length)
    counts.prompt += 1
    counts.promptTokens += processAmount
    return [{ item: prompt, processAmount }]
  }
}
