/**
 * What a worker has said of one run so far, checked against the order of the protocol and against
 * what the run was asked for.
 */
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import type { FinishReason } from '@svc/contracts/events/account'
import { WorkerFailure } from '@svc/contracts/worker/failure'
import {
  type GenerateEvent,
  type GenerateRequest,
  grammarFailures,
  type Logprob,
  type WorkerMeter,
} from '@svc/contracts/worker/protocol'
import type { AnswerPart } from '../formats/inference-request.ts'

const ANSWER_CHARACTERS_MAX = 16 * 1024 * 1024
/** A token brings few events, yet an answer that was held back comes as many for one token. */
const EVENTS_PER_TOKEN_MAX = 16
const EVENTS_AT_ONCE_MAX = 1_024
/**
 * Characters and bytes of what a log probability names: twice the longest line of blanks that is a
 * token. An answer that is sent whole keeps all of them.
 */
const LOGPROB_SIZE_AVERAGE_MAX = 512
const LOGPROB_SIZE_AT_ONCE_MAX = 64 * 1024

type Token = Extract<GenerateEvent, { type: 'token' }>
type ToolCallEvent = Extract<GenerateEvent, { type: 'tool_call' }>

/** What the run was asked for, as far as its events can contradict it. */
type RunOptions = Pick<GenerateRequest, 'maxOutputTokens' | 'topLogprobs' | 'plan' | 'stop'>

export class RunRecord {
  readonly #asked: RunOptions
  readonly #reach: ReachCrashPoint
  #events = 0
  #characters = 0
  /** Tokens whose log probabilities have come. */
  #logprobTokens = 0
  /** Characters and bytes of all that they name. */
  #logprobSize = 0
  #toolCalls = 0

  /** When the first token reached the gateway, by `performance.now()`. */
  firstTokenAtMs: number | undefined
  /** Output tokens that have reached the gateway, by the worker's running count. */
  outputTokens = 0
  reasoningTokens = 0
  meter: WorkerMeter | undefined
  /** Set when the run came to an orderly end. */
  finishReason: FinishReason | undefined
  stopText: string | null = null
  failure: WorkerFailure | undefined

  constructor(asked: RunOptions, reach: ReachCrashPoint) {
    this.#asked = asked
    this.#reach = reach
  }

  get ended(): boolean {
    return this.finishReason !== undefined || this.failure !== undefined
  }

  /** Takes events in. @returns the parts of the answer among them, up to a failure */
  take(events: readonly GenerateEvent[]): AnswerPart[] {
    const parts: AnswerPart[] = []
    for (const event of events) {
      if (this.ended) break
      if (event.type === 'token') this.#token(event, parts)
      else if (event.type === 'tool_call') this.#toolCall(event, parts)
      else if (event.type === 'meter') this.#metered(event.meter)
      else if (event.type === 'error') this.#broke(event.code)
      else this.#done(event)
    }
    return parts
  }

  /** A run that had to make room in the worker's queue may go on elsewhere, or later. */
  #broke(reported: string): void {
    if (reported === 'queue_full') {
      this.failure = new WorkerFailure('queue_full', 'it had to make room in the queue')
      return
    }
    const { grammar } = this.#asked.plan
    const ofGrammar = grammarFailures.find((each) => each === reported && grammar !== null)
    this.failure = new WorkerFailure(ofGrammar ?? 'failed', 'the worker reported an error')
  }

  #done({ finishReason, stopText }: Extract<GenerateEvent, { type: 'done' }>): void {
    if (this.meter === undefined) this.fail('the worker ended a run without a meter')
    else if (stopText !== null && !this.#asked.stop.includes(stopText)) {
      this.fail('the worker ended a run at a text that was not asked for')
    } else if (this.#contradictsCalls(finishReason)) {
      this.fail('the worker ended a run in another way than its calls')
    } else {
      this.finishReason = finishReason
      this.stopText = stopText
    }
  }

  /** Clients make the calls of an answer when, and only when, its end says that there are some. */
  #contradictsCalls(finishReason: FinishReason): boolean {
    if (finishReason === 'tool_calls') return this.#toolCalls === 0
    return finishReason === 'stop' && this.#toolCalls > 0
  }

  fail(what: string): void {
    this.failure = new WorkerFailure('failed', what)
  }

  #token({ text, kind, outputTokens, logprobs }: Token, parts: AnswerPart[]): void {
    const made = this.#counted(outputTokens, text.length)
    if (made === undefined) return
    if (logprobs !== undefined && !this.#areAsAsked(logprobs)) {
      this.fail('the worker sent other log probabilities than it was asked for')
      return
    }
    if (kind === 'reasoning') this.reasoningTokens += made
    if (kind === 'arguments') {
      if (this.#toolCalls === 0) this.fail('the worker sent arguments without a call')
      else if (text !== '') parts.push({ kind, index: this.#toolCalls - 1, text })
    } else if (text !== '' || logprobs !== undefined) {
      parts.push(logprobs === undefined ? { kind, text } : { kind, text, logprobs })
    }
    this.#reach('generate.token')
  }

  /**
   * Whether they come once per token at most, with no more alternatives than were asked for, and
   * are no longer than those can be.
   */
  #areAsAsked(logprobs: readonly Logprob[]): boolean {
    const { topLogprobs } = this.#asked
    this.#logprobTokens += logprobs.length
    if (topLogprobs === null || this.#logprobTokens > this.outputTokens) return false
    for (const each of logprobs) {
      this.#logprobSize += sizeOf(each)
      for (const alternative of each.top) this.#logprobSize += sizeOf(alternative)
    }
    const named = this.#logprobTokens * (1 + topLogprobs)
    const sizeMax = named * LOGPROB_SIZE_AVERAGE_MAX + LOGPROB_SIZE_AT_ONCE_MAX
    if (this.#logprobSize > sizeMax) return false
    return logprobs.every(({ top }) => top.length <= topLogprobs)
  }

  #toolCall({ name, outputTokens }: ToolCallEvent, parts: AnswerPart[]): void {
    if (this.#counted(outputTokens, name.length) === undefined) return
    if (!this.#asked.plan.callable.includes(name)) {
      this.fail('the worker called a tool that may not be called')
      return
    }
    parts.push({ kind: 'tool_call', index: this.#toolCalls, name })
    this.#toolCalls += 1
    this.#reach('generate.token')
  }

  /** @returns the output tokens made since the last event; undefined when they cannot be right */
  #counted(outputTokens: number, characters: number): number | undefined {
    this.#events += 1
    this.#characters += characters
    const made = outputTokens - this.outputTokens
    if (this.meter !== undefined || made < 0 || outputTokens > this.#asked.maxOutputTokens) {
      this.fail('the worker miscounted its tokens')
      return undefined
    }
    const eventsMax = outputTokens * EVENTS_PER_TOKEN_MAX + EVENTS_AT_ONCE_MAX
    if (this.#characters > ANSWER_CHARACTERS_MAX || this.#events > eventsMax) {
      this.fail('the worker sent more text than its tokens can hold')
      return undefined
    }
    if (this.outputTokens === 0) {
      this.firstTokenAtMs = performance.now()
      this.#reach('generate.first-token')
    }
    this.outputTokens = outputTokens
    return made
  }

  #metered(meter: WorkerMeter): void {
    if (this.meter !== undefined) {
      this.fail('the worker metered a run twice')
      return
    }
    this.meter = meter
    this.#reach('generate.metered')
  }
}

function sizeOf({ token, bytes }: Omit<Logprob, 'top'>): number {
  return token.length + (bytes?.length ?? 0)
}
