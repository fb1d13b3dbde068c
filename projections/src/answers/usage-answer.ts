/** A page of usage as it is asked for and answered: days of any zone, groups, exact dollars. */
import { cursorNumber, cursorText } from '@svc/contracts/cursor'
import { ServiceError } from '@svc/contracts/errors'
import { formatExact } from '@svc/contracts/money'
import { type TokenClass, tokenClasses } from '@svc/contracts/tokens'
import type { UsageAnswer, UsageGroup, UsageQueryFields } from '@svc/contracts/wire/usage'
import {
  dateOf,
  daysLater,
  endOfStep,
  type Period,
  QUARTER_MS,
  startOfDay,
  startOfStep,
  textIn,
  type Zone,
} from '@svc/contracts/zone'
import type { UsageFilter, UsageStep, UsedTokens } from '../views/rows/usage-rows.ts'
import type { Views } from '../views/views.ts'
import { checkAskedKey } from './asked-key.ts'
import { isOver, readEdge, readZoneOf } from './asked-period.ts'

/** How many days a question without a period covers: today and the days before it. */
const DAYS_DEFAULT = 30
/**
 * Rows that a page looks at, some 100 ms: an account that used 50 keys in every format gets fewer
 * steps of time on a page than it asks for.
 */
const LOOKS_MAX = 20_000
/** Nothing was used before, and the zones of those days had no quarters. */
const EARLIEST_MS = Date.UTC(2000, 0, 1)

export type UsageViews = Pick<Views, 'usage' | 'nextUse' | 'seriesCount' | 'keys' | 'key'>

/**
 * @param nowMs whose day is the last of the period by default
 * @throws {ServiceError} `invalid_value`, or `not_found` for the key, that names the field
 */
export function usagePage(
  views: UsageViews,
  accountId: string,
  query: UsageQueryFields,
  nowMs: number,
): UsageAnswer {
  checkAskedKey(views, accountId, query.key_id)
  const zone = readZoneOf(query.zone)
  const period = periodOf(query, zone, nowMs)
  const groupBy = query.group_by ?? []
  const list = listOf(accountId, query)
  const filter = filterOf(accountId, query)
  const { by, cursor } = query
  const begin = cursor === undefined ? period.from : cursorNumber(list, cursor, period.to - 1)
  const groups = groupBy.filter((group) => group !== 'class')
  const isOfAll = groups.length === 0 && isUnfiltered(query)
  const steps = isOfAll ? query.limit : stepsOf(views, accountId, query.limit)
  const first = views.nextUse(filter, begin) ?? period.to
  const edges = edgesOf({ from: begin, to: period.to }, first, { zone, by, steps })
  const used = views.usage({ ...filter, groupBy: groups, edges }).steps
  const { total } = views.usage({ ...filter, groupBy: [], edges: [period.from, period.to] })
  const keys = groupBy.includes('key') ? views.keys(accountId) : []
  const names = new Map(keys.map(({ keyId, name }) => [keyId, name] as const))
  const edgeTexts = edges.map((edge) => textIn(edge, zone))
  const last = edges.at(-1) ?? period.to
  const hasMore = last < period.to && (views.nextUse(filter, last) ?? period.to) < period.to
  return {
    object: 'usage',
    currency: 'USD',
    zone,
    by,
    group_by: groupBy,
    from: textIn(period.from, zone),
    to: textIn(period.to, zone),
    over: isOver(period, nowMs),
    data: used.flatMap((step) => rowsOf(step, edgeTexts, groupBy, names)),
    total: usedAnswer(total, tokenClasses),
    has_more: hasMore,
    next_cursor: hasMore ? cursorText(list, `${last}`) : null,
  }
}

/**
 * Reads the period. By default it is today and the 29 days before, so that a question without any
 * field is answered.
 */
