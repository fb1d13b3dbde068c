/** Names all that a worker's results depend on: what is equal here computes equal tokens. */
import { hash } from 'node:crypto'
import { cpus } from 'node:os'
import type { Engine, ModelFacts } from './engines/engine.ts'
import { type PromptSchedule, SCHEDULE_VERSION } from './engines/prompt-schedule.ts'
import { PLAN_VERSION } from './plans/answer-plan.ts'
import type { Subject } from './process/findings.ts'
import type { ServedFamily } from './prompt/model-family.ts'
import { PROMPT_VERSION } from './prompt/prompt-tokens.ts'

const FINGERPRINT_CHARACTERS = 32
/** To be raised when the same probabilities and seed come to draw another token. */
const DRAW_VERSION = 2
/** To be raised when the self-test comes to test something else. */
const SELF_TEST_VERSION = 2

/** Everything that the result of the self-test depends on: it is kept for an equal subject. */
export function selfTestSubject(facts: ModelFacts, engine: Engine): Subject {
  return {
    subject: 'self-test',
    version: SELF_TEST_VERSION,
    scheduleVersion: SCHEDULE_VERSION,
    schedules: engine.schedules.map(scheduleFacts).join(),
    contextSize: engine.contextSize,
    sequences: engine.sequences.length,
    modelDigest: facts.digest,
    llamaCpp: facts.runtimeRelease,
    library: facts.libraryVersion,
    cpuVariant: facts.cpuVariant,
    processor: cpus()[0]?.model ?? 'unknown',
    device: facts.device,
    gpu: gpuText(facts),
    threads: facts.threads,
  }
}

/**
 * The fingerprint of a worker. Workers with equal fingerprints compute the same tokens and plans,
 * so one of them may go on with a prompt that another has prepared.
 */
export function fingerprintOf(
  facts: ModelFacts,
  schedule: PromptSchedule,
  { family }: ServedFamily,
): string {
  const parts = {
    modelDigest: facts.digest,
    llamaCpp: facts.runtimeRelease,
    library: facts.libraryVersion,
    cpuVariant: facts.cpuVariant,
    device: facts.device,
    // Left out for CPUs, so that what they have kept under their fingerprint stays theirs.
    ...(facts.gpu === null ? {} : { gpu: gpuText(facts) }),
    // Threads share the attention of one row, so their number changes the last digits of a result.
    threads: facts.device === 'cpu' ? facts.threads : null,
    template: hash('sha256', facts.chatTemplate ?? '', 'hex'),
    family: family.name,
    prompt: PROMPT_VERSION,
    plan: PLAN_VERSION,
    draws: DRAW_VERSION,
    blockTokens: schedule.blockTokens,
    schedule: schedule.name,
    scheduleVersion: SCHEDULE_VERSION,
    chunkTokens: firstBatchTokens(schedule),
    shortTokensMax: schedule.shortTokensMax,
    flashAttention: true,
  }
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, FINGERPRINT_CHARACTERS)
}

/** All that the results of the GPU depend on, in one line. */
function gpuText({ gpu }: ModelFacts): string | null {
  return gpu === null ? null : [gpu.name, ...gpu.libraries].join(', ')
}

function scheduleFacts(schedule: PromptSchedule): string {
  const { name, blockTokens, shortTokensMax } = schedule
  return `${name}/${blockTokens}/${shortTokensMax}/${firstBatchTokens(schedule)}`
}

/** The length of the first batch of a long prompt, in tokens. */
function firstBatchTokens(schedule: PromptSchedule): number {
  return schedule.batches.long.batchEnd(0, Number.MAX_SAFE_INTEGER)
}
