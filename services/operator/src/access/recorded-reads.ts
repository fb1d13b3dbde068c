/** Operations that leave an event behind when they show customers' records. */
import type { Caller } from '@svc/contracts/admin/caller'
import type { Declaration } from '@svc/contracts/admin/declaration'
import { adminOperations, type OperationHandlers } from '@svc/contracts/admin/operations'
import type { AuditTrail, Subject } from './audit-trail.ts'

/** What the table promises of every handler, and the compiler has checked of each. */
type Handler = (input: object, signal?: AbortSignal) => Promise<unknown> | AsyncIterable<unknown>

/**
 * @param handlers get parsed input
 * @returns the same, each answering when the event is durable: what it refuses leaves none
 */
export function withRecordedReads(
  handlers: OperationHandlers,
  caller: Caller,
  auditTrail: AuditTrail,
): OperationHandlers {
  const recording = Object.entries<Declaration>(adminOperations).map(([name, declared]) => {
    const handler = handlers[name as keyof OperationHandlers] as Handler
    const { recorded } = declared
    if (recorded === undefined) return [name, handler]
    const record = (input: object) =>
      auditTrail.record(caller, name, subjectOf(recorded, input as Record<string, unknown>))
    const one: Handler = async (input, signal) => {
      const answer = await handler(input, signal)
      await record(input)
      return answer
    }
    async function* lines(input: object, signal?: AbortSignal): AsyncGenerator<unknown> {
      await record(input)
      yield* handler(input, signal) as AsyncIterable<unknown>
    }
    return [name, declared.answer === 'lines' ? lines : one]
  })
  return Object.fromEntries(recording) as OperationHandlers
}

function subjectOf(fields: readonly string[], input: Readonly<Record<string, unknown>>): Subject {
  return Object.fromEntries(
    fields.map((field) => [field, input[field] === undefined ? null : String(input[field])]),
  )
}
