/** Own timers: the client has no deadline that works. */
import { ServerTimeoutError } from './server-failure.ts'

/**
 * Settles as the promise does. What it comes to after the time limit is ignored.
 *
 * @throws {ServerTimeoutError} when it takes longer
 */
export function within<Value>(
  timeoutMs: number,
  what: string,
  promise: Promise<Value>,
): Promise<Value> {
  const first = Promise.withResolvers<Value>()
  const onOver = (): void => first.reject(new ServerTimeoutError(what, timeoutMs))
  const timer = setTimeout(onOver, timeoutMs)
  promise.then(first.resolve, first.reject)
  return first.promise.finally(() => clearTimeout(timer))
}
