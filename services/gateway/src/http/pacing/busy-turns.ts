/**
 * What one turn of the event loop may spend on connections that ask for the first time, end, or
 * are too slow, all at once. The system tells of everything that can be read in one go, and Node
 * handles it to the end before anybody else has a turn: hundreds of such connections stood still
 * for a third of a second. When its time is over, the turn puts the rest off. Each of the next
 * turns does a few pieces of it, for one address after the other.
 */
import type { Clock } from '@svc/contracts/ports/time'

/** A request of somebody else needs about ten turns. */
const TURN_MS = 4
const PIECES_IN_A_TURN = 4

export class BusyTurns {
  readonly #clock: Clock
  /** What was put off, by the network that it is for. */
  readonly #later = new Map<string, Array<() => void>>()
  /** When the first work of this turn began, in milliseconds since 1970. */
  #beganMs: number | null = null
  #number = 0
  #isEndAwaited = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The number of this turn; the next one has another. */
  get number(): number {
    return this.#number
  }

  /**
   * Tells whether the turn is over. To be asked before each piece of work; the first in a turn
   * begins its time.
   */
  isOver(): boolean {
    const nowMs = this.#clock.nowMs()
    this.#beganMs ??= nowMs
    this.#awaitEnd()
    return nowMs - this.#beganMs >= TURN_MS
  }

  /** Does it in one of the next turns. */
  putOff(network: string, piece: () => void): void {
    const pieces = this.#later.get(network)
    if (pieces === undefined) this.#later.set(network, [piece])
    else pieces.push(piece)
    this.#awaitEnd()
  }

  #awaitEnd(): void {
    if (this.#isEndAwaited) return
    this.#isEndAwaited = true
    setImmediate(() => {
      this.#isEndAwaited = false
      this.#beganMs = null
      this.#number += 1
      for (let done = 0; done < PIECES_IN_A_TURN; done += 1) this.#doOne()
      if (this.#later.size > 0) this.#awaitEnd()
    })
  }

  #doOne(): void {
    const [first] = this.#later
    if (first === undefined) return
    const [network, pieces] = first
    const [piece] = pieces.splice(0, 1)
    // The next one is for another address.
    this.#later.delete(network)
    if (pieces.length > 0) this.#later.set(network, pieces)
    piece?.()
  }
}
