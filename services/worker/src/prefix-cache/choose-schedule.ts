/**
 * Finds out, before a worker serves, by which schedule its model can be computed: whether the bytes
 * that prompts leave in its memory are the same however they were cut into batches. Other kernels
 * (of another kind of CPU, of a GPU, of a later llama.cpp) and other models (mixtures of experts,
 * whose batches split up by expert) may well differ, and fall back to the schedule that cuts less.
 *
 * A prompt is computed by the schedule, then its end again in a batch of another size from an odd
 * place, which reaches into memory that the first way did not look at, and a part of its middle in
 * a batch that is filled up: 396 rows. Likewise a short prompt: 60 rows. Where only those differ,
 * every prompt is computed as a long one.
 */
import { messageOf } from '@svc/contracts/error-message'
import type { Engine } from '../engines/engine.ts'
import {
  type PromptKind,
  type PromptSchedule,
  withoutShortPrompts,
} from '../engines/prompt-schedule.ts'

/** Any odd number: it makes the tokens differ from their neighbours. */
const STRIDE = 7919
interface Trial {
  readonly kind: PromptKind
  readonly tokens: number
  readonly otherBatch: Batch
  readonly smallBatch: Batch
  /** What it means when the bytes differ. */
  readonly otherwise: string
}
interface Batch {
  readonly from: number
  readonly to: number
}

/** These reasons hold at every start, unlike failures that another start may not meet. */
export const DEPENDS_ON_BATCHES = 'the bytes of a prompt depend on its batches'
export const SHORT_DEPENDS_ON_BATCHES = 'the bytes of a short prompt depend on its batches'

const LONG: Trial = {
  kind: 'long',
  /** llama.cpp looks at this many cells of a sequence at once, or at a multiple of them. */
  tokens: 256,
  /** Filled up by one row, which is the first beyond those cells: more of them are looked at. */
  otherBatch: { from: 181, to: 256 },
  /** Filled up to several times its size. */
  smallBatch: { from: 130, to: 147 },
  otherwise: DEPENDS_ON_BATCHES,
}
const SHORT: Trial = {
  kind: 'short',
  tokens: 32,
  otherBatch: { from: 9, to: 32 },
  smallBatch: { from: 17, to: 18 },
  otherwise: SHORT_DEPENDS_ON_BATCHES,
}

export interface ChosenSchedule {
  readonly schedule: PromptSchedule
  /** Why it is not the best that the engine knows; null when it is. */
  readonly reason: string | null
}

/** Leaves the engine with the schedule, and its first sequence empty. */
export async function chooseSchedule(engine: Engine): Promise<ChosenSchedule> {
  let reason: string | null = null
  for (const schedule of engine.schedules) {
    engine.schedule = schedule
    if (schedule.cutTokens > 1) break
    reason = await whyNotCut(engine)
    if (reason === null) return await withShortPrompts(engine)
  }
  return { schedule: engine.schedule, reason }
}

async function withShortPrompts(engine: Engine): Promise<ChosenSchedule> {
  const { schedule } = engine
  if (schedule.shortTokensMax === 0) return { schedule, reason: null }
  const reason = await tryOut(engine, SHORT)
  if (reason !== null) engine.schedule = withoutShortPrompts(schedule)
  return { schedule: engine.schedule, reason }
}

/** The tokens of a prompt that says nothing. */
export function testPrompt({ vocabulary }: Engine, tokens: number): readonly number[] {
  return Array.from({ length: tokens }, (_, index) => (index * STRIDE) % vocabulary.size)
}

/** @returns why memory cannot be cut after any token, or null when it can */
async function whyNotCut(engine: Engine): Promise<string | null> {
  if (!engine.canReusePrefix || engine.sequences.length === 0) {
    return 'this kind of model cannot go on from a part of its memory'
  }
  if (engine.contextSize <= LONG.tokens) {
    return `a context of ${engine.contextSize} tokens is too small to try it out`
  }
  return await tryOut(engine, LONG)
}

/** @returns why prompts of the kind cannot be cut after any token, or null when they can */
async function tryOut(engine: Engine, trial: Trial): Promise<string | null> {
  try {
    return (await isCutAnywhere(engine, trial)) ? null : trial.otherwise
  } catch (error) {
    return messageOf(error)
  }
}

/** Leaves the engine's first sequence empty. */
async function isCutAnywhere(engine: Engine, trial: Trial): Promise<boolean> {
  const { kind, tokens, otherBatch, smallBatch } = trial
  const [sequence] = engine.sequences
  if (sequence === undefined) return false
  const prompt = testPrompt(engine, tokens)
  const again = async ({ from, to }: Batch) => {
    await sequence.truncate(from)
    await sequence.prefill(prompt.slice(from, to), kind)
    return await sequence.readBlocks(0, to)
  }
  try {
    const whole = await again({ from: 0, to: tokens })
    const beginning = await sequence.readBlocks(0, smallBatch.to)
    return areSame(whole, await again(otherBatch)) && areSame(beginning, await again(smallBatch))
  } finally {
    await sequence.truncate(0)
  }
}

export function areSame(one: readonly Uint8Array[], other: readonly Uint8Array[]): boolean {
  return (
    one.length === other.length &&
    one.every((bytes, index) => Buffer.compare(bytes, other[index] ?? Buffer.of()) === 0)
  )
}
