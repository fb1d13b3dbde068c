/**
 * The input of every operation is parsed by its declaration, here and nowhere else: so it is the
 * same whether it came over HTTP or from a command line on the folder of a stopped server. A
 * reference with a space at its end must not be another payment on one of the two ways.
 */
import type { Declaration } from '@svc/contracts/admin/declaration'
import {
  adminOperations,
  type OperationHandlers,
  type Operations,
} from '@svc/contracts/admin/operations'
import { parsedInput } from '@svc/contracts/parsed-input'

/** What the table promises of every handler, and the compiler has checked of each. */
type Handler = (input: unknown, signal?: AbortSignal) => Promise<unknown> | AsyncIterable<unknown>

/**
 * The same operations, for input that nobody has parsed yet.
 *
 * @param handlers get their input as the schema of the declaration leaves it: trimmed, coerced, in
 *   its bounds, and with no field that is not declared
 */
export function withParsedInput(handlers: OperationHandlers): Operations {
  const parsing = Object.entries<Declaration>(adminOperations).map(([name, declared]) => {
    const handler = handlers[name as keyof OperationHandlers] as Handler
    const one: Handler = async (input = {}, signal) =>
      handler(parsedInput(declared.input, input), signal)
    async function* lines(input: unknown = {}, signal?: AbortSignal): AsyncGenerator<unknown> {
      yield* handler(parsedInput(declared.input, input), signal) as AsyncIterable<unknown>
    }
    return [name, declared.answer === 'lines' ? lines : one]
  })
  return Object.fromEntries(parsing) as Operations
}
