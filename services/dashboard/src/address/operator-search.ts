/** What of the operator's pages stands in their address. */
import type { OperationInput } from '@svc/contracts/admin/operations'
import {
  given,
  oneOf,
  type RequestsSearch,
  requestsSearch,
  type StatementSearch,
  statementSearch,
  text,
  type UsageSearch,
  usageSearch,
} from './search.ts'

type Raw = Readonly<Record<string, unknown>>

export const accountOrders = [
  'newest',
  'oldest',
  'activity',
  'available',
  'held',
  'spent',
  'name',
  'status',
] as const satisfies readonly OperationInput<'listAccounts'>['order'][]
type AccountOrder = (typeof accountOrders)[number]
const accountStatuses = [
  'open',
  'frozen',
  'closed',
  'damaged',
] as const satisfies readonly OperationInput<'sumAccounts'>['status'][]
export const accountViews = ['grants', 'holds', 'keys', 'requests', 'statement', 'usage'] as const
export type AccountView = (typeof accountViews)[number]

export interface AccountsSearch {
  /** A part of a name or an id. What is found comes in the order of its age and in no other. */
  readonly find?: string
  readonly status?: (typeof accountStatuses)[number]
  readonly order?: AccountOrder
}

/** With what the statement, the requests and usage of the account are asked by. */
export interface AccountSearch extends RequestsSearch, StatementSearch, UsageSearch {
  readonly view?: AccountView
  /** The grant that was looked for, by its id. */
  readonly grant?: string
}

export function accountsSearch(raw: Raw): AccountsSearch {
  return {
    ...given('find', text(raw.find)?.trim() || undefined),
    ...given('status', oneOf(accountStatuses, raw.status)),
    ...given('order', oneOf(accountOrders, raw.order)),
  }
}

export function accountSearch(raw: Raw): AccountSearch {
  return {
    ...requestsSearch(raw),
    ...statementSearch(raw),
    ...usageSearch(raw),
    ...given('view', oneOf(accountViews, raw.view)),
    ...given('grant', text(raw.grant)),
  }
}

export interface EventsSearch {
  /** Position of the event that is looked for: the newest that is shown. */
  readonly at?: number
  /**
   * Who caused the events, such as `user:usr_…`, or all of a kind, such as `user`, or everybody.
   * Default: whoever administers.
   */
  readonly who?: string
  /** The type of the events, or every type. Default: all changes. */
  readonly what?: string
}

/** Whoever and whatever it is, also requests of customers and what somebody only looked at. */
export const ANY = 'any'

export function eventsSearch(raw: Raw): EventsSearch {
  const { at } = raw
  const isPosition = typeof at === 'number' && Number.isSafeInteger(at) && at >= 0
  return {
    ...given('at', isPosition ? at : undefined),
    ...given('who', text(raw.who)),
    ...given('what', text(raw.what)),
  }
}
