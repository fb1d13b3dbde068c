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

/** Waits; ends early, and without an error, when the signal is aborted. */
export async function pause(timer: Timer, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return
  const over = Promise.withResolvers<void>()
  const end = (): void => over.resolve()
  const cancel = timer.after(delayMs, end)
  signal?.addEventListener('abort', end, { once: true })
  await over.promise
  cancel()
  signal?.removeEventListener('abort', end)
}

/** Begins work that goes on until its signal. @returns stops it, and waits for its end */
export function runUntilStopped(work: (signal: AbortSignal) => Promise<void>): () => Promise<void> {
  const stopping = new AbortController()
  const running = work(stopping.signal)
  return async () => {
    stopping.abort()
    await running
  }
}
