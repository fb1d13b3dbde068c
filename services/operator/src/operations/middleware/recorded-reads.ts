/** Operations that leave an event behind when they show customers' records. */
import type { Caller } from '@svc/contracts/admin/caller'
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import type { AuditTrail, Subject } from '../../access/audit-trail.ts'
import { withMiddleware } from './middleware.ts'

/**
 * @param handlers get parsed input
 * @returns the same, each answering when the event is durable: what it refuses leaves none
 */
export function withRecordedReads(
  handlers: OperationHandlers,
  caller: Caller,
  auditTrail: AuditTrail,
): OperationHandlers {
  return withMiddleware(handlers, (name, { recorded }) => {
    if (recorded === undefined) return undefined
    const record = (input: unknown) =>
      auditTrail.record(caller, name, subjectOf(recorded, input as Record<string, unknown>))
    return {
      whole(handler) {
        return async (input, signal) => {
          const answer = await handler(input, signal)
          await record(input)
          return answer
        }
      },
      lines(handler) {
        return async function* (input, signal) {
          await record(input)
          yield* handler(input, signal)
        }
      },
    }
  })
}

function subjectOf(fields: readonly string[], input: Readonly<Record<string, unknown>>): Subject {
  return Object.fromEntries(
    fields.map((field) => [field, input[field] === undefined ? null : String(input[field])]),
  )
}
