/**
 * The input of every operation is parsed by its declaration, here and nowhere else: so it is the
 * same whether it came over HTTP or from a command line on the folder of a stopped server. A
 * reference with a space at its end must not be another payment on one of the two ways.
 */
import type { OperationHandlers, Operations } from '@svc/contracts/admin/operations'
import { parsedInput } from '@svc/contracts/parsed-input'
import { withMiddleware } from './middleware.ts'

/**
 * The same operations, for input that nobody has parsed yet.
 *
 * @param handlers get their input as the schema of the declaration leaves it: trimmed, coerced, in
 *   its bounds, and with no field that is not declared
 */
export function withParsedInput(handlers: OperationHandlers): Operations {
  const parsing = withMiddleware(handlers, (_, declared) => ({
    whole(handler) {
      return async (input = {}, signal) => handler(parsedInput(declared.input, input), signal)
    },
    lines(handler) {
      return async function* (input = {}, signal) {
        yield* handler(parsedInput(declared.input, input), signal)
      }
    },
  }))
  return parsing as Operations
}
