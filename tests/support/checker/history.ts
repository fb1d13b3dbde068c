import type { TokenCounts } from '@svc/contracts/tokens'
import type { RequestAudit } from './request-audit.ts'
import type { Violation } from './violation.ts'

/** What one client was told about one request. */
export interface ClientAnswer {
  /** From the header `x-request-id`. */
  readonly requestId: string
  /** The HTTP status; null when the connection broke before one came. */
  readonly status: number | null
  /** The usage of the final answer; null when none came. */
  readonly usage: TokenCounts | null
}

/** The refusals that come before a request is accepted: nothing is charged for them. */
const refusals = new Set([400, 401, 402, 403, 404, 405, 413, 414, 415, 422, 429, 431])

/** I6: no answer without its debit, and no debit for a refusal. */
export function historyViolations(
  history: readonly ClientAnswer[],
  requests: ReadonlyMap<string, RequestAudit>,
): readonly Violation[] {
  return history.flatMap(({ requestId, status, usage }) => {
    const request = requests.get(requestId)
    const problem = usage === null ? refusalProblem(status, request) : answerProblem(usage, request)
    return problem === undefined ? [] : [{ invariant: 'I6', subject: requestId, problem } as const]
  })
}

function answerProblem(told: TokenCounts, request: RequestAudit | undefined): string | undefined {
  if (request === undefined) return 'was answered, and the log does not know it'
  if (request.meter === undefined || request.debits === 0) return 'was answered, and not debited'
  const same =
    told.inputTokens === request.meter.inputTokens &&
    told.cachedInputTokens === request.meter.cachedInputTokens &&
    told.outputTokens === request.meter.outputTokens
  return same ? undefined : 'was told another usage than was metered'
}

function refusalProblem(
  status: number | null,
  request: RequestAudit | undefined,
): string | undefined {
  if (status === null || !refusals.has(status) || request === undefined) return undefined
  return request.debited > 0n ? `was refused with ${status}, and debited` : undefined
}
