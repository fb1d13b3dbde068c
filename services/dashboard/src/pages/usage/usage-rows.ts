/** Rows of the usage answer, as charts and tables read them. */

import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { whichOfTwo } from '../../text/times.ts'
import type { TokenClass } from '../../text/token-classes.ts'
import type { KeyNames } from '../key-names.ts'

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

type Asked = Pick<UsageAnswer, 'by' | 'zone' | 'from' | 'to'>

/** The full name of a row's step of time: `2026-11`, `2026-11-20`, `2026-11-20 10:00`. */
export function stepOf({ from }: Pick<UsageRow, 'from'>, { by, zone }: Omit<Asked, 'from' | 'to'>) {
  if (by === 'month') return from.slice(0, 'YYYY-MM'.length)
  if (by === 'day') return from.slice(0, 'YYYY-MM-DD'.length)
  const hour = from.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')
  return hour + whichOfTwo(from, zone)
}

const YEAR_MS = 366 * 86_400_000

/** How a step is named where its period is known: days of more than a year have theirs. */
export function labelOf(step: string, { by, from, to }: Omit<Asked, 'zone'>): string {
  if (by === 'month' || Date.parse(to) - Date.parse(from) > YEAR_MS) return step
  return step.slice('YYYY-'.length)
}

export function stepLabel(row: Pick<UsageRow, 'from'>, usage: Asked): string {
  return labelOf(stepOf(row, usage), usage)
}

/** What the row is of, where rows are grouped. @param names of keys, where they are known */
export function groupLabel({ key, model, format }: UsageRow, names?: KeyNames): string {
  if (key != null) return names?.get(key.id) ?? key.name ?? key.id
  return model ?? format ?? ''
}
