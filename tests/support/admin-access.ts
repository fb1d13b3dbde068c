/** Admin tokens and the audit trail of a log, on the time and the randomness of this process. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { Clock } from '@svc/contracts/ports/time'
import { Users } from '@svc/identity/users/users'
import { openSqliteUserRecords } from '@svc/infra/people/sqlite-user-records'
import { systemClock } from '@svc/infra/system/system-clock'
import { SystemIds } from '@svc/infra/system/system-ids'
import { systemTimer } from '@svc/infra/system/system-timer'
import { AdminTokens, type AdminTokensPorts } from '@svc/operator/access/admin-tokens'
import { AuditTrail } from '@svc/operator/access/audit-trail'

export function adminTokensOn(store: EventStore, clock: Clock = systemClock): AdminTokens {
  return new AdminTokens(portsOn(store, clock))
}

/** Users of the dashboard, with who they are in a folder; whoever asks closes the records. */
export function usersOn(store: EventStore, folder: string) {
  return {
    users: new Users(portsOn(store, systemClock)),
    userRecords: openSqliteUserRecords(join(folder, 'users.db')),
  }
}

export function auditTrailOn(store: EventStore, clock: Clock = systemClock): AuditTrail {
  return new AuditTrail(portsOn(store, clock))
}

function portsOn(store: EventStore, clock: Clock): AdminTokensPorts {
  return { store, clock, timer: systemTimer, ids: new SystemIds(clock), randomBytes }
}
