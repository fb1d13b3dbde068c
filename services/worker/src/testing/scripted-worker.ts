/** A scheduler on a scripted model, and requests for it. */
import type { GenerateEvent, GenerateRequest } from '@svc/contracts/worker-protocol'
import { BLOCK_TOKENS } from '../engine/engine.ts'
import { Scheduler } from '../engine/scheduler.ts'
import { SequencePool } from '../engine/sequences.ts'
import { blockHashes } from '../prefix-cache/block-hash.ts'
import { hermes } from '../prompt/families/hermes.ts'
import { bytes } from './byte-vocabulary.ts'
import { type Script, scriptedEngine } from './scripted-engine.ts'

/** Three blocks. */
export const LONG_PROMPT = 'x'.repeat(3 * BLOCK_TOKENS)

/** A scheduler on a scripted model. */
export function scriptedWorker(script: Script = {}, queueLimit = 8) {
  const engine = scriptedEngine(script)
  const alarms: string[] = []
  const broken: unknown[] = []
  const scheduler = new Scheduler({
    engine,
    pool: new SequencePool(engine, blockHashes('secret', 'fingerprint')),
    family: hermes('<think>'),
    workerId: 'w',
    queueLimit,
    log: (_level, message) => alarms.push(message),
    nowMs: () => performance.now(),
    randomSeed: () => 1,
    onBroken: (error) => broken.push(error),
  })
  return { engine, scheduler, alarms, broken }
}

let requests = 0
export function request(prompt: string, changes: Partial<GenerateRequest> = {}): GenerateRequest {
  requests += 1
  return {
    requestId: `r${requests}`,
    tenant: 't',
    tokens: bytes(prompt),
    fingerprint: 'f',
    thinking: { enabled: false, effort: 'medium', budgetTokens: null },
    plan: { grammar: null, grammarFrom: 'answer', callable: [] },
    logitBias: [],
    topLogprobs: null,
    maxOutputTokens: 64,
    sampling: {
      ...{ temperature: 0, topP: 1, topK: 0, minP: 0, seed: 1 },
      ...{ frequencyPenalty: 0, presencePenalty: 0, repetitionPenalty: 1 },
    },
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
