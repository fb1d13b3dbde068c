/** Idempotency-Keys of the whole log, found through the view of requests. */

import type { UsedKeys } from '@svc/contracts/ports/used-keys'
import { keyUnknown } from '@svc/ledger/refusals'
import type { Projections } from '@svc/projections/open-projections'

/** How long a request waits for the view to hold all that the account has done. */
const VIEW_WAIT_MS = 2_000

export function loggedKeys({ views, reached }: Pick<Projections, 'views' | 'reached'>): UsedKeys {
  return {
    async find(accountId, keyHash, upTo) {
      if (!(await reached(upTo, VIEW_WAIT_MS, 'requests'))) throw keyUnknown()
      const row = await views.requestOfKey(accountId, keyHash)
      if (row === undefined || row.idempotency === null) return undefined
      const isRunning = row.status === 'running'
      // It ended without a debit.
      if (!isRunning && row.balanceAfter === null) return undefined
      return { requestId: row.requestId, bodyHash: row.idempotency.bodyHash, isRunning }
    },
  }
}
