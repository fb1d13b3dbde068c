/** An answer that is sent part by part, as events. */
import type { ServiceError } from '@svc/contracts/errors'
import type { Timer } from '@svc/contracts/ports/time'
import type { AnswerEnding, AnswerPart, AnswerStream } from '../formats/inference-request.ts'
import type { ClientConnection } from '../http/client-connection.ts'
import type { Delivery, LastBytes } from './delivery.ts'

const STREAM_CONTENT_TYPE = 'text/event-stream; charset=utf-8'

const streamHeaders = {
  'content-type': STREAM_CONTENT_TYPE,
  'cache-control': 'no-cache, no-store',
  // Proxies of the nginx kind would keep the events back otherwise.
  'x-accel-buffering': 'no',
}

export interface StreamedAnswerOptions {
  readonly client: ClientConnection
  readonly headers: Readonly<Record<string, string>>
  readonly stream: AnswerStream
  readonly keepAliveMs: number
  /** Whether the request's acceptance has become durable: until then nothing is sent. */
  readonly durable: Promise<boolean>
  readonly timer: Timer
  /** Whether the whole stream is kept for a retry. */
  readonly recorded: boolean
}

/**
 * Long enough that a request which fails at once is answered with a status, short enough that no
 * client takes the service for dead.
 */
const FIRST_EVENT_MS = 1_000

/**
 *     waiting ── first part, or one second ──▶ open ──▶ ended
 *        └── failure ──▶ an ordinary answer with a status
 */
export class StreamedAnswer implements Delivery {
  readonly #options: StreamedAnswerOptions
  #open = false
  #started = false
  #closed = false
  #durable = false
  /** Whether anything was sent since the last look. */
  #active = false
  #recorded = ''
  #stopTicking: () => void = () => {}
  #cancelOpening: () => void = () => {}

  constructor(options: StreamedAnswerOptions) {
    this.#options = options
    this.#cancelOpening = options.timer.after(FIRST_EVENT_MS, () => void this.#openEarly())
    this.#tick()
  }

  get started(): boolean {
    return this.#started
  }

  parts(parts: readonly AnswerPart[]): Promise<void> | undefined {
    const text = this.#options.stream.parts(parts)
    if (text === '') return undefined
    return this.#durable ? this.#send(text) : this.#sendOnceDurable(text)
  }

  restart(): boolean {
    return !this.#started
  }

  ending(ending: AnswerEnding): LastBytes {
    // Nothing may come between the end that is made here and its sending.
    this.close()
    const last = this.#opening() + this.#options.stream.ending(ending)
    const body = this.#recorded + last
    const send = () => this.#end(last)
    return { contentType: STREAM_CONTENT_TYPE, body, headers: this.#options.headers, send }
  }

  fail(error: ServiceError): boolean {
    if (!this.#open) return false
    this.#end(this.#options.stream.failure(error))
    return true
  }

  close(): void {
    this.#closed = true
    this.#stopTicking()
    this.#cancelOpening()
  }

  async #sendOnceDurable(text: string): Promise<void> {
    this.#durable = await this.#options.durable
    if (this.#durable && !this.#closed) await this.#send(text)
  }

  #send(text: string): Promise<void> | undefined {
    this.#started = true
    return this.#write(this.#opening() + text)
  }

  #write(events: string): Promise<void> | undefined {
    this.#active = true
    if (this.#options.recorded) this.#recorded += events
    this.#openConnection()
    return this.#options.client.write(events)
  }

  #end(text: string): void {
    this.close()
    this.#openConnection()
    this.#options.client.end(text)
  }

  #opening(): string {
    return this.#open ? '' : this.#options.stream.opening()
  }

  #openConnection(): void {
    if (this.#open) return
    this.#open = true
    this.#options.client.open({ ...this.#options.headers, ...streamHeaders })
  }

  /** The acceptance may become durable only later: then it opens then. */
  async #openEarly(): Promise<void> {
    const { client, durable } = this.#options
    if (!(await durable) || this.#open || this.#closed || client.gone) return
    await this.#write(this.#opening())
  }

  /** Looks twice per interval, so that no silence is longer than the interval. */
  #tick(): void {
    const { timer, keepAliveMs } = this.#options
    this.#stopTicking = timer.after(keepAliveMs / 2, () => {
      if (!this.#active) void this.#signOfLife()
      this.#active = false
      this.#tick()
    })
  }

  async #signOfLife(): Promise<void> {
    const { client, durable, stream } = this.#options
    if (client.gone || client.blocked || !(await durable) || this.#closed) return
    // A keep-alive may depend on what was opened, so the opening is made first.
    const opening = this.#opening()
    await this.#write(opening + stream.keepAlive())
    this.#active = false
  }
}
