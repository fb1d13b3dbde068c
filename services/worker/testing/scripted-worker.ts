/** A scheduler on a scripted model, and requests for it. */

import type { NearPrefixStore, PrefixStore } from '@svc/contracts/ports/prefix-store'
import type { Timer } from '@svc/contracts/ports/time'
import type { GenerateEvent, GenerateRequest } from '@svc/contracts/worker/protocol'
import { MemoryPrefixStore } from '@svc/infra/prefix-store/memory/memory-prefix-store'
import { systemTimer } from '@svc/infra/system/system-timer'
import { COLD } from '@svc/testing/protocol-client'
import { bytes } from '../src/engines/scripted/byte-vocabulary.ts'
import { type Script, scriptedEngine } from '../src/engines/scripted/scripted-engine.ts'
import { blockNames } from '../src/prefix-cache/block-names.ts'
import { CostModel } from '../src/prefix-cache/cost-model.ts'
import { PrefixCache } from '../src/prefix-cache/prefix-cache.ts'
import { hermes } from '../src/prompt/families/hermes.ts'
import { Scheduler } from '../src/scheduling/scheduler.ts'
import { SequencePool } from '../src/scheduling/sequences/sequence-pool.ts'

/** Of a block of the canonical schedule, which the script follows unless it cuts anywhere. */
export const BLOCK_TOKENS = 128
/** Three blocks. */
export const LONG_PROMPT = 'x'.repeat(3 * BLOCK_TOKENS)

const L1_BYTES = 1024 * 1024
/** A model that takes long: then everything is worth fetching and waiting for. */
const SLOW_TOKENS_PER_MS = 0.1

export interface ScriptedParts {
  readonly l1?: NearPrefixStore
  readonly l2?: PrefixStore | null
  readonly nowMs?: () => number
  readonly timer?: Timer
  /** Default: answers are not read ahead. */
  readonly readsAnswers?: boolean
}

/** A scheduler on a scripted model. */
export function scriptedWorker(
  script: Script = {},
  queueLimit = 8,
  {
    l1 = new MemoryPrefixStore({ bytesMax: L1_BYTES }),
    l2 = null,
    nowMs = () => performance.now(),
    timer = systemTimer,
    readsAnswers = false,
  }: ScriptedParts = {},
) {
  const engine = scriptedEngine(script)
  const alarms: string[] = []
  const broken: unknown[] = []
  const cost = new CostModel(SLOW_TOKENS_PER_MS)
  const cache = new PrefixCache({
    l1,
    l2,
    names: blockNames('secret', 'fingerprint', engine.schedule),
    cost,
    tokenBytes: 1,
    nowMs,
    onFailure: (what) => alarms.push(what),
  })
  const pool = new SequencePool({
    engine,
    cache,
    nowMs,
    timer,
    readsAnswers,
    canPutAside: true,
  })
  const scheduler = new Scheduler({
    engine,
    cache,
    pool,
    family: hermes('<think>'),
    workerId: 'w',
    queueLimit,
    tenantQueueLimit: queueLimit,
    log: (_level, message) => alarms.push(message),
    nowMs,
    randomSeed: () => 1,
    onBroken: (error) => broken.push(error),
  })
  return { engine, scheduler, pool, cache, cost, alarms, broken }
}

let requests = 0
export function request(prompt: string, changes: Partial<GenerateRequest> = {}): GenerateRequest {
  requests += 1
  return {
    requestId: `r${requests}`,
    tenant: 't',
    weight: 1,
    tokens: bytes(prompt),
    fingerprint: 'f',
    thinking: { enabled: false, effort: 'medium', budgetTokens: null },
    plan: { grammar: null, grammarFrom: 'answer', callable: [], mustCall: false },
    logitBias: [],
    topLogprobs: null,
    maxOutputTokens: 64,
    sampling: COLD,
    stop: [],
    timeLimitMs: 60_000,
    ...changes,
  }
}

/** Submits and collects the events to the last. */
export async function run(scheduler: Scheduler, asked: GenerateRequest) {
  const events: GenerateEvent[] = []
  await scheduler.submit(asked, async (event) => {
    events.push(event)
  })
  return summary(events)
}

function summary(events: readonly GenerateEvent[]) {
  const meter = events.find((event) => event.type === 'meter')?.meter
  const text = events.map((event) => (event.type === 'token' ? event.text : '')).join('')
  return { events, text, meter, last: events.at(-1) }
}
