/** For answers that are worth having soon or not at all. */

/** @returns the fallback when the work takes longer or fails; what it then still does is lost */
export async function inTime<Value, Fallback>(
  work: Promise<Value>,
  timeoutMs: number,
  fallback: Fallback,
): Promise<Value | Fallback> {
  const late = Promise.withResolvers<Fallback>()
  const timer = setTimeout(late.resolve, timeoutMs, fallback)
  try {
    return await Promise.race([work.catch(() => fallback), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
