/**
 * Refusals that send a customer to the operator, in words for the operator: these say what to do.
 */
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { ASK_THE_OPERATOR, ServiceError } from '@svc/contracts/errors'
import { answerableError } from '@svc/contracts/ports/answerable-error'
import { withMiddleware } from './middleware.ts'

const SEE_THE_DAMAGE =
  'Run "svc verify" to see where, and mend it as docs/how-to/mend-a-damaged-stream.md says.'

export function withOperatorAdvice(handlers: OperationHandlers): OperationHandlers {
  return withMiddleware(handlers, () => ({
    whole(handler) {
      return async (input, signal) => {
        try {
          return await handler(input, signal)
        } catch (thrown) {
          throw forOperator(thrown)
        }
      }
    },
    lines(handler) {
      return async function* (input, signal) {
        try {
          yield* handler(input, signal)
        } catch (thrown) {
          throw forOperator(thrown)
        }
      }
    },
  }))
}

function forOperator(thrown: unknown): unknown {
  const { code, message, cause } = answerableError(thrown)
  // A frozen account is not damaged.
  if (code === 'account_frozen' || !message.includes(ASK_THE_OPERATOR)) return thrown
  return new ServiceError(code, message.replace(ASK_THE_OPERATOR, SEE_THE_DAMAGE), { cause })
}
