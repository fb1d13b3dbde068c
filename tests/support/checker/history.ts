import type { TokenCounts } from '@svc/contracts/tokens'
import type { RequestAudit } from './request-audit.ts'
import type { Violation } from './violation.ts'

/** What one client was told about one request. */
export interface ClientAnswer {
  /** From the header `x-request-id`. */
  readonly requestId: string
  /** The HTTP status; null when the connection broke before one came. */
  readonly status: number | null
  /** The usage of the final answer; null when none came, also when it broke off in the middle. */
  readonly usage: TokenCounts | null
  /** The account and its Idempotency-Key, where the request had one. */
  readonly key?: string | undefined
}

/** The refusals that come before a request is accepted: nothing is charged for them. */
const refusals = new Set([400, 401, 402, 403, 404, 405, 413, 414, 415, 422, 429, 431])

/** I6 and I19. No answer without its debit, no debit for a refusal, one answer for each key. */
export function historyViolations(
  history: readonly ClientAnswer[],
  requests: ReadonlyMap<string, RequestAudit>,
): readonly Violation[] {
  const answers = history.flatMap(({ requestId, status, usage }) => {
    const request = requests.get(requestId)
    const problem = usage === null ? refusalProblem(status, request) : answerProblem(usage, request)
    return problem === undefined ? [] : [{ invariant: 'I6', subject: requestId, problem } as const]
  })
  return [...answers, ...keyViolations(history, requests)]
}

/** What clients saw of each key: the log alone says nothing of a key that was forgotten. */
function keyViolations(
  history: readonly ClientAnswer[],
  requests: ReadonlyMap<string, RequestAudit>,
): readonly Violation[] {
  const keyed = history.filter(({ key }) => key !== undefined)
  return [...Map.groupBy(keyed, ({ key }) => key)].flatMap(([key = '', answers]) => {
    const ids = [...new Set(answers.map(({ requestId }) => requestId))]
    const debited = ids.filter((requestId) => (requests.get(requestId)?.debits ?? 0) > 0)
    const told = new Set(
      answers.filter(({ usage }) => usage !== null).map(({ requestId }) => requestId),
    )
    const report = (problem: string) => [{ invariant: 'I19', subject: key, problem } as const]
    if (debited.length > 1) return report(`is debited as ${debited.join(' and ')}`)
    return told.size > 1 ? report(`was answered with ${told.size} requests`) : []
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
  if (status === 200 && request === undefined) return 'was begun, and the log does not know it'
  if (status === null || !refusals.has(status) || request === undefined) return undefined
  return request.debited > 0n ? `was refused with ${status}, and debited` : undefined
}
