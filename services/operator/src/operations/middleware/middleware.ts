/** The same work around the handlers of many operations: before they begin, or on their answers. */
import type { Declaration } from '@svc/contracts/admin/declaration'
import {
  adminOperations,
  type OperationHandlers,
  type OperationName,
  operationNames,
} from '@svc/contracts/admin/operations'

type Handler<Answer> = (input: unknown, signal?: AbortSignal) => Answer

/** Makes one handler of another, for operations that answer at once, and for those with lines. */
export interface Middleware {
  whole(handler: Handler<Promise<unknown>>): Handler<Promise<unknown>>
  lines(handler: Handler<AsyncIterable<unknown>>): Handler<AsyncIterable<unknown>>
}

/**
 * @param middlewareOf undefined for an operation whose handler stays as it is
 * @returns the handlers with their middleware around them
 */
export function withMiddleware(
  handlers: OperationHandlers,
  middlewareOf: (name: OperationName, declared: Declaration) => Middleware | undefined,
): OperationHandlers {
  const wrapped = operationNames.map((name) => {
    const declared: Declaration = adminOperations[name]
    const middleware = middlewareOf(name, declared)
    if (middleware === undefined) return [name, handlers[name]]
    // The compiler has checked each handler against its declaration, and cannot follow the loop.
    const handler = handlers[name] as Handler<never>
    return [
      name,
      declared.answer === 'lines' ? middleware.lines(handler) : middleware.whole(handler),
    ]
  })
  return Object.fromEntries(wrapped) as OperationHandlers
}
