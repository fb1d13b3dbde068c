/**
 * Refusals that send a customer to the operator, in words for the operator: these say what to do.
 */
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { ASK_THE_OPERATOR, ServiceError } from '@svc/contracts/errors'
import { answerableError } from '@svc/contracts/ports/answerable-error'
import { StoreDamagedError } from '@svc/contracts/ports/event-store'
import { damageIn } from '@svc/contracts/ports/quarantine'
import { withMiddleware } from './middleware.ts'

const SEE_THE_DAMAGE =
  'Run "svc verify" to see where, and mend it as docs/how-to/mend-a-damaged-stream.md says.'
const PUT_THE_STORE_RIGHT =
  'Put the right one back, and svc goes on by itself. How to go on with this one, ' +
  'docs/how-to/run-on-eventstoredb.md says under "Back up and restore".'

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
  const error = answerableError(thrown)
  // It says itself which file it is, and what to do.
  if (error.cause instanceof StoreDamagedError) {
    return new ServiceError('store_unavailable', error.cause.message, { cause: error.cause })
  }
  const advice = adviceOn(error)
  if (advice === undefined) return thrown
  const { code, message, cause } = error
  return new ServiceError(code, message.replace(ASK_THE_OPERATOR, advice), { cause })
}

function adviceOn({ code, cause }: ServiceError): string | undefined {
  if (code === 'store_rewound') return PUT_THE_STORE_RIGHT
  // Damage to records of the service itself, such as its prices, has no code of its own.
  const isDamaged = code === 'account_damaged' || damageIn(cause) !== undefined
  return isDamaged ? SEE_THE_DAMAGE : undefined
}
