import type { Timer } from './time.ts'

/**
 * Waits for a promise no longer than a bound. What it still does afterwards goes on unheard.
 *
 * @returns what it resolves with, or `late` when the bound is over before
 * @throws what it rejects with before the bound
 */
export async function within<Value, Late>(
  timer: Timer,
  boundMs: number,
  promise: Promise<Value>,
  late: Late,
): Promise<Value | Late> {
  const over = Promise.withResolvers<Late>()
  const cancel = timer.after(boundMs, () => over.resolve(late))
  try {
    return await Promise.race([promise, over.promise])
  } finally {
    cancel()
  }
}
