/** Puts the dashboard's side of the server together: who signs in, and what they then reach. */
import { randomBytes } from 'node:crypto'
import type { RateLimits } from '@svc/contracts/ports/rate-limits'
import type { Dashboard } from '@svc/gateway/gateway'
import { rootUrlBy } from '@svc/gateway/http/base-address'
import { DashboardCallers } from '@svc/identity/http/dashboard-callers'
import { dashboardRoutes } from '@svc/identity/http/dashboard-routes'
import { SessionAdminCallers } from '@svc/identity/http/session-admin-callers'
import { Argon2PasswordHash } from '@svc/identity/passwords/argon2-password-hash'
import { Sessions } from '@svc/identity/sessions/sessions'
import { SignInTrail } from '@svc/identity/sign-in/sign-in-trail'
import { openSqliteSessionStore } from '@svc/infra/people/sqlite-session-store'
import { systemClock } from '@svc/infra/system/system-clock'
import { SystemIds } from '@svc/infra/system/system-ids'
import { systemTimer } from '@svc/infra/system/system-timer'
import { type OperationRoutes, operationRoutes } from '@svc/operator/http/operation-routes'
import type { Logger } from 'pino'
import type { Core } from '../core/core.ts'
import type { OpenResources } from '../core/open-resources.ts'
import type { DataFolder } from '../data-folder/data-folder.ts'
import type { Settings } from '../settings/settings.ts'
import { VERSION } from '../version.ts'

export interface DashboardSurroundings {
  readonly settings: Settings
  readonly folder: DataFolder
  readonly logger: Logger
  readonly rateLimits: RateLimits
  readonly operationsOf: OperationRoutes['operationsOf']
  /** Takes what has to be closed. */
  readonly parts: OpenResources
}

export function openDashboard(
  { settings, folder, logger, rateLimits, operationsOf, parts }: DashboardSurroundings,
  { users, userRecords, ledger, texts, store: log }: Core,
): Dashboard {
  const store = openSqliteSessionStore(folder.sessionsFile)
  parts.add(() => store.close())
  const sessions = new Sessions({
    store,
    users,
    clock: systemClock,
    timer: systemTimer,
    ids: new SystemIds(systemClock),
    randomBytes,
    lifetimes: { idleMs: settings.SVC_SESSION_IDLE_MS, absoluteMs: settings.SVC_SESSION_MAX_MS },
    onTrouble: (err) => logger.error({ err }, 'failed to remove ended sessions, retrying'),
  })
  parts.add(sessions.startRemoval())
  const signInTrail = new SignInTrail({
    ...{ store: log, clock: systemClock, timer: systemTimer, ids: new SystemIds(systemClock) },
    onTrouble: (err) => logger.error({ err }, 'failed to record refused sign-ins, retrying'),
  })
  parts.add(() => signInTrail.close())
  const address = { publicUrl: settings.SVC_PUBLIC_URL }
  const callers = new DashboardCallers({ sessions, users, address })
  const adminCallers = new SessionAdminCallers(callers, { sessions, users })
  const routes = dashboardRoutes({
    ...{ users, sessions, signInTrail, rateLimits, ledger, texts, address },
    records: userRecords,
    passwords: new Argon2PasswordHash(),
    clock: systemClock,
    signUp: { policy: settings.SVC_SIGN_UP, credit: settings.SVC_SIGN_UP_CREDIT ?? 0n },
    branding: brandingOf(settings),
    version: VERSION,
    rootUrl: rootUrlBy(settings.SVC_PUBLIC_URL),
    admin: operationRoutes({ operationsOf, callers: adminCallers }),
  })
  return { routes, sessions: callers }
}

function brandingOf(settings: Settings): Parameters<typeof dashboardRoutes>[0]['branding'] {
  return {
    name: settings.SVC_BRAND_NAME,
    logo: settings.SVC_BRAND_LOGO ?? null,
    color: settings.SVC_BRAND_COLOR ?? null,
    support: settings.SVC_SUPPORT ?? null,
    terms_url: settings.SVC_TERMS_URL ?? null,
    credit_text: settings.SVC_CREDIT_TEXT ?? null,
  }
}
