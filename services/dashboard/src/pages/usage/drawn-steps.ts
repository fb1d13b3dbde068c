/** The steps of time of a chart: those in which nothing was used have a place too. */
import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { dayAfter } from '../../address/asked-period.ts'
import { serverNow } from '../../api/server-clock.ts'
import { momentStep } from '../../text/times.ts'
import { labelOf, stepOf, type UsageRow } from './usage-rows.ts'

export interface DrawnStep extends UsageRow {
  /** Its full name, such as `2026-11-20`. */
  readonly step: string
  /** How it is named below the chart. */
  readonly label: string
}

/** A period of more steps is drawn without those in which nothing was used. */
const DRAWN_STEPS_MAX = 1_000
const HOUR_MS = 3_600_000

/** Several charts draw one answer. */
const drawn = new WeakMap<UsageAnswer, readonly DrawnStep[]>()

/**
 * All steps from the beginning of the period, or from the first use where that is too long ago, up
 * to now; up to the last row where there are more than the answer has.
 */
export function drawnSteps(usage: UsageAnswer): readonly DrawnStep[] {
  const known = drawn.get(usage)
  if (known !== undefined) return known
  const rows = new Map(usage.data.map((row) => [stepOf(row, usage), row]))
  const names = namesOf(usage, usage.from) ?? namesOf(usage, usage.data[0]?.from) ?? []
  // No row is left out, whatever the clocks of a zone do.
  const isWhole = new Set(names).isSupersetOf(rows)
  const steps = (isWhole ? names : [...rows.keys()]).map((step) => {
    const row = rows.get(step) ?? { from: step, to: step, requests: 0, lines: [], amount: '0.00' }
    return { ...row, step, label: labelOf(step, usage) }
  })
  drawn.set(usage, steps)
  return steps
}

/** @returns undefined where they are too many */
function namesOf(usage: UsageAnswer, from: string | undefined): readonly string[] | undefined {
  if (from === undefined) return undefined
  const names: string[] = []
  for (const name of eachName(usage, from)) {
    if (names.length === DRAWN_STEPS_MAX) return undefined
    names.push(name)
  }
  return names
}

function* eachName(usage: UsageAnswer, from: string): Generator<string> {
  const { by, zone } = usage
  const lastMs = lastMsOf(usage)
  if (by === 'hour') {
    for (let ms = Date.parse(from); ms <= lastMs; ms += HOUR_MS) yield momentStep(ms, by, zone)
    return
  }
  if (by === '15min') return
  const after = by === 'day' ? dayAfter : monthAfter
  const last = momentStep(lastMs, by, zone)
  for (let name = stepOf({ from }, usage); name <= last; name = after(name)) yield name
}

/** A moment of the last step, in milliseconds since 1970. */
function lastMsOf({ to, data, has_more: isCut }: UsageAnswer): number {
  const lastRow = data.at(-1)
  const used = lastRow === undefined ? 0 : Date.parse(lastRow.from)
  return Math.min(Date.parse(to) - 1, isCut ? used : Math.max(used, serverNow()))
}

const MONTHS = 12

/** @param month such as `2026-12` */
function monthAfter(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  const isLast = number === MONTHS
  const next = `${isLast ? 1 : number + 1}`.padStart(2, '0')
  return `${`${isLast ? year + 1 : year}`.padStart(4, '0')}-${next}`
}
