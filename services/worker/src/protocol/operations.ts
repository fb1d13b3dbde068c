/** What the worker can be asked for, apart from how it is asked. */
import type {
  AuditAnswer,
  CancelAnswer,
  GenerateRequest,
  HealthAnswer,
  PrepareAnswer,
  PrepareRequest,
  StateAnswer,
} from '@svc/contracts/worker-protocol'
import type { AnswerPlans } from '../answer-plans.ts'
import { SchedulerRefusal } from '../engine/refusal.ts'
import type { Emit, Scheduler } from '../engine/scheduler.ts'
import { auditCache } from '../prefix-cache/audit.ts'
import type { PrefixCache } from '../prefix-cache/prefix-cache.ts'
import type { Conversation } from '../prompt/families/family.ts'
import { type PromptRenderer, TemplateRefusal } from '../prompt/template.ts'

/**
 * No usual tokenizer makes tokens longer than this on average; a prompt with more characters for
 * each token of the context is refused without the work of tokenising it.
 */
const CHARACTERS_PER_TOKEN_MAX = 64

export interface WorkerParts {
  readonly scheduler: Scheduler
  readonly cache: PrefixCache
  readonly renderer: PromptRenderer
  readonly plans: AnswerPlans
  /** What does not change. */
  readonly facts: Omit<HealthAnswer, 'status' | 'load'>
}

export class WorkerOperations {
  readonly #parts: WorkerParts

  constructor(parts: WorkerParts) {
    this.#parts = parts
  }

  health(): HealthAnswer {
    const { scheduler, facts } = this.#parts
    return { status: scheduler.draining ? 'draining' : 'ready', ...facts, load: scheduler.load }
  }

  state(): StateAnswer {
    return this.#parts.scheduler.state()
  }

  /**
   * @throws SchedulerRefusal when the template refuses, the prompt is absurdly long, or the plan
   *   cannot be made
   */
  async prepare(request: PrepareRequest): Promise<PrepareAnswer> {
    const { contextSize, fingerprint } = this.#parts.facts
    const characters = charactersOf(request)
    if (characters > contextSize * CHARACTERS_PER_TOKEN_MAX) {
      throw new SchedulerRefusal(
        'prompt_too_long',
        `${characters} characters cannot fit the context of ${contextSize} tokens`,
      )
    }
    const { messages, toolUse, outputFormat } = request
    const thinking = effective(request.thinking)
    const { plans } = this.#parts
    const plan = await plans.planFor(request.tenant, { toolUse, outputFormat, thinking })
    const conversation = { messages, tools: toolUse?.tools ?? [], thinking }
    const tokens = this.#render(conversation)
    const blocks = [...this.#parts.cache.chain(request.tenant, tokens).names]
    const maxOutputTokens = contextSize - tokens.length
    return { tokens, fingerprint, contextSize, maxOutputTokens, plan, blocks }
  }

  /**
   * @returns a promise that resolves after the last event
   * @throws SchedulerRefusal before anything was computed
   */
  generate(request: GenerateRequest, emit: Emit): Promise<void> {
    if (request.fingerprint !== this.#parts.facts.fingerprint) {
      throw new SchedulerRefusal(
        'fingerprint_mismatch',
        'the tokens were prepared by a worker with another model or version',
      )
    }
    if (!request.stop.every((stop) => stop.isWellFormed())) {
      throw new SchedulerRefusal('bad_request', 'stop: a text is not valid Unicode')
    }
    return this.#parts.scheduler.submit(request, emit)
  }

  cancel(requestId: string): CancelAnswer {
    return { requestId, found: this.#parts.scheduler.cancel(requestId) }
  }

  /** Takes no more requests, or takes them again. Those that run go on. */
  drain(draining: boolean): HealthAnswer {
    this.#parts.scheduler.draining = draining
    return this.health()
  }

  /**
   * @param sample how many cached blocks are computed again, at most
   * @throws SchedulerRefusal when the worker is too busy
   */
  async audit(sample: number): Promise<AuditAnswer> {
    const { scheduler, cache, facts } = this.#parts
    const counted = await auditCache(cache, sample, (work) =>
      scheduler.withSequence(({ sequence }) => work(sequence)),
    )
    return { workerId: facts.workerId, ...counted }
  }

  #render(conversation: Conversation): number[] {
    try {
      return this.#parts.renderer.render(conversation)
    } catch (error) {
      if (!(error instanceof TemplateRefusal)) throw error
      throw new SchedulerRefusal('bad_request', error.message)
    }
  }
}

/** A budget of nothing is no thinking at all, and the template should know. */
function effective(thinking: PrepareRequest['thinking']): PrepareRequest['thinking'] {
  return thinking.budgetTokens === 0 ? { ...thinking, enabled: false } : thinking
}

/** Characters that go into the prompt or the plan. */
function charactersOf({ messages, toolUse, outputFormat }: PrepareRequest): number {
  let characters = 0
  for (const message of messages) {
    characters += message.content.length
    if (message.role !== 'assistant') continue
    characters += message.reasoning?.length ?? 0
    for (const call of message.toolCalls ?? []) characters += JSON.stringify(call).length
  }
  if (toolUse !== null) characters += JSON.stringify(toolUse).length
  if (outputFormat.type === 'json_schema') characters += JSON.stringify(outputFormat).length
  return characters
}
