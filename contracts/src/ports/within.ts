/** Waits of bounded length: by the time, or by a signal. */
import type { Timer } from './time.ts'

/**
 * Waits for a promise no longer than a bound, or until a signal is aborted. What it still does
 * afterwards goes on unheard.
 *
 * @returns what it resolves with, or `late` when the bound is over or the signal aborted before
 * @throws what it rejects with before that
 */
export async function within<Value, Late>(
  timer: Timer,
  boundMs: number,
  promise: Promise<Value>,
  late: Late,
  signal?: AbortSignal,
): Promise<Value | Late> {
  const over = Promise.withResolvers<Late>()
  const end = (): void => over.resolve(late)
  if (signal?.aborted === true) end()
  const cancel = timer.after(boundMs, end)
  signal?.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([promise, over.promise])
  } finally {
    cancel()
    signal?.removeEventListener('abort', end)
  }
}

/**
 * Waits for a promise, and no longer than until the signal is aborted. What it still does
 * afterwards goes on unheard.
 *
 * @throws what it rejects with, or the reason of the signal
 */
export async function untilAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
