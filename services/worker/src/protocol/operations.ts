/** What the worker can be asked for, apart from how it is asked. */
import type {
  CancelAnswer,
  GenerateRequest,
  HealthAnswer,
  PrepareAnswer,
  PrepareRequest,
  StateAnswer,
} from '@svc/contracts/worker-protocol'
import type { Emit, Scheduler } from '../engine/scheduler.ts'
import { SchedulerRefusal } from '../engine/scheduler.ts'
import { type PromptRenderer, TemplateRefusal } from '../prompt/template.ts'

/**
 * No usual tokenizer makes tokens longer than this on average; a prompt with more characters for
 * each token of the context is refused without the work of tokenising it.
 */
const CHARACTERS_PER_TOKEN_MAX = 64

export interface WorkerParts {
  readonly scheduler: Scheduler
  readonly renderer: PromptRenderer
  /** Without the status, which changes. */
  readonly facts: Omit<HealthAnswer, 'status'>
}

export class WorkerOperations {
  readonly #parts: WorkerParts

  constructor(parts: WorkerParts) {
    this.#parts = parts
  }

  health(): HealthAnswer {
    return { status: this.#parts.scheduler.draining ? 'draining' : 'ready', ...this.#parts.facts }
  }

  state(): StateAnswer {
    return this.#parts.scheduler.state()
  }

  /** @throws SchedulerRefusal when the template refuses or the prompt is absurdly long */
  prepare({ messages, thinking }: PrepareRequest): PrepareAnswer {
    const { contextSize, fingerprint } = this.#parts.facts
    const characters = messages.reduce((sum, message) => sum + message.content.length, 0)
    if (characters > contextSize * CHARACTERS_PER_TOKEN_MAX) {
      throw new SchedulerRefusal(
        'prompt_too_long',
        `${characters} characters cannot fit the context of ${contextSize} tokens`,
      )
    }
    const tokens = this.#render(messages, thinking)
    return { tokens, fingerprint, contextSize, maxOutputTokens: contextSize - tokens.length }
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

  #render(messages: PrepareRequest['messages'], thinking: boolean): number[] {
    try {
      return this.#parts.renderer.render(messages, thinking)
    } catch (error) {
      if (!(error instanceof TemplateRefusal)) throw error
      throw new SchedulerRefusal('bad_request', error.message)
    }
  }
}
