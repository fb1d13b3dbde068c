/**
 * The caller's side of one answer: what can be written to it, and whether anybody is still there.
 *
 * Answers are written to the socket past the framework, because the order matters here: nothing
 * before the acceptance is durable, nothing last before the debit is.
 */
import type { ServerResponse } from 'node:http'
import type { Timer } from '@svc/contracts/ports/time'

export class ClientConnection {
  readonly #response: ServerResponse
  readonly #timer: Timer
  readonly #writeStallMs: number
  #draining: Promise<void> | undefined

  /** @param writeStallMs how long the client may read nothing before it is cut off */
  constructor(response: ServerResponse, timer: Timer, writeStallMs: number) {
    this.#response = response
    this.#timer = timer
    this.#writeStallMs = writeStallMs
  }

  /** The connection closed before the answer was complete. */
  get gone(): boolean {
    const { destroyed, writableFinished, socket } = this.#response
    return (destroyed && !writableFinished) || socket?.destroyed === true
  }

  /** Whether what was written last still waits for the client. */
  get blocked(): boolean {
    return this.#draining !== undefined
  }

  /** Calls back once if the client leaves before the end. */
  onGone(run: () => void): void {
    if (this.gone) run()
    else
      this.#response.once('close', () => {
        if (!this.#response.writableFinished) run()
      })
  }

  open(headers: Readonly<Record<string, string>>): void {
    if (!this.gone) this.#response.writeHead(200, headers)
  }

  /** A promise, when there is one, resolves when the client has taken enough, or is gone. */
  write(text: string): Promise<void> | undefined {
    if (this.gone || this.#response.write(text)) return undefined
    this.#draining ??= this.#drained()
    return this.#draining
  }

  /** Hands over the last bytes; the client takes them in its own time, up to the write stall. */
  end(text: string): void {
    if (this.gone) return
    const cancel = this.#timer.after(this.#writeStallMs, () => this.cut())
    this.#response.once('close', cancel)
    this.#response.once('finish', cancel)
    this.#response.end(text)
  }

  cut(): void {
    this.#response.destroy()
  }

  #drained(): Promise<void> {
    const response = this.#response
    return new Promise((resolve) => {
      const done = () => {
        this.#draining = undefined
        cancel()
        response.off('drain', done)
        response.off('close', done)
        resolve()
      }
      const cancel = this.#timer.after(this.#writeStallMs, () => {
        this.cut()
        done()
      })
      response.once('drain', done)
      response.once('close', done)
    })
  }
}
