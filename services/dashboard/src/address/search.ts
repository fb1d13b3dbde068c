/** What of a page stands in its address: filters, so that a link shows the same rows. */
import { wireFormats } from '@svc/contracts/events/account'
import type { StatementOrder } from '@svc/contracts/wire/statement'

type Raw = Readonly<Record<string, unknown>>

export interface Period {
  /** Days such as `2026-11-01`; `to` is included. */
  readonly from?: string
  readonly to?: string
  /** Whose days they are, such as `Europe/Berlin`. Default: that of the reader. */
  readonly zone?: string
}

export interface RequestsSearch extends Period {
  readonly key?: string
  readonly status?: (typeof statuses)[number]
  readonly model?: string
  readonly format?: (typeof wireFormats)[number]
  /** The request whose receipt is open, by any of its ids. */
  readonly request?: string
}

export interface UsageSearch extends Period {
  readonly by?: (typeof steps)[number]
  readonly group?: (typeof groups)[number]
}

export interface StatementSearch extends Period {
  /** Which movement comes first. Default: the newest. */
  readonly order?: StatementOrder
  /** The grant, adjustment or refund that was looked for, by its id. */
  readonly movement?: string
}

const statuses = ['running', 'finished', 'stopped', 'failed', 'abandoned'] as const
export const steps = ['day', 'hour', 'month'] as const
export const statementOrders = ['newest', 'oldest'] as const satisfies readonly StatementOrder[]
export const groups = ['key', 'model', 'format'] as const

const TEXT_CHARACTERS_MAX = 200

/**
 * The router lets stand, beside what a page takes out of its address, whatever else is there, also
 * under the same names: so what the page leaves out is there as undefined.
 */
export function nothingBut<Taken extends (raw: Raw) => object>(taken: Taken): Taken {
  const whole = (raw: Raw) => {
    const blank = Object.keys(raw).map((name) => [name, undefined])
    return { ...Object.fromEntries(blank), ...taken(raw) }
  }
  return whole as Taken
}

/** Whether the dialog for a new key is open. */
export function keysSearch({ create }: Raw): { readonly create?: true } {
  return create === true ? { create } : {}
}

export function requestsSearch(raw: Raw): RequestsSearch {
  return {
    ...period(raw),
    ...given('key', text(raw.key)),
    ...given('status', oneOf(statuses, raw.status)),
    ...given('model', text(raw.model)),
    ...given('format', oneOf(wireFormats, raw.format)),
    ...given('request', text(raw.request)),
  }
}

export function statementSearch(raw: Raw): StatementSearch {
  return {
    ...period(raw),
    ...given('order', oneOf(statementOrders, raw.order)),
    ...given('movement', text(raw.movement)),
  }
}

export function usageSearch(raw: Raw): UsageSearch {
  return {
    ...period(raw),
    ...given('by', oneOf(steps, raw.by)),
    ...given('group', oneOf(groups, raw.group)),
  }
}

/** What of an address is kept from one page of an account to the next. */
export function period({ from, to, zone }: Raw): Period {
  const [first, last] = [day(from), day(to)]
  const isBackwards = first !== undefined && last !== undefined && last < first
  const days = isBackwards ? {} : { ...given('from', first), ...given('to', last) }
  return { ...days, ...given('zone', zoneName(zone)) }
}

export function given<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [Key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [Key in Name]: Value })
}

export function oneOf<Value extends string>(
  values: readonly Value[],
  raw: unknown,
): Value | undefined {
  return values.find((value) => value === raw)
}

/** One that this browser knows. */
function zoneName(raw: unknown): string | undefined {
  const name = text(raw)
  if (name === undefined) return undefined
  try {
    // The zone keeps the name that was given, because engines know some zones by older names.
    new Intl.DateTimeFormat('en', { timeZone: name })
    return name
  } catch {
    return undefined
  }
}

/** One that is in the calendar: the page reckons with it before it asks for anything. */
function day(raw: unknown): string | undefined {
  if (typeof raw !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(raw)) return undefined
  return Number.isNaN(Date.parse(raw)) ? undefined : raw
}

export function text(raw: unknown): string | undefined {
  return typeof raw === 'string' && raw !== '' ? raw.slice(0, TEXT_CHARACTERS_MAX) : undefined
}
