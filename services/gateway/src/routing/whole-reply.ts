/**
 * One short exchange with a worker, its reply in one piece. There are two exchanges for every
 * request, so this one is not read through the stream that undici makes for each reply: that costs
 * more than all else of it.
 *
 * All of it has one deadline. The time-outs of undici begin again with every byte that comes: a
 * worker that sends one now and then would never be late.
 */
import { isUtf8 } from 'node:buffer'
import { patientTimer } from '@svc/infra/system/patient-timer'
import type { Dispatcher } from 'undici'

export interface Reply {
  readonly status: number
  /** Empty when the bytes are no UTF-8: they are not mended, and mean nothing. */
  readonly text: string
}

/**
 * Rejects with what undici says when the connection breaks, or when the reply is late.
 *
 * @param stop closes the connection, so that the worker stops as well
 */
export function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  withinMs: number,
  stop?: AbortSignal,
): Promise<Reply> {
  const reply = Promise.withResolvers<Reply>()
  const handler = new WholeReply(reply)
  const isLate = () => handler.giveUp(new Error(`the reply took longer than ${withinMs} ms`))
  const isUnwanted = () => handler.giveUp(new Error('the reply is not wanted any more'))
  const cancel = patientTimer.after(withinMs, isLate)
  if (stop?.aborted) isUnwanted()
  stop?.addEventListener('abort', isUnwanted)
  dispatcher.dispatch(options, handler)
  return reply.promise.finally(() => {
    cancel()
    stop?.removeEventListener('abort', isUnwanted)
  })
}

class WholeReply implements Dispatcher.DispatchHandler {
  readonly #reply: Pick<PromiseWithResolvers<Reply>, 'resolve' | 'reject'>
  readonly #chunks: Buffer[] = []
  #status = 0
  #controller: Dispatcher.DispatchController | undefined
  #givenUp: Error | undefined

  constructor(reply: Pick<PromiseWithResolvers<Reply>, 'resolve' | 'reject'>) {
    this.#reply = reply
  }

  /** Closes the connection; one that is not there yet is closed when it comes. */
  giveUp(why: Error): void {
    this.#givenUp = why
    this.#reply.reject(why)
    this.#controller?.abort(why)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#givenUp !== undefined) controller.abort(this.#givenUp)
  }

  /** An informational status comes before the one that counts. */
  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const [first] = this.#chunks
    const isWhole = first !== undefined && this.#chunks.length === 1
    const bytes = isWhole ? first : Buffer.concat(this.#chunks)
    this.#reply.resolve({ status: this.#status, text: isUtf8(bytes) ? bytes.toString('utf8') : '' })
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    this.#reply.reject(cause)
  }
}
