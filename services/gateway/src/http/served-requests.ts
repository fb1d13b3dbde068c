/** Counts customers' requests that are being served: long work of this process waits for them. */

import { ADMIN_PREFIX } from '@svc/contracts/admin/declaration'
import { DASHBOARD_ADMIN_PREFIX } from '@svc/contracts/dashboard/declaration'
import type { onRequestHookHandler } from 'fastify'

export interface ServedRequests {
  /** @returns to be called once, when the request is over */
  enter(): () => void
}

/** The operator's own questions do not count, from wherever they come: they are the long work. */
export function noteServed(served: ServedRequests): onRequestHookHandler {
  return ({ raw }, reply, done) => {
    if (!isOperators(raw.url ?? '')) reply.raw.once('close', served.enter())
    done()
  }
}

function isOperators(url: string): boolean {
  return url.startsWith(ADMIN_PREFIX) || url.startsWith(DASHBOARD_ADMIN_PREFIX)
}
