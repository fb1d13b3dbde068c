/** Counts customers' requests that are being served: long work of this process waits for them. */

import { ADMIN_PREFIX } from '@svc/contracts/admin/declaration'
import { DASHBOARD_ADMIN_PREFIX, DASHBOARD_PREFIX } from '@svc/contracts/dashboard/declaration'
import type { onRequestHookHandler } from 'fastify'

export interface ServedRequests {
  /** @returns to be called once, when the request is over */
  enter(): () => void
}

/** What every page of the dashboard begins with, an operator's too. */
const PAGES = '/dashboard/'
const SESSION = `${DASHBOARD_PREFIX}/session`

/**
 * The operator's own questions do not count, from wherever they come: they are the long work. Nor
 * do the files of the pages and the question who is signed in: an operator who opened a page would
 * be waited for as a customer, and the answers of that page would come four times as late.
 */
export function noteServed(served: ServedRequests): onRequestHookHandler {
  return ({ raw }, reply, done) => {
    if (isCustomers(raw.url ?? '')) reply.raw.once('close', served.enter())
    done()
  }
}

function isCustomers(url: string): boolean {
  if (url.startsWith(ADMIN_PREFIX) || url.startsWith(DASHBOARD_ADMIN_PREFIX)) return false
  if (url === SESSION) return false
  return !url.startsWith(PAGES) || url.startsWith(DASHBOARD_PREFIX)
}
