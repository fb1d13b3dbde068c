/**
 * Remembers who computes which block, within one process. A claim that is not released ends by
 * itself.
 */
import type { PrefixClaim } from '@svc/contracts/ports/prefix-store'
import type { Clock } from '@svc/contracts/ports/time'

/**
 * The most claims: more than any worker has at once. Beyond it the oldest is forgotten, which costs
 * work only.
 */
const CLAIMS_MAX = 10_000

interface Holding {
  readonly endsAtMs: number
}

export class Claims {
  /** The claims by their names, the oldest first. */
  readonly #holdings = new Map<string, Holding>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @returns null when somebody else has it */
  take(name: string, forMs: number): PrefixClaim | null {
    const nowMs = this.#clock.nowMs()
    const held = this.#holdings.get(name)
    if (held !== undefined && held.endsAtMs > nowMs) return null
    const own: Holding = { endsAtMs: nowMs + forMs }
    this.#holdings.delete(name)
    this.#holdings.set(name, own)
    this.#forgetOldest()
    return {
      release: async () => {
        // After its end another holder may have the claim.
        if (this.#holdings.get(name) === own) this.#holdings.delete(name)
      },
    }
  }

  clear(): void {
    this.#holdings.clear()
  }

  #forgetOldest(): void {
    for (const name of this.#holdings.keys()) {
      if (this.#holdings.size <= CLAIMS_MAX) return
      this.#holdings.delete(name)
    }
  }
}
