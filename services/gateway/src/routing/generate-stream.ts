/**
 * One running `/generate`: the worker's events as batches, one batch per chunk of bytes.
 *
 * The reader pulls. While it is away (its client is slow) batches pile up to a bound; then the
 * connection is paused and the worker is held back by its own socket.
 */

import type { Timer } from '@svc/contracts/ports/time'
import { errorOfAnswer, WorkerFailure } from '@svc/contracts/worker/failure'
import type { GenerateEvent } from '@svc/contracts/worker/protocol'
import type { Dispatcher } from 'undici'
import { EventLines } from './event-lines.ts'

const WAITING_BYTES_MAX = 256 * 1024
const ERROR_BYTES_MAX = 16 * 1024
const HTTP_OK = 200

export class GenerateStream implements Dispatcher.DispatchHandler {
  readonly #lines = new EventLines()
  readonly #error: Buffer[] = []
  #batches: GenerateEvent[][] = []
  #waitingBytes = 0
  #status = 0
  #ended = false
  #failure: Error | undefined
  #controller: Dispatcher.DispatchController | undefined
  #wake: (() => void) | undefined
  #cancelClosing: () => void = () => {}
  readonly #onEnd: (failure: Error | undefined) => void

  /** @param onEnd called once when the connection's part in this run is over */
  constructor(onEnd: (failure: Error | undefined) => void) {
    this.#onEnd = onEnd
  }

  /**
   * The next events, or `undefined` when the worker has ended the stream.
   *
   * @throws {WorkerFailure} when the worker refused, broke off or spoke nonsense
   */
  async next(): Promise<readonly GenerateEvent[] | undefined> {
    while (this.#batches.length === 0 && !this.#ended) {
      await new Promise<void>((wake) => {
        this.#wake = wake
      })
    }
    const batches = this.#batches
    if (batches.length > 0) {
      this.#batches = []
      this.#waitingBytes = 0
      if (this.#controller?.paused) this.#controller.resume()
      return batches.length === 1 ? batches[0] : batches.flat()
    }
    if (this.#failure !== undefined) throw this.#failure
    return undefined
  }

  /** Closes the connection, which the worker takes for a cancel. The reader gets a failure. */
  abort(reason: string): void {
    if (this.#ended) return
    const failure = new WorkerFailure('failed', reason)
    this.#end(failure)
    this.#controller?.abort(failure)
  }

  /** The run is over; a connection that does not agree within the time is closed. */
  expectEnd(timer: Timer, withinMs: number): void {
    if (this.#ended) return
    this.#cancelClosing = timer.after(withinMs, () =>
      this.abort('the stream went on after its end'),
    )
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#ended) controller.abort(new Error('not wanted any more'))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return
    if (this.#status !== HTTP_OK) {
      this.#error.push(chunk)
      const bytes = this.#error.reduce((sum, { length }) => sum + length, 0)
      // Its caller must not wait for the end of one that has none.
      if (bytes > ERROR_BYTES_MAX) this.abort(`the worker answered ${this.#status}`)
      return
    }
    try {
      const events = this.#lines.push(chunk)
      if (events.length === 0) return
      this.#batches.push(events)
      this.#waitingBytes += chunk.length
      if (this.#waitingBytes > WAITING_BYTES_MAX) controller.pause()
      this.#wake?.()
    } catch (cause) {
      this.abort(cause instanceof Error ? cause.message : 'the worker spoke nonsense')
    }
  }

  onResponseEnd(): void {
    this.#end(
      this.#status === HTTP_OK
        ? undefined
        : errorOfAnswer(this.#status, Buffer.concat(this.#error).toString('utf8')),
    )
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    this.#end(new WorkerFailure('unreachable', 'the connection to the worker broke', { cause }))
  }

  #end(failure: Error | undefined): void {
    if (this.#ended) return
    this.#ended = true
    this.#failure = failure
    this.#cancelClosing()
    this.#onEnd(failure)
    this.#wake?.()
  }
}
