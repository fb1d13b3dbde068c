/**
 * The caller's side of one answer: what can be written to it, and whether anybody is still there.
 *
 * Answers are written to the socket past the framework, because the order matters here: nothing
 * before the acceptance is durable, nothing last before the debit is.
 */
import type { ServerResponse } from 'node:http'
import type { Timer } from '@svc/contracts/ports/time'
import { patient } from '@svc/infra/system/patient-timer'

/**
 * The size of a piece. Longer texts are handed to the socket piece by piece: of one that it was
 * given whole, nobody is told before the last byte that a slow client goes on reading.
 */
const PIECE_BYTES = 65_536

export class ClientConnection {
  readonly #response: ServerResponse
  readonly #timer: Timer
  readonly #writeStallMs: number
  readonly #waiting: Uint8Array[] = []
  #draining: Promise<void> | undefined

  /** @param writeStallMs how long the client may read less than a piece before it is cut off */
  constructor(response: ServerResponse, timer: Timer, writeStallMs: number) {
    this.#response = response
    this.#timer = patient(timer)
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
    if (this.gone) return undefined
    if (this.#isHandedOverWhole(text)) {
      if (this.#response.write(text)) return undefined
      return this.#handOver(true)
    }
    this.#waiting.push(...piecesOf(text))
    return this.#draining ?? this.#handOver(false)
  }

  /** Hands over the last bytes; the client takes them in its own time, piece by piece. */
  end(text: string): void {
    if (this.gone) return
    if (this.#isHandedOverWhole(text)) this.#finish(text)
    else void this.write(text)?.then(() => this.#finish(''))
  }

  cut(): void {
    this.#response.destroy()
  }

  #isHandedOverWhole(text: string): boolean {
    return !this.blocked && text.length <= PIECE_BYTES
  }

  #finish(text: string): void {
    if (this.gone) return
    void this.#taken('finish')
    this.#response.end(text)
  }

  /** @param isFull whether the client has to read before it is given more */
  #handOver(isFull: boolean): Promise<void> {
    this.#draining = this.#handOverWaiting(isFull).finally(() => {
      this.#draining = undefined
    })
    return this.#draining
  }

  async #handOverWaiting(isFull: boolean): Promise<void> {
    let mustWait = isFull
    for (;;) {
      if (mustWait) await this.#taken('drain')
      const piece = this.gone ? undefined : this.#waiting.shift()
      if (piece === undefined) break
      mustWait = !this.#response.write(piece)
    }
    this.#waiting.length = 0
  }

  /** Resolves at the event, or when the client is gone; a client that takes nothing is cut off. */
  #taken(event: 'drain' | 'finish'): Promise<void> {
    const response = this.#response
    return new Promise((resolve) => {
      const done = () => {
        cancel()
        response.off(event, done)
        response.off('close', done)
        resolve()
      }
      const cancel = this.#timer.after(this.#writeStallMs, () => {
        this.cut()
        done()
      })
      response.once(event, done)
      response.once('close', done)
    })
  }
}

function piecesOf(text: string): readonly Uint8Array[] {
  const bytes = Buffer.from(text, 'utf8')
  const count = Math.ceil(bytes.length / PIECE_BYTES)
  return Array.from({ length: count }, (_, at) =>
    bytes.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES),
  )
}
