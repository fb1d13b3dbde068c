/**
 * Calls between two threads over one port: each side names what the other may ask of it.
 *
 * What fails on one side fails on the other with the same name and message, and with the marks by
 * which troubles of a disk are told from defects.
 */
import type { MessagePort } from 'node:worker_threads'

type Handlers = Readonly<Record<string, (asked: never) => unknown>>
type Asked<Handler> = Handler extends (asked: infer Value) => unknown ? Value : never
type Answer<Handler> = Handler extends (asked: never) => infer Value ? Awaited<Value> : never

interface Failure {
  readonly name: string
  readonly message: string
  /** Of SQLite. */
  readonly errcode?: unknown
  /** Of a call of the operating system. */
  readonly syscall?: unknown
}

type Message =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly asked: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: Failure }

/** A thread, as the one that has started it sees it, or the port to that one. */
export interface CallPort {
  postMessage: MessagePort['postMessage']
  on(event: 'message', hear: (message: Message) => void): unknown
}

export class ThreadCalls<Theirs extends Handlers> {
  readonly #port: CallPort
  readonly #own: Handlers
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #calls = 0
  #ended: Error | undefined

  constructor(port: CallPort, own: Handlers) {
    this.#port = port
    this.#own = own
    port.on('message', (message) => this.#hear(message))
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
    this.#say({ kind: 'call', id: this.#calls, name, asked })
    return (await waiting.promise) as Answer<Theirs[Name]>
  }

  /** Rejects all calls that wait for an answer, and all that come. */
  end(error: Error): void {
    this.#ended ??= error
    for (const { reject } of this.#waiting.values()) reject(this.#ended)
    this.#waiting.clear()
  }

  #hear(message: Message): void {
    if (message.kind === 'call') {
      void this.#answer(message.id, message.name, message.asked)
      return
    }
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (message.kind === 'answer') waiting?.resolve(message.value)
    else waiting?.reject(errorOf(message.failure))
  }

  async #answer(id: number, name: string, asked: unknown): Promise<void> {
    try {
      const handler = this.#own[name]
      if (handler === undefined) throw new Error(`there is no call "${name}"`)
      this.#say({ kind: 'answer', id, value: await handler(asked as never) })
    } catch (error) {
      this.#say({ kind: 'failure', id, failure: failureOf(error) })
    }
  }

  #say(message: Message): void {
    this.#port.postMessage(message)
  }
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message } = error
  return {
    ...{ name, message },
    ...('errcode' in error && { errcode: error.errcode }),
    ...('syscall' in error && { syscall: error.syscall }),
  }
}

function errorOf({ name, message, ...marks }: Failure): Error {
  return Object.assign(new Error(message), { name, ...marks })
}
