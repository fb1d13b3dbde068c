/** The refused requests of a folder, on the time of this process. */
import { join } from 'node:path'
import type { RefusedRequests } from '@svc/contracts/ports/refused-requests'
import { openSqliteRefusedRequests } from '@svc/infra/refused-requests/sqlite-refused-requests'
import { systemClock } from '@svc/infra/system/system-clock'
import { systemTimer } from '@svc/infra/system/system-timer'

/** @throws from the timer when a batch cannot be written */
export function refusedRequestsIn(folder: string): RefusedRequests {
  return openSqliteRefusedRequests(join(folder, 'refusals.db'), {
    clock: systemClock,
    timer: systemTimer,
    onLost: (cause) => {
      throw cause
    },
  })
}
