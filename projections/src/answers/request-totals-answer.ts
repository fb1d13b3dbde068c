/** What all requests of a list come to, by status: exact dollars. */
import { ServiceError } from '@svc/contracts/errors'
import { formatExact } from '@svc/contracts/money'
import type { RequestTotalsAnswer, RequestTotalsQueryFields } from '@svc/contracts/wire/requests'
import { QUARTER_MS, textIn } from '@svc/contracts/zone'
import type { UsedTokens } from '../views/rows/usage-rows.ts'
import type { Views } from '../views/views.ts'
import { isOver, readPeriod, readZoneOf } from './asked-period.ts'
import { requestsQueryOf } from './requests-answer.ts'

export type RequestTotalsViews = Pick<Views, 'requestTotals' | 'key'>

/**
 * A request belongs to the period in which it came in, and changes its figures when it ends.
 *
 * @throws {ServiceError} `invalid_value`, or `not_found` for the key, that names the field
 */
export function requestTotals(
  views: RequestTotalsViews,
  accountId: string,
  { status: asked, ...fields }: RequestTotalsQueryFields,
  nowMs: number,
): RequestTotalsAnswer {
  const zone = readZoneOf(fields.zone)
  const period = readPeriod(fields)
  const { from, to } = period
  for (const [param, timeMs] of Object.entries({ from, to })) {
    if (timeMs === undefined || timeMs % QUARTER_MS === 0) continue
    throw new ServiceError('invalid_value', `${param}: must be on a quarter of an hour`, { param })
  }
  const all = views.requestTotals(requestsQueryOf(views, accountId, fields))
  const found = all.filter(({ status }) => asked === undefined || asked === status)
  return {
    object: 'request_totals',
    currency: 'USD',
    zone,
    from: from === undefined ? null : textIn(from, zone),
    to: to === undefined ? null : textIn(to, zone),
    over: isOver(period, nowMs) && !all.some(({ status }) => status === 'running'),
    data: found.map(({ status, ...used }) => ({ status, ...totalOf([used]) })),
    total: totalOf(found),
  }
}

function totalOf(parts: readonly UsedTokens[]): RequestTotalsAnswer['total'] {
  const sum = (of: (part: UsedTokens) => number) => parts.reduce((all, part) => all + of(part), 0)
  return {
    requests: sum(({ requests }) => requests),
    input_tokens: sum(({ inputTokens }) => inputTokens),
    cached_input_tokens: sum(({ cachedInputTokens }) => cachedInputTokens),
    output_tokens: sum(({ outputTokens }) => outputTokens),
    amount: formatExact(parts.reduce((all, { amount }) => all + amount, 0n)),
  }
}
