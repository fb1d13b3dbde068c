/** The {@link WorkerApi} of one model. It prepares prompts itself; the scheduler runs answers. */

import type {
  AnswerPlan,
  AuditResponse,
  CancelResponse,
  GenerateRequest,
  HealthResponse,
  PrepareRequest,
  PrepareResponse,
  StateResponse,
} from '@svc/contracts/worker/protocol'
import { systemTimer } from '@svc/infra/system/system-timer'
import { threadMs } from '@svc/infra/system/thread-time'
import type { RecentTenants } from '@svc/infra/turns/recent-tenants'
import type { Slices } from '@svc/infra/turns/slices'
import { ThreadTurns } from '@svc/infra/turns/thread-turns'
import type { Engine } from './engines/engine.ts'
import type { AnswerPlans } from './plans/answer-plans.ts'
import { auditCache } from './prefix-cache/audit.ts'
import { namesEvery } from './prefix-cache/block-names.ts'
import type { PrefixCache } from './prefix-cache/prefix-cache.ts'
import { boundsOf, PromptTooLong, refuseFarTooLong } from './prompt/prompt-length.ts'
import { type PromptRenderer, TemplateRefusal } from './prompt/template.ts'
import { WorkerRefusal } from './protocol/refusal.ts'
import type { Emit, WorkerApi } from './protocol/worker-api.ts'
import { refuseBadGrammar, refuseUnfitOptions } from './scheduling/request-checks.ts'
import type { Scheduler } from './scheduling/scheduler.ts'

/** A prepared prompt names its blocks at every multiple of this many tokens, for routing. */
const TOLD_TOKENS = 128
/**
 * The longest JSON schema of an answer, in characters for each token of the context: a longer one
 * would take too long to compile.
 */
const SCHEMA_CHARACTERS_PER_TOKEN_MAX = 64

export interface WorkerParts {
  readonly engine: Pick<Engine, 'vocabulary' | 'tellsLogprobs' | 'startGrammar'>
  readonly scheduler: Scheduler
  readonly cache: PrefixCache
  readonly renderer: Pick<PromptRenderer, 'slices'>
  readonly plans: AnswerPlans
  readonly recent: RecentTenants
  /** Milliseconds of a clock that only goes forward. */
  readonly nowMs: () => number
  /** The part of the health that stays the same while the worker runs. */
  readonly facts: Omit<HealthResponse, 'status' | 'cacheProblem' | 'load'>
  readonly cacheProblem: () => string | null
}

export class WorkerService implements WorkerApi {
  readonly #parts: WorkerParts
  readonly #turns: ThreadTurns

  constructor(parts: WorkerParts) {
    this.#parts = parts
    this.#turns = new ThreadTurns(parts.recent, parts.nowMs, systemTimer, threadMs)
  }

  health(): HealthResponse {
    const { scheduler, facts, cacheProblem } = this.#parts
    const status = scheduler.draining ? 'draining' : 'ready'
    return { status, ...facts, cacheProblem: cacheProblem(), load: scheduler.load }
  }

  state(): StateResponse {
    return this.#parts.scheduler.state()
  }

  async prepare(request: PrepareRequest, stop?: AbortSignal): Promise<PrepareResponse> {
    const { tenant, toolUse, outputFormat } = request
    const thinking = effective(request.thinking)
    await this.#turns.runSlices(tenant, this.#refuseUnfit(request), stop)
    const plan = await this.#parts.plans.planFor(tenant, { toolUse, outputFormat, thinking })
    const prepared = this.#prepared({ ...request, thinking }, plan)
    return await this.#turns.runSlices(tenant, prepared, stop)
  }

