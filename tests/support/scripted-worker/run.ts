/** One generation of a scripted worker: it plays its script, line by line, until told to stop. */
import type { ServerResponse } from 'node:http'
import type { FinishReason } from '@svc/contracts/events/account'
import type { GenerateEvent, GenerateRequest, WorkerMeter } from '@svc/contracts/worker/protocol'
import {
  type ScriptedAnswer,
  type ScriptedEvent,
  scriptedAnswer,
  type WorkerScript,
} from './script.ts'

export interface ScriptedRunOptions {
  readonly script: WorkerScript
  readonly request: GenerateRequest
  readonly response: ServerResponse
  readonly workerId: string
}

export class ScriptedRun {
  readonly request: GenerateRequest
  /** Output tokens made so far. */
  made = 0
  /** When the gateway asked for the end, by `performance.now()`. */
  cancelledAt: number | undefined
  /** The connection was closed before the run was over. */
  broken = false
  /** Whether the gateway's socket held the run back. */
  heldBack = false
  readonly ended: Promise<void>
  readonly #script: WorkerScript
  readonly #response: ServerResponse
  readonly #workerId: string
  readonly #answer: ScriptedAnswer
  #reasoned = 0
  #called = false
  #wake: () => void = () => {}
  #end: () => void = () => {}

  constructor({ script, request, response, workerId }: ScriptedRunOptions) {
    this.request = request
    this.#script = script
    this.#response = response
    this.#workerId = workerId
    this.#answer = scriptedAnswer(script)
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
    response.once('close', () => {
      if (response.writableFinished) return
      this.broken = true
      this.#wake()
    })
  }

  cancel(): void {
    if (this.#script.deafToCancel) return
    this.cancelledAt ??= performance.now()
    this.#wake()
  }

  async play(): Promise<void> {
    this.#response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    this.#response.flushHeaders()
    await this.#pause(this.#script.prefillMs)
    await this.#tokens()
    if (!this.broken) this.#finish()
    this.#end()
  }

  get #stopped(): boolean {
    return this.broken || this.cancelledAt !== undefined
  }

  async #tokens(): Promise<void> {
    const total = Math.min(this.#answer.length, this.request.maxOutputTokens)
    while (this.made < total && !this.#stopped) {
      if (await this.#faultStrikes()) return
      const event = this.#answer.at(this.made)
      this.made += 1
      if ('reasoning' in event) this.#reasoned += 1
      this.#called ||= 'call' in event
      await this.#line(spoken(event, this.made))
      await this.#pause(this.#script.delayMs)
    }
    await this.#faultStrikes()
  }

  /** @returns whether the run is over with it */
  async #faultStrikes(): Promise<boolean> {
    const { fault } = this.#script
    if (fault === null || !('afterTokens' in fault) || this.made !== fault.afterTokens) return false
    if (this.#stopped) return false
    if (fault.kind === 'hang') {
      while (!this.#stopped) await this.#pause(60_000)
      return true
    }
    if (fault.kind === 'garbage') await this.#write(`${fault.line}\n`)
    if (fault.kind === 'error') {
      if (fault.meter) await this.#line({ type: 'meter', meter: this.#meter() })
      const { code = 'failed' } = fault
      await this.#line({ type: 'error', code, message: 'scripted failure' })
      this.#response.end()
    } else this.#response.destroy()
    this.broken = true
    return true
  }

  #finish(): void {
    const { fault } = this.#script
    if (fault?.kind !== 'no-meter') void this.#line({ type: 'meter', meter: this.#meter() })
    void this.#line({ type: 'done', ...this.#ending() })
    this.#response.end()
  }

  #ending(): { finishReason: FinishReason; stopText: string | null } {
    if (this.cancelledAt !== undefined) return { finishReason: 'cancelled', stopText: null }
    const cut = this.#answer.length > this.request.maxOutputTokens
    if (cut) return { finishReason: 'length', stopText: null }
    if (this.#script.end !== null) return this.#script.end
    return { finishReason: this.#called ? 'tool_calls' : 'stop', stopText: null }
  }

  #meter(): WorkerMeter {
    const { fault } = this.#script
    const wrong = fault?.kind === 'wrong-meter' ? fault : { input: 0, output: 0 }
    const cached = Math.min(this.#script.cachedTokens, this.request.tokens.length)
    const computed = this.request.tokens.length - cached
    return {
      inputTokens: computed + wrong.input,
      cachedInputTokens: cached,
      outputTokens: this.made + wrong.output,
      reasoningTokens: this.#reasoned,
      workerId: this.#workerId,
      cache: {
        schedule: 'any-token',
        reusedTokens: cached,
        blocks: Math.floor(cached / 32),
        source: cached > 0 ? 'l1' : 'none',
        lastBlockHash: null,
        evaluatedTokens: computed,
      },
      latencies: { queueMs: 0, prefillMs: 0, firstTokenMs: this.made > 0 ? 0 : null, totalMs: 0 },
    }
  }

  #line(event: GenerateEvent): Promise<void> {
    return this.#write(`${JSON.stringify(event)}\n`)
  }

  async #write(text: string): Promise<void> {
    if (this.broken || this.#response.write(text)) return
    this.heldBack = true
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      this.#response.once('drain', resolve)
    })
  }

  /** Ends early when the run is stopped. */
  async #pause(ms: number): Promise<void> {
    if (ms === 0 || this.#stopped) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

function spoken(event: ScriptedEvent, outputTokens: number): GenerateEvent {
  if ('call' in event) return { type: 'tool_call', name: event.call, outputTokens }
  if ('arguments' in event) {
    return { type: 'token', text: event.arguments, kind: 'arguments', outputTokens }
  }
  if ('reasoning' in event) {
    return { type: 'token', text: event.reasoning, kind: 'reasoning', outputTokens }
  }
  return { type: 'token', ...event, kind: 'text', outputTokens }
}
