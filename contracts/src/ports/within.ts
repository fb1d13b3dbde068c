/** Waits of bounded length: by the time, or by a signal. */
import type { Timer } from './time.ts'

/**
 * Waits for a promise until a time or a signal ends the wait. The work behind the promise goes on
 * then, and its outcome is ignored.
 *
 * @param boundMs the longest wait, in milliseconds
 * @returns the value of the promise, or `late` when the wait has ended first
 * @throws the rejection of the promise, when it comes before the wait has ended
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
 * Waits for a promise until a signal is aborted. The work behind the promise goes on then, and its
 * outcome is ignored.
 *
 * @throws the rejection of the promise, or the reason of the signal
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
