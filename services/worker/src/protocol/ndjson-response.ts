/**
 * Newline-delimited JSON with back-pressure: an event is written at once, and whoever made it can
 * wait until the reader has caught up. A reader that left is no error: its events go nowhere.
 */
import type { ServerResponse } from 'node:http'
import type { GenerateEvent } from '@svc/contracts/worker/protocol'

export class NdjsonResponse {
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    this.#response = response
  }

  /** Sends the status and headers, so that the caller knows that the request was taken. */
  open(): void {
    if (this.#response.headersSent || this.#response.destroyed) return
    this.#response.writeHead(200, {
      'content-type': 'application/x-ndjson',
      'cache-control': 'no-store',
    })
    this.#response.flushHeaders()
  }

  /** Resolves when more can be written, the reader has left, or the signal says not to wait. */
  async emit(event: GenerateEvent, signal: AbortSignal): Promise<void> {
    const response = this.#response
    if (response.destroyed || response.writableEnded) return
    this.open()
    if (response.write(`${JSON.stringify(event)}\n`) || signal.aborted) return
    await new Promise<void>((resolve) => {
      const done = () => {
        response.off('drain', done).off('close', done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      response.on('drain', done).on('close', done)
      signal.addEventListener('abort', done)
    })
  }

  end(): void {
    this.#response.end()
  }
}