  *#prepared(request: PrepareRequest, plan: AnswerPlan): Slices<PrepareResponse> {
    const { tenant, messages, toolUse, outputFormat, thinking } = request
    const { contextSize, fingerprint } = this.#parts.facts
    if (plan.grammar !== null) {
      const field = outputFormat.type === 'text' ? 'toolUse' : 'outputFormat'
      refuseBadGrammar({ tenant, grammar: plan.grammar }, this.#parts.engine, field)
    }
    const bounds = boundsOf(contextSize, isCount(request))
    const conversation = { messages, tools: toolUse?.tools ?? [], thinking }
    const tokens = yield* refusing(this.#parts.renderer.slices(conversation, bounds))
    if (tokens.length >= contextSize) throw notFitting(tokens.length, contextSize)
    const blocks = [...namesEvery(this.#parts.cache.chain(tenant, tokens), TOLD_TOKENS)]
    const maxOutputTokens = contextSize - tokens.length
    return { tokens, fingerprint, contextSize, maxOutputTokens, plan, blocks }
  }

  generate(request: GenerateRequest, emit: Emit): Promise<void> {
    if (request.fingerprint !== this.#parts.facts.fingerprint) {
      throw new WorkerRefusal(
        'fingerprint_mismatch',
        'the tokens were prepared by a worker with another model or version',
      )
    }
    return this.#parts.scheduler.submit(request, emit)
  }

  cancel(requestId: string): CancelResponse {
    return { requestId, found: this.#parts.scheduler.cancel(requestId) }
  }

  drain(draining: boolean): HealthResponse {
    this.#parts.scheduler.draining = draining
    return this.health()
  }

  async audit(sample: number): Promise<AuditResponse> {
    const { scheduler, cache, facts } = this.#parts
    const counted = await auditCache(cache, sample, (work) =>
      scheduler.withSequence(({ sequence }) => work(sequence)),
    )
    return { workerId: facts.workerId, ...counted }
  }

  /** Refuses what is too large before anything is compiled for it. */
  *#refuseUnfit(request: PrepareRequest): Slices<void> {
    const { toolUse, outputFormat } = request
    const { engine, facts } = this.#parts
    refuseUnfitOptions(request, engine)
    const { contextSize } = facts
    const charactersMax = contextSize * SCHEMA_CHARACTERS_PER_TOKEN_MAX
    if (
      outputFormat.type === 'json_schema' &&
      JSON.stringify(outputFormat).length > charactersMax
    ) {
      const message = `is longer than ${charactersMax} characters`
      throw new WorkerRefusal('unsupported_schema', message, { field: 'outputFormat' })
    }
    const tools = toolUse === null ? [] : [JSON.stringify(toolUse.tools)]
    const bounds = boundsOf(contextSize, isCount(request))
    yield* refusing(refuseFarTooLong(tools, bounds, engine.vocabulary))
  }
}

/** Whether only the number of tokens is wanted: a request for an answer has sampling options. */
function isCount({ sampling }: PrepareRequest): boolean {
  return sampling === undefined
}

/** The refusal of a prompt that does not fit. It has the number of tokens and not the tokens. */
function notFitting(tokens: number, contextSize: number): WorkerRefusal {
  const message = `${tokens} tokens leave no room in the context of ${contextSize} tokens`
  const promptLength = { tokens, isLowerBound: false, contextSize }
  return new WorkerRefusal('prompt_too_long', message, { promptLength })
}

/** Runs work on a prompt, and turns its refusals into those of the protocol. */
function* refusing<T>(work: Slices<T>): Slices<T> {
  try {
    return yield* work
  } catch (error) {
    if (error instanceof TemplateRefusal) {
      throw new WorkerRefusal('bad_request', error.message, { field: 'messages' })
    }
    if (error instanceof PromptTooLong) {
      throw new WorkerRefusal('prompt_too_long', error.message, { promptLength: error.length })
    }
    throw error
  }
}

/** A thinking budget of zero tokens turns thinking off, so that the template knows. */
function effective(thinking: PrepareRequest['thinking']): PrepareRequest['thinking'] {
  return thinking.budgetTokens === 0 ? { ...thinking, enabled: false } : thinking
}
