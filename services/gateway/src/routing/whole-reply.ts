/**
 * One short exchange with a worker, its reply in one piece. There are two exchanges for every
 * request, so this one is not read through the stream that undici makes for each reply: that costs
 * more than all else of it.
 */
import type { Dispatcher } from 'undici'

export interface Reply {
  readonly status: number
  readonly text: string
}

/** Rejects with what undici says when the connection breaks or a time-out ends it. */
export function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(options, new WholeReply(resolve, reject))
  })
}

class WholeReply implements Dispatcher.DispatchHandler {
  readonly #resolve: (reply: Reply) => void
  readonly #reject: (cause: Error) => void
  readonly #chunks: Buffer[] = []
  #status = 0

  constructor(resolve: (reply: Reply) => void, reject: (cause: Error) => void) {
    this.#resolve = resolve
    this.#reject = reject
  }

  /** Undici insists on it. */
  onRequestStart(): void {}

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
    this.#resolve({ status: this.#status, text: bytes.toString('utf8') })
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    this.#reject(cause)
  }
}
