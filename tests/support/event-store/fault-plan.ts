/** Which fault each append of a test meets. */

export type Fault =
  | 'none'
  /** Unknown; nothing was written. */
  | 'fail-before'
  /** Unknown; it is written. */
  | 'commit-then-unknown'
  /** Unknown, and written only later: a read in between would say that it is absent. */
  | 'commit-late'
  /** Conflict, although the head is right: somebody else's append that was taken back, say. */
  | 'conflict'
  /** Answered some turns of the event loop later. */
  | 'delay'

export interface FaultPlan {
  next(): Fault
}

/** Faults in the given order, and none after them. */
export function listedFaults(...faults: readonly Fault[]): FaultPlan {
  let at = 0
  return {
    next() {
      const fault = faults[at] ?? 'none'
      at += 1
      return fault
    },
  }
}

/** Share of the appends, from 0 to 1, that meets a fault. */
export type FaultShares = Readonly<Partial<Record<Exclude<Fault, 'none'>, number>>>

/** Faults by chance; the same seed gives the same faults. @throws {RangeError} on shares above 1 */
export function seededFaults(seed: number, shares: FaultShares): FaultPlan {
  const entries = Object.entries(shares) as [Fault, number][]
  if (entries.reduce((sum, [, share]) => sum + share, 0) > 1) {
    throw new RangeError('the shares of the faults are more than the whole')
  }
  const random = randomFrom(seed)
  return {
    next() {
      let left = random()
      for (const [fault, share] of entries) {
        if (left < share) return fault
        left -= share
      }
      return 'none'
    },
  }
}

/** Mulberry32: 32 bits of state are plenty for a test, and the same on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
