/** What happens to messages: they take their time, are lost, and come twice. */
import type { Random } from '@svc/testing/random'

export interface NetworkFaults {
  /** Shares of the messages, from 0 to 1. */
  readonly slow: number
  readonly lost: number
  readonly repeated: number
}

export const NO_FAULTS: NetworkFaults = { slow: 0, lost: 0, repeated: 0 }

const USUAL_MS = { from: 1, to: 6 }
/** Longer than anybody waits for an answer. */
const SLOW_MS = { from: 100, to: 4_000 }

export class Network {
  readonly #random: Random
  #faults: NetworkFaults

  constructor(random: Random, faults: NetworkFaults) {
    this.#random = random
    this.#faults = faults
  }

  /** From here on nothing goes wrong. */
  heal(): void {
    this.#faults = NO_FAULTS
  }

  delayMs(): number {
    const { from, to } = this.#random.next() < this.#faults.slow ? SLOW_MS : USUAL_MS
    return from + this.#random.integer(to - from)
  }

  loses(): boolean {
    return this.#random.next() < this.#faults.lost
  }

  repeats(): boolean {
    return this.#random.next() < this.#faults.repeated
  }
}
