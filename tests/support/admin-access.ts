/** Admin tokens and the audit trail of a log, on the time and the randomness of this process. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock } from '@svc/contracts/ports/time'
import { Users } from '@svc/identity/users/users'
import { openSqliteUserRecords } from '@svc/infra/people/sqlite-user-records'
import { systemClock } from '@svc/infra/system/system-clock'
import { SystemIds } from '@svc/infra/system/system-ids'
import { systemTimer } from '@svc/infra/system/system-timer'
import {
  AdminTokens,
  type AdminTokensPorts,
  type NewAdminToken,
} from '@svc/operator/access/admin-tokens'
import { AuditTrail } from '@svc/operator/access/audit-trail'
import { textsBeside } from './ledger/open-ledger.ts'

/** @param texts that the names are kept with; default: others for each log */
export function adminTokensOn(
  store: EventStore,
  clock: Clock = systemClock,
  texts: TextStore = textsBeside(store),
): AdminTokens {
  return new AdminTokens({ ...portsOn(store, clock), texts })
}

/** Makes a token that is new, and gives its secret. */
export async function newAdminToken(
  tokens: AdminTokens,
  token: Omit<NewAdminToken, 'idempotencyKey'>,
): Promise<{ readonly tokenId: string; readonly secret: string }> {
  const { tokenId, secret } = await tokens.create(token)
  if (secret === null) throw new Error(`${tokenId} is a new token, and was there`)
  return { tokenId, secret }
}

/** Users of the dashboard, with who they are in a folder; whoever asks closes the records. */
export function usersOn(store: EventStore, folder: string) {
  return {
    users: new Users(portsOn(store, systemClock)),
    userRecords: openSqliteUserRecords(join(folder, 'users.db')),
  }
}

export function auditTrailOn(
  store: EventStore,
  clock: Clock = systemClock,
  texts: TextStore = textsBeside(store),
): AuditTrail {
  return new AuditTrail({ ...portsOn(store, clock), texts })
}

function portsOn(store: EventStore, clock: Clock): Omit<AdminTokensPorts, 'texts'> {
  return { store, clock, timer: systemTimer, ids: new SystemIds(clock), randomBytes }
}
