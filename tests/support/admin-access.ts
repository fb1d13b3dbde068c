/** Admin tokens and the audit trail of a log, on the time and the randomness of this process. */
import { randomBytes } from 'node:crypto'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { Clock } from '@svc/contracts/ports/time'
import { systemClock } from '@svc/infra/system/system-clock'
import { SystemIds } from '@svc/infra/system/system-ids'
import { systemTimer } from '@svc/infra/system/system-timer'
import { AdminTokens, type AdminTokensPorts } from '@svc/operator/access/admin-tokens'
import { AuditTrail } from '@svc/operator/access/audit-trail'

export function adminTokensOn(store: EventStore, clock: Clock = systemClock): AdminTokens {
  return new AdminTokens(portsOn(store, clock))
}

export function auditTrailOn(store: EventStore, clock: Clock = systemClock): AuditTrail {
  return new AuditTrail(portsOn(store, clock))
}

function portsOn(store: EventStore, clock: Clock): AdminTokensPorts {
  return { store, clock, timer: systemTimer, ids: new SystemIds(clock), randomBytes }
}
