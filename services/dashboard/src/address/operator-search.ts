/** What of the operator's pages stands in their address. */
import { given, oneOf, text } from './search.ts'

type Raw = Readonly<Record<string, unknown>>

export const accountOrders = ['newest', 'activity', 'available', 'held', 'spent', 'name'] as const
export type AccountOrder = (typeof accountOrders)[number]
const accountStatuses = ['open', 'frozen', 'closed'] as const
export const accountViews = ['grants', 'holds', 'keys', 'requests', 'statement'] as const
export type AccountView = (typeof accountViews)[number]

export interface AccountsSearch {
  /** Of a name or an id. */
  readonly find?: string
  readonly status?: (typeof accountStatuses)[number]
  readonly order?: AccountOrder
}

export interface AccountSearch {
  readonly view?: AccountView
  /** The request whose receipt is open. */
  readonly request?: string
}

export function accountsSearch(raw: Raw): AccountsSearch {
  return {
    ...given('find', text(raw.find)),
    ...given('status', oneOf(accountStatuses, raw.status)),
    ...given('order', oneOf(accountOrders, raw.order)),
  }
}

export function accountSearch(raw: Raw): AccountSearch {
  return {
    ...given('view', oneOf(accountViews, raw.view)),
    ...given('request', text(raw.request)),
  }
}
