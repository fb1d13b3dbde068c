/**
 * The two ports through which a process reads and waits for time. Every package takes them as
 * arguments, so that a test moves time by hand; `infra/system` has the real ones.
 */

export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number
}

export interface Timer {
  /** Runs once after the delay; the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void
}
