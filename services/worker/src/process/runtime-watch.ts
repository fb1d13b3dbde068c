/**
 * What the watchdog sees of this process, in memory that its thread shares: whether the main thread
 * runs, and whether the runtime comes back with what it was asked for.
 */

/** Places of the counters. */
export const BEATS = 0
export const PENDING = 1
export const ENDED = 2
const COUNTERS = 3

export class RuntimeWatch {
  readonly counters = new Int32Array(new SharedArrayBuffer(COUNTERS * Int32Array.BYTES_PER_ELEMENT))

  /** The main thread runs. */
  beat(): void {
    Atomics.add(this.counters, BEATS, 1)
  }

  /** Something is asked of the runtime; that anything comes back is a sign that it works. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    Atomics.add(this.counters, PENDING, 1)
    try {
      return await work()
    } finally {
      Atomics.add(this.counters, ENDED, 1)
      Atomics.sub(this.counters, PENDING, 1)
    }
  }
}
