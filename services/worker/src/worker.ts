/** Puts a worker together by its settings: engine, prefix cache, scheduler, and the API on top. */
import { hash, randomBytes, randomInt } from 'node:crypto'
import { cpus } from 'node:os'
import { systemClock } from '@svc/infra/system/system-clock'
import { RecentTenants } from '@svc/infra/turns/recent-tenants'
import type { Engine, ModelFacts, OpenEngine } from './engines/engine.ts'
import { type PromptSchedule, SCHEDULE_VERSION } from './engines/prompt-schedule.ts'
import { PLAN_VERSION } from './plans/answer-plan.ts'
import { AnswerPlans } from './plans/answer-plans.ts'
import { CompileThreads } from './plans/compile-threads.ts'
import { testModel } from './prefix-cache/model-test.ts'
import { openPrefixCache } from './prefix-cache/open-prefix-cache.ts'
import { withSigns } from './prefix-cache/signs-of-life.ts'
import { findingsIn, type Subject } from './process/findings.ts'
import type { Log } from './process/log.ts'
import { RuntimeWatch } from './process/runtime-watch.ts'
import { startWatchdog } from './process/watchdog.ts'
import { type ServedFamily, serveFamily } from './prompt/model-family.ts'
import { PROMPT_VERSION } from './prompt/prompt-tokens.ts'
import type { WorkerApi } from './protocol/worker-api.ts'
import { Scheduler } from './scheduling/scheduler.ts'
import { SequencePool } from './scheduling/sequence-pool.ts'
import type { WorkerSettings } from './settings/worker-settings.ts'
import { WorkerService } from './worker-service.ts'

const FINGERPRINT_CHARACTERS = 32
const INSTANCE_BYTES = 8
const SEEDS = 2 ** 32
/** To be raised when the same probabilities and seed come to draw another token. */
const DRAW_VERSION = 2
/** To be raised when the self-test comes to test something else. */
const SELF_TEST_VERSION = 2

export interface Worker {
  readonly api: WorkerApi
  /** Refuses new requests. Resolves when the running ones have ended. */
  drain(): Promise<void>
}

const nowMs = () => performance.now()

/**
 * Loads the model, tests it, and makes everything ready to serve.
 *
 * @param onBroken is called when the runtime cannot be used any more: the process should end
 * @param openEngine opens the engine that computes tokens
 * @throws {StartRefused} with one line for the operator
 */
export async function startWorker(
  settings: WorkerSettings,
  log: Log,
  onBroken: (error: unknown) => void,
  openEngine: OpenEngine,
): Promise<Worker> {
  const watch = new RuntimeWatch()
  const { engine, facts } = await openEngine(settings.engine, { log, watch })
  startWatchdog(watch, settings.hangMs)
  if (facts.gpu !== null) log('info', 'computing on a GPU', { ...facts.gpu })
  const served = serveFamily(facts, engine.vocabulary, log, systemClock)
  const findings = findingsIn(settings.findings, log)
  const subject = selfTestSubject(facts, engine)
  const { chosen, reuse, remembered } = await withSigns(log, () =>
    testModel(engine, subject, findings, nowMs),
  )
  const { schedule, reason } = chosen
  const { name, shortTokensMax } = schedule
  log('info', 'schedule of prompts', { schedule: name, shortTokensMax, reason, remembered })
  const fingerprint = fingerprintOf(facts, schedule, served)
  const { cache, mode, putsAside } = openPrefixCache({
    settings: settings.cache,
    ...{ engine, reuse, fingerprint, log, nowMs },
  })
  const scheduler = new Scheduler({
    ...{ engine, cache, log, nowMs, onBroken, family: served.family },
    pool: new SequencePool(engine, cache, putsAside),
    workerId: settings.workerId,
    queueLimit: settings.queueLimit,
    tenantQueueLimit: settings.tenantQueueLimit,
    randomSeed: () => randomInt(SEEDS),
  })
  scheduler.draining = settings.drained
  const { limits, compileMs } = settings.schemas
  const recent = new RecentTenants(nowMs)
  const compiler = new CompileThreads({
    data: { familyName: served.family.name, chatTemplate: facts.chatTemplate ?? '', limits },
    ...{ compileMs, log, recent },
  })
  const plans = new AnswerPlans((tenant, asked) => compiler.compile(tenant, asked))
  const api = new WorkerService({
    nowMs,
    ...{ engine, scheduler, cache, renderer: served.renderer, plans, recent },
    facts: {
      workerId: settings.workerId,
      instanceId: `${settings.workerId}/${randomBytes(INSTANCE_BYTES).toString('hex')}`,
      fingerprint,
      modelName: facts.modelName,
      toy: facts.toy,
      contextSize: engine.contextSize,
      threads: facts.threads,
      cpuVariant: facts.cpuVariant,
      device: facts.device,
      gpu: facts.gpu?.name ?? null,
      cache: mode,
    },
  })
  return { api, drain: () => scheduler.drain() }
}

/** Everything that the result of the self-test depends on: it is kept for an equal subject. */
function selfTestSubject(facts: ModelFacts, engine: Engine): Subject {
  return {
    subject: 'self-test',
    ...{ version: SELF_TEST_VERSION, scheduleVersion: SCHEDULE_VERSION },
    schedules: engine.schedules.map(scheduleFacts).join(),
    ...{ contextSize: engine.contextSize, sequences: engine.sequences.length },
    ...{ modelDigest: facts.digest, llamaCpp: facts.runtimeRelease },
    ...{ library: facts.libraryVersion, cpuVariant: facts.cpuVariant },
    processor: cpus()[0]?.model ?? 'unknown',
    ...{ device: facts.device, gpu: gpuText(facts), threads: facts.threads },
  }
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

/**
 * The fingerprint of a worker. Workers with equal fingerprints compute the same tokens and plans,
 * so one of them may go on with a prompt that another has prepared.
 */
function fingerprintOf(
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