function periodOf({ from, to }: UsageQueryFields, zone: Zone, nowMs: number): Period {
  const today = dateOf(nowMs, zone)
  const period = {
    from:
      from === undefined
        ? startOfDay(daysLater(today, 1 - DAYS_DEFAULT), zone)
        : readEdge('from', from, zone),
    to: to === undefined ? startOfDay(daysLater(today, 1), zone) : readEdge('to', to, zone),
  }
  for (const [param, timeMs] of Object.entries(period)) {
    if (timeMs < EARLIEST_MS) throw refused(param, 'must be in this century')
    if (timeMs % QUARTER_MS !== 0) throw refused(param, 'must be on a quarter of an hour')
  }
  if (period.from < period.to) return period
  const [start, end] = [textIn(period.from, zone), textIn(period.to, zone)]
  throw refused('from', `the period would begin at ${start} and end at ${end}`)
}

function listOf(accountId: string, { cursor: _, limit: _limit, ...asked }: UsageQueryFields) {
  return ['usage', accountId, asked]
}

function stepsOf(views: UsageViews, accountId: string, limit: number): number {
  const series = Math.max(1, views.seriesCount(accountId))
  return Math.max(1, Math.min(limit, Math.floor(LOOKS_MAX / series)))
}

function filterOf(
  accountId: string,
  { key_id: keyId, model, format }: UsageQueryFields,
): UsageFilter {
  return { accountId, keyId, model, format }
}

function isUnfiltered({ key_id: keyId, model, format }: UsageQueryFields): boolean {
  return keyId === undefined && model === undefined && format === undefined
}

/** A page begins with the step that holds the first usage: so none is empty but the only one. */
function edgesOf(
  { from, to }: Period,
  firstUse: number,
  { zone, by, steps }: { zone: Zone; by: UsageQueryFields['by']; steps: number },
): readonly number[] {
  if (firstUse >= to) return [from, to]
  const edges = [Math.max(from, startOfStep(firstUse, zone, by))]
  for (let edge = edges[0] ?? from; edge < to && edges.length <= steps; ) {
    edge = Math.min(endOfStep(edge, zone, by), to)
    edges.push(edge)
  }
  return edges
}

type Row = UsageAnswer['data'][number]

/** Makes one row, or one for each class of tokens that was used. */
function rowsOf(
  step: UsageStep,
  edges: readonly string[],
  groupBy: readonly UsageGroup[],
  names: ReadonlyMap<string, string>,
): readonly Row[] {
  const { keyId, model, format } = step
  const group = {
    from: edges[step.step] ?? '',
    to: edges[step.step + 1] ?? '',
    ...(keyId === null ? {} : { key: { id: keyId, name: names.get(keyId) ?? null } }),
    ...(model === null ? {} : { model }),
    ...(format === null ? {} : { format }),
  }
  if (!groupBy.includes('class')) return [{ ...group, ...usedAnswer(step, tokenClasses) }]
  return tokenClasses
    .map((each) => ({ ...group, class: each, ...usedAnswer(step, [each]) }))
    .filter(({ lines }) => lines.some(({ tokens }) => tokens > 0))
}

function usedAnswer(
  used: UsedTokens,
  classes: readonly TokenClass[],
): Pick<Row, 'requests' | 'lines' | 'amount'> {
  const lines = classes.map((each) => ({ class: each, ...ofClass[each](used) }))
  return {
    requests: classes.length === tokenClasses.length ? used.requests : null,
    lines: lines.map((line) => ({ ...line, amount: formatExact(line.amount) })),
    amount: formatExact(lines.reduce((sum, { amount }) => sum + amount, 0n)),
  }
}

const ofClass: Readonly<
  Record<TokenClass, (used: UsedTokens) => { readonly tokens: number; readonly amount: bigint }>
> = {
  input: ({ inputTokens, inputAmount }) => ({ tokens: inputTokens, amount: inputAmount }),
  cached_input: (used) => ({ tokens: used.cachedInputTokens, amount: used.cachedInputAmount }),
  output: ({ outputTokens, outputAmount }) => ({ tokens: outputTokens, amount: outputAmount }),
}

function refused(param: string, why: string): ServiceError {
  return new ServiceError('invalid_value', `${param}: ${why}`, { param })
}
