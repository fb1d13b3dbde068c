/**
 * How an operation of the dashboard is declared: once, as those of the operator are in `admin/`.
 * The server makes its routes of the declarations, and the browser app takes its types from them.
 *
 * A browser proves who it is with the cookie of a session and with nothing else: an API key or an
 * admin token means nothing here, and the cookie means nothing on the public and the admin API.
 * Whatever is not a GET needs the header {@link DASHBOARD_HEADER}, which no other origin can send.
 *
 * The operations of the operator are here too, under {@link DASHBOARD_ADMIN_PREFIX}, as `admin/`
 * declares them: there the role that a declaration asks for is that of the user.
 */
import type { z } from 'zod'

export const DASHBOARD_PREFIX = '/dashboard/api'
export const DASHBOARD_ADMIN_PREFIX = `${DASHBOARD_PREFIX}/admin`

/**
 * Headers that every answer of the dashboard's API has: none of them is a page, and none may be
 * shown in one.
 */
export const DASHBOARD_ANSWER_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const

/** The browser sends this header with every request that is not a GET, with the value `1`. */
export const DASHBOARD_HEADER = 'x-svc-dashboard'

/**
 * The id of the user whom a page shows as signed in. A browser has one session for all of its tabs:
 * where that is another user's by now, the answer is `another_user`, and nothing is shown or done.
 * Without the header whoever the session is of is asked for.
 */
export const SHOWN_USER_HEADER = 'x-svc-user'

/**
 * `POST /accounts/:account_id/chat/completions`: a request and its answer are those of the public
 * `POST /v1/chat/completions`, streams too, with the same prices and the same headers. Each
 * account has one key that nobody can send, named `Dashboard chat`, which these requests stand
 * under in usage and receipts.
 */
export const CHAT_PATH = '/accounts/:account_id/chat/completions'

/** Links are `<base URL>/dashboard/join#<secret>`: what is behind `#` no server and no log gets. */
export const LINK_PATH = '/dashboard/join'

/**
 * Who may:
 *
 *     anybody    also without a session
 *     signed-in  every user
 *     member     users who are in the account that the path names; it is a path that is not there
 *                (404) for all others, the operator's people included
 *     owner      of those the owners of the account; others get `not_allowed`
 */
export type DashboardAccess = 'anybody' | 'signed-in' | 'member' | 'owner'

export interface DashboardDeclaration {
  readonly method: 'GET' | 'POST'
  /**
   * The path behind the prefix. What `:name` does not take of the input is the query, or the body.
   */
  readonly path: string
  readonly access: DashboardAccess
  /** Describes the operation to people in one line. */
  readonly summary: string
  readonly input: z.ZodObject
  readonly output: z.ZodType
}

/** Checks the form of a declaration, and keeps its exact type. */
export function dashboardOperation<const D extends DashboardDeclaration>(declaration: D): D {
  return declaration
}
