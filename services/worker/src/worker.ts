/** Puts a worker together by its settings: engine, prefix cache, scheduler, and the API on top. */
import { randomBytes, randomInt } from 'node:crypto'
import { systemClock } from '@svc/infra/system/system-clock'
import { RecentTenants } from '@svc/infra/turns/recent-tenants'
import type { ModelFacts, OpenEngine } from './engines/engine.ts'
import { fingerprintOf } from './model-identity.ts'
import { AnswerPlans } from './plans/answer-plans.ts'
import { CompileThreads } from './plans/compile-threads.ts'
import { openPrefixCache } from './prefix-cache/open-prefix-cache.ts'
import type { Log } from './process/log.ts'
import { RuntimeWatch } from './process/runtime-watch.ts'
import { startWatchdog } from './process/watchdog.ts'
import { serveFamily } from './prompt/model-family.ts'
import type { WorkerApi } from './protocol/worker-api.ts'
import { Scheduler } from './scheduling/scheduler.ts'
import { SequencePool } from './scheduling/sequences/sequence-pool.ts'
import { testEngine } from './self-test.ts'
import type { WorkerSettings } from './settings/worker-settings.ts'
import { WorkerService } from './worker-service.ts'

const INSTANCE_BYTES = 8
const SEEDS = 2 ** 32

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
  const { chosen, reuse, remembered } = await testEngine({ engine, facts }, settings, log, nowMs)
  const { schedule, reason } = chosen
  const { name, shortTokensMax } = schedule
  log('info', 'schedule of prompts', { schedule: name, shortTokensMax, reason, remembered })
  const fingerprint = fingerprintOf(facts, schedule, served)
  const cacheOptions = { settings: settings.cache, engine, reuse, fingerprint, log, nowMs }
  const { cache, mode, problem, putsAside } = openPrefixCache(cacheOptions)
  const scheduler = new Scheduler({
    engine,
    cache,
    log,
    nowMs,
    onBroken,
    family: served.family,
    pool: new SequencePool({
      engine,
      cache,
      canPutAside: putsAside,
      nowMs,
      readsAnswers: settings.readsAnswers,
    }),
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
    compileMs,
    log,
    recent,
  })
  const plans = new AnswerPlans((tenant, asked) => compiler.compile(tenant, asked))
  const api = new WorkerService({
    nowMs,
    engine,
    scheduler,
    cache,
    renderer: served.renderer,
    plans,
    recent,
    facts: {
      ...healthFacts(settings, facts),
      fingerprint,
      contextSize: engine.contextSize,
      cache: mode,
    },
    cacheProblem: problem,
  })
  return { api, drain: () => scheduler.drain() }
}

/** What `/health` says of this process, its model and its hardware, and never changes. */
function healthFacts({ workerId, chosenGpu }: WorkerSettings, facts: ModelFacts) {
  return {
    workerId,
    instanceId: `${workerId}/${randomBytes(INSTANCE_BYTES).toString('hex')}`,
    modelName: facts.modelName,
    toy: facts.toy,
    threads: facts.threads,
    cpuVariant: facts.cpuVariant,
    device: facts.device,
    gpu: facts.gpu?.name ?? null,
    gpuProblem: chosenGpu?.problem ?? null,
  }
}
