/**
 * What a worker has to find out about its model before it serves: by which schedule prompts are
 * computed, and whether memory can be taken apart and put back. That takes as long as a prompt of
 * about 500 tokens, so it is done once for a model, a processor and a version, and remembered.
 *
 * A later start confirms what it remembers: it computes 64 tokens of a long prompt and a few of a
 * short one, takes them out and puts them back, and the bytes have to be those of the test. Other
 * weights, kernels or formats leave others; then, and whenever the operator asks for it, everything
 * is tried out again.
 */
import { createHash } from 'node:crypto'
import { promptSchedules } from '@svc/contracts/events/account'
import { z } from 'zod'
import type { Engine } from '../engines/engine.ts'
import { type PromptKind, withoutShortPrompts } from '../engines/prompt-schedule.ts'
import type { Findings, Subject } from '../process/findings.ts'
import {
  areSame,
  type ChosenSchedule,
  chooseSchedule,
  DEPENDS_ON_BATCHES,
  SHORT_DEPENDS_ON_BATCHES,
  testPrompt,
} from './choose-schedule.ts'
import { type ReuseTest, testReuse } from './self-test.ts'

/** Batches that are not filled up by any schedule. */
const CONFIRMED: readonly { readonly kind: PromptKind; readonly tokens: number }[] = [
  { kind: 'long', tokens: 64 },
  { kind: 'short', tokens: 12 },
]

export interface ModelTest {
  readonly chosen: ChosenSchedule
  readonly reuse: ReuseTest
  /** Whether an earlier start found it, and this one confirmed it. */
  readonly remembered: boolean
}

/**
 * What is kept of a test: only results that hold for every start, because a failure may be of that
 * hour.
 */
const keptFinding = z.object({
  schedule: z.enum(promptSchedules),
  shortTokensMax: z.int().nonnegative(),
  reason: z.enum([DEPENDS_ON_BATCHES, SHORT_DEPENDS_ON_BATCHES]).nullable(),
  tokenBytes: z.number().positive(),
  computeTokensPerMs: z.number().positive(),
  /** The digest of the bytes that the first tokens of a prompt leave. */
  digest: z.string(),
})

/**
 * Leaves the engine with the schedule, and its first sequence empty.
 *
 * @param subject what the findings depend on
 */
export async function testModel(
  engine: Engine,
  subject: Subject,
  findings: Findings,
  nowMs: () => number,
): Promise<ModelTest> {
  const remembered = await confirmed(engine, await findings.find(subject))
  if (remembered !== null) return remembered
  const chosen = await chooseSchedule(engine)
  const reuse = await testReuse(engine, nowMs)
  const { schedule, reason } = chosen
  if (reuse.works && reuse.putsAside) {
    const { tokenBytes, computeTokensPerMs } = reuse
    const { name, shortTokensMax } = schedule
    const digest = await digestOf(engine).catch(() => null)
    const kept = { schedule: name, shortTokensMax, reason, tokenBytes, computeTokensPerMs, digest }
    const finding = keptFinding.safeParse(kept)
    if (finding.success) await findings.keep(subject, finding.data)
  }
  return { chosen, reuse, remembered: false }
}

async function confirmed(engine: Engine, found: unknown): Promise<ModelTest | null> {
  const { success, data: kept } = keptFinding.safeParse(found)
  const known = engine.schedules.find(({ name }) => name === kept?.schedule)
  if (!success || known === undefined) return null
  const schedule = kept.shortTokensMax === 0 ? withoutShortPrompts(known) : known
  if (schedule.shortTokensMax !== kept.shortTokensMax) return null
  engine.schedule = schedule
  const digest = await digestOf(engine).catch(() => null)
  if (digest !== kept.digest) return null
  const { reason, tokenBytes, computeTokensPerMs } = kept
  return {
    chosen: { schedule, reason },
    reuse: { works: true, putsAside: true, tokenBytes, computeTokensPerMs },
    remembered: true,
  }
}

/** @returns null when what was put back is not what was taken out */
async function digestOf(engine: Engine): Promise<string | null> {
  const [sequence] = engine.sequences
  if (sequence === undefined || !engine.canReusePrefix) return null
  const digest = createHash('sha256')
  const confirmed = CONFIRMED.filter(({ kind }) => kind === 'long' || hasShortPrompts(engine))
  try {
    for (const { kind, tokens } of confirmed) {
      const prompt = testPrompt(engine, tokens)
      await sequence.truncate(0)
      await sequence.prefill(prompt, kind)
      const blocks = await sequence.readBlocks(0, prompt.length)
      await sequence.truncate(0)
      await sequence.restore(prompt, blocks)
      const again = await sequence.readBlocks(0, prompt.length)
      if (!areSame(blocks, again)) return null
      for (const block of blocks) digest.update(block)
    }
    return digest.digest('hex')
  } finally {
    await sequence.truncate(0)
  }
}

function hasShortPrompts({ schedule }: Engine): boolean {
  return schedule.shortTokensMax > 0
}
