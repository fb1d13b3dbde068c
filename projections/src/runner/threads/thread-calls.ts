/**
 * Calls between two threads over one port: each side names what the other may ask of it.
 *
 * What fails on one side fails on the other with the same name and message, and with the marks by
 * which troubles of a disk are told from defects. An error that comes back to the side that has
 * thrown it is the same object again, so that its class still tells an event store that is away
 * from a defect.
 */
import type { MessagePort } from 'node:worker_threads'

type Handlers = Readonly<Record<string, (asked: never) => unknown>>
type Asked<Handler> = Handler extends (asked: infer Value) => unknown ? Value : never
type Answer<Handler> = Handler extends (asked: never) => infer Value ? Awaited<Value> : never

/** Calls of the other side whose errors can still come back. */
const FAILURES_KEPT = 16

interface Failure {
  readonly name: string
  readonly message: string
  /** The call of the receiving side that the error made fail first. */
  readonly failedFirst?: number
  /** The error code of SQLite. */
  readonly errcode?: unknown
  /** The name of a call of the operating system. */
  readonly syscall?: unknown
}

type Message =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly asked: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: Failure }

/** A thread, as the one that has started it sees it, or the port to that one. */
export interface CallPort {
  postMessage: MessagePort['postMessage']
  on(event: 'message', listener: (message: Message) => void): unknown
}

export class ThreadCalls<Theirs extends Handlers> {
  readonly #port: CallPort
  readonly #own: Handlers
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  /** The errors that were thrown here, by the calls of the other side that failed with them. */
  readonly #thrown = new Map<number, unknown>()
  /** Errors from the other side, with the calls of this side that they made fail. */
  readonly #received = new WeakMap<Error, number>()
  #calls = 0
  #ended: Error | undefined

  constructor(port: CallPort, own: Handlers) {
    this.#port = port
    this.#own = own
    port.on('message', (message) => this.#receive(message))
  }

  /** @throws what the other side throws, and what the calls were ended with */
  async call<Name extends keyof Theirs & string>(
    name: Name,
    asked: Asked<Theirs[Name]>,
  ): Promise<Answer<Theirs[Name]>> {
    if (this.#ended !== undefined) throw this.#ended
    this.#calls += 1
    const waiting = Promise.withResolvers<unknown>()
    this.#waiting.set(this.#calls, waiting)
    this.#send({ kind: 'call', id: this.#calls, name, asked })
    return (await waiting.promise) as Answer<Theirs[Name]>
  }

  /** Rejects all calls that wait for an answer, and all that come. */
  end(error: Error): void {
    this.#ended ??= error
    for (const { reject } of this.#waiting.values()) reject(this.#ended)
    this.#waiting.clear()
  }

  #receive(message: Message): void {
    if (message.kind === 'call') {
      void this.#answer(message.id, message.name, message.asked)
      return
    }
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (message.kind === 'answer') waiting?.resolve(message.value)
    else waiting?.reject(this.#errorOf(message.id, message.failure))
  }

  async #answer(id: number, name: string, asked: unknown): Promise<void> {
    try {
      const handler = this.#own[name]
      if (handler === undefined) throw new Error(`there is no call "${name}"`)
      this.#send({ kind: 'answer', id, value: await handler(asked as never) })
    } catch (error) {
      this.#keepThrown(id, error)
      this.#send({ kind: 'failure', id, failure: this.#failureOf(error) })
    }
  }

  #keepThrown(id: number, error: unknown): void {
    this.#thrown.set(id, error)
    for (const oldest of this.#thrown.keys()) {
      if (this.#thrown.size <= FAILURES_KEPT) return
      this.#thrown.delete(oldest)
    }
  }

  #failureOf(error: unknown): Failure {
    if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
    const { name, message } = error
    const failedFirst = this.#received.get(error)
    return {
      name,
      message,
      ...(failedFirst !== undefined && { failedFirst }),
      ...('errcode' in error && { errcode: error.errcode }),
      ...('syscall' in error && { syscall: error.syscall }),
    }
  }

  #errorOf(id: number, { name, message, failedFirst, ...marks }: Failure): unknown {
    if (failedFirst !== undefined && this.#thrown.has(failedFirst)) {
      return this.#thrown.get(failedFirst)
    }
    const error = Object.assign(new Error(message), { name, ...marks })
    this.#received.set(error, id)
    return error
  }

  #send(message: Message): void {
    this.#port.postMessage(message)
  }
}
