/** Rows of the usage answer, as charts and tables read them. */

import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { dayAfter } from '../../address/asked-period.ts'
import { serverNow } from '../../api/server-clock.ts'
import { whichOfTwo } from '../../text/times.ts'
import type { TokenClass } from '../../text/token-classes.ts'

export type UsageRow = UsageAnswer['data'][number]

export const classes = ['input', 'cached_input', 'output'] as const satisfies readonly TokenClass[]

export interface ClassUse {
  readonly tokens: number
  /** Exact dollars. */
  readonly amount: string
}

const NOTHING: ClassUse = { tokens: 0, amount: '0.00' }

/** Finds what one class of tokens used in a row, which is nothing where it has no line. */
export function usedOf({ lines }: Pick<UsageRow, 'lines'>, name: TokenClass): ClassUse {
  return lines.find((line) => line.class === name) ?? NOTHING
}

const DAYS_MAX = 366
const DATE_CHARACTERS = 'YYYY-MM-DD'.length

/** The rows of a chart: days without use have a place too, up to today. */
export function drawnRows({ by, from, to, data }: UsageAnswer): readonly UsageRow[] {
  if (by !== 'day') return data
  const rows = new Map(data.map((row) => [row.from.slice(0, DATE_CHARACTERS), row]))
  const today = new Date(serverNow()).toISOString().slice(0, DATE_CHARACTERS)
  const last = [...rows.keys(), today].toSorted().at(-1) ?? today
  const drawn: UsageRow[] = []
  for (
    let day = from.slice(0, DATE_CHARACTERS);
    day < to.slice(0, DATE_CHARACTERS) && day <= last && drawn.length < DAYS_MAX;
    day = dayAfter(day)
  ) {
    drawn.push(rows.get(day) ?? { from: day, to: day, requests: 0, lines: [], amount: '0.00' })
  }
  return drawn
}

/** The step of time as a reader of the zone names it: a day, an hour of it, or a month. */
export function stepLabel(
  { from }: Pick<UsageRow, 'from'>,
  { by, zone }: Pick<UsageAnswer, 'by' | 'zone'>,
): string {
  if (by === 'month') return from.slice(0, 'YYYY-MM'.length)
  if (by === 'day') return from.slice('YYYY-'.length, 'YYYY-MM-DD'.length)
  const hour = from.slice('YYYY-'.length, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')
  return hour + whichOfTwo(from, zone)
}

/** What the row is of, where rows are grouped. */
export function groupLabel({ key, model, format }: UsageRow): string {
  return key?.name ?? key?.id ?? model ?? format ?? ''
}
