/**
 * Appends by messages of our own, many over one call, and one call after the other.
 *
 *     opening ──▶ in use ── a minute old, or denied, and another append comes ──▶ ends with its
 *        └──────────┴── broken ──▶ everything that waits is told,                 last answer
 *                                  the next append opens another
 *
 * The server looks at the user when a call is opened, and never again: with a call for each minute
 * a changed password counts within one, and one that is right again with the next append. No append
 * is held up by it, and none moves to another call.
 */
import { randomInt } from 'node:crypto'
import { type AppendAnswer, appendRequest, readAppendAnswer } from './append-messages.ts'
import { AppendRefusedError } from './append-refusal.ts'
import type { NewServerEvent } from './server-event.ts'
import type { AppendedAt } from './stream-calls.ts'

const CALL_AGE_MAX_MS = 60_000
/**
 * The exclusive bound of the ids of calls. They are random, so that an answer for an append of
 * another call finds nothing.
 */
const CALL_IDS = 2 ** 47

/** The part of a stream in both directions that is used here. */
interface Call {
  on(event: 'data', listener: (answer: AppendAnswer) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'end' | 'close', listener: () => void): unknown
  write(message: Buffer): unknown
  end(): unknown
}

/** Opens a call whose answers come as `data`, decoded. */
export type OpenAppendCall = (decode: (message: Buffer) => AppendAnswer) => Promise<Call>

export class AppendCalls {
  readonly #open: OpenAppendCall
  #current: AppendCall | undefined

  constructor(open: OpenAppendCall) {
    this.#open = open
  }

  /** Sends an append. This never settles on a server that hangs. */
  append(stream: string, expected: number, events: readonly NewServerEvent[]): Promise<AppendedAt> {
    if (this.#current?.isUsable !== true) {
      this.#current?.retire()
      this.#current = new AppendCall(this.#open)
    }
    return this.#current.append(stream, expected, events)
  }
}

class AppendCall {
  readonly #id = randomInt(1, CALL_IDS)
  readonly #openedAt = performance.now()
  readonly #call: Promise<Call>
  readonly #waiting = new Map<number, PromiseWithResolvers<AppendedAt>>()
  #lastAppendId = 0
  #isOver = false
  #isRetired = false
  #isDenied = false

  constructor(open: OpenAppendCall) {
    this.#call = open(readAppendAnswer)
    this.#call.then(
      (call) => this.#follow(call),
      (error) => this.#end(error),
    )
  }

  get isUsable(): boolean {
    if (this.#isOver || this.#isDenied) return false
    return performance.now() - this.#openedAt < CALL_AGE_MAX_MS
  }

  append(stream: string, expected: number, events: readonly NewServerEvent[]): Promise<AppendedAt> {
    this.#lastAppendId += 1
    const appendId = this.#lastAppendId
    const answer = Promise.withResolvers<AppendedAt>()
    this.#waiting.set(appendId, answer)
    const message = appendRequest({ callId: this.#id, appendId, stream, expected, events })
    const send = (call: Call): void => {
      if (!this.#isOver) call.write(message)
    }
    // If the call could not be opened, the append was told already.
    this.#call.then(send, () => {})
    return answer.promise
  }

  /** Takes no further append, and ends once those that it has are answered. */
  retire(): void {
    this.#isRetired = true
    this.#endWhenDone()
  }

  #follow(call: Call): void {
    call.on('data', (answer: AppendAnswer) => this.#answer(answer))
    call.on('error', (error) => this.#end(error))
    const end = () => this.#end(new Error('the event store has ended the call for appends'))
    call.on('end', end)
    // A call that closes behind an end or an error says nothing new. One that only closes would
    // leave the appends waiting.
    call.on('close', end)
  }

  #answer({ appendId, result }: AppendAnswer): void {
    const waiting = this.#waiting.get(appendId)
    this.#waiting.delete(appendId)
    if (result instanceof AppendRefusedError) {
      this.#isDenied ||= result.type === 'access-denied'
      waiting?.reject(result)
    } else waiting?.resolve(result)
    this.#endWhenDone()
  }

  #endWhenDone(): void {
    if (!this.#isRetired || this.#waiting.size > 0 || this.#isOver) return
    this.#isOver = true
    this.#call.then(
      (call) => call.end(),
      () => {},
    )
  }

  #end(error: unknown): void {
    this.#isOver = true
    for (const waiting of this.#waiting.values()) waiting.reject(error)
    this.#waiting.clear()
  }
}
