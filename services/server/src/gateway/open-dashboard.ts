/** Puts the dashboard's side of the server together: who signs in, and what they then reach. */
import { randomBytes } from 'node:crypto'
import { PROVIDER_RETURN_PATH } from '@svc/contracts/dashboard/operations'
import { formatExact } from '@svc/contracts/money'
import type { RateLimits } from '@svc/contracts/ports/rate-limits'
import type { Dashboard } from '@svc/gateway/dependencies'
import { rootUrlBy } from '@svc/gateway/http/base-address'
import { DashboardCallers } from '@svc/identity/http/dashboard-callers'
import { dashboardRoutes } from '@svc/identity/http/dashboard-routes'
import { SessionAdminCallers } from '@svc/identity/http/session-admin-callers'
import { relyingPartyOf } from '@svc/identity/passkeys/relying-party'
import { Argon2PasswordHash } from '@svc/identity/passwords/argon2-password-hash'
import { Sessions } from '@svc/identity/sessions/sessions'
import { SignInTrail } from '@svc/identity/sign-in/sign-in-trail'
import { ErasedUsers } from '@svc/identity/users/erased-users'
import { openSqliteSessionStore } from '@svc/infra/people/sqlite-session-store'
import { networksOf } from '@svc/infra/system/network'
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

export async function openDashboard(
  { settings, folder, logger, rateLimits, operationsOf, parts }: DashboardSurroundings,
  { users, userRecords, ledger, texts, store: log }: Core,
): Promise<Dashboard> {
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
    onTrouble: (err) => logger.error({ err }, 'failed to write to the sessions, retrying'),
  })
  parts.add(sessions.startRemoval())
  const erasedUsers = new ErasedUsers({
    users,
    records: userRecords,
    sessions: store,
    timer: systemTimer,
    onTrouble: (err) => logger.error({ err }, 'failed to forget erased users, retrying'),
  })
  parts.add(erasedUsers.start())
  const signInTrail = new SignInTrail({
    store: log,
    clock: systemClock,
    timer: systemTimer,
    ids: new SystemIds(systemClock),
    onTrouble: (err) => logger.error({ err }, 'failed to record refused sign-ins, retrying'),
  })
  parts.add(() => signInTrail.close())
  await warnOfUnknownUsers({ users, userRecords }, logger)
  const address = { publicUrl: settings.SVC_PUBLIC_URL }
  const proxyHeader = proxyHeaderOf(settings)
  const records = userRecords
  const callers = new DashboardCallers({ sessions, users, records, address, proxyHeader })
  const adminCallers = new SessionAdminCallers(callers, { sessions, users })
  const routes = dashboardRoutes({
    users,
    records,
    sessions,
    signInTrail,
    rateLimits,
    ledger,
    texts,
    address,
    proxyHeader,
    passwords: new Argon2PasswordHash(),
    provider: await openProvider(settings, logger),
    relyingParty: relyingPartyOf(settings.SVC_PUBLIC_URL),
    clock: systemClock,
    ids: new SystemIds(systemClock),
    randomBytes,
    signUp: { policy: settings.SVC_SIGN_UP, credit: settings.SVC_SIGN_UP_CREDIT ?? 0n },
    branding: brandingOf(settings),
    version: VERSION,
    rootUrl: rootUrlBy(settings.SVC_PUBLIC_URL),
    admin: operationRoutes({ operationsOf, callers: adminCallers }),
  })
  return { routes, sessions: callers }
}

/**
 * Gateways that share a log share its users, but not how these sign in; and whoever restores a log
 * may forget the file beside it. Nobody should learn that from people who cannot sign in.
 */
async function warnOfUnknownUsers(
  { users, userRecords }: Pick<Core, 'users' | 'userRecords'>,
  logger: Logger,
): Promise<void> {
  try {
    let unknown = 0
    for (const { userId, status } of await users.list()) {
      if (status !== 'erased' && (await userRecords.find(userId)) === undefined) unknown += 1
    }
    if (unknown === 0) return
    logger.warn(
      { users: unknown },
      'users of the log are not in users.db: they cannot sign in here',
    )
  } catch (err) {
    logger.warn({ err }, 'failed to look for users that are unknown here')
  }
}

function proxyHeaderOf({ SVC_PROXY_USER_HEADER: name, SVC_TRUSTED_PROXIES: proxies }: Settings) {
  return name === undefined ? undefined : { name, isTrusted: networksOf(proxies ?? []) }
}

async function openProvider(settings: Settings, logger: Logger) {
  const { SVC_OIDC_ISSUER: issuer, SVC_OIDC_CLIENT_ID: clientId } = settings
  if (issuer === undefined || clientId === undefined) return undefined
  // It is loaded only here, because a service without a provider needs no client for one.
  const { OpenIdProvider } = await import('@svc/identity/provider/open-id-provider')
  return new OpenIdProvider({
    issuer,
    clientId,
    clientSecret: settings.SVC_OIDC_CLIENT_SECRET,
    label: settings.SVC_OIDC_LABEL,
    emailClaim: settings.SVC_OIDC_EMAIL_CLAIM,
    nameClaim: settings.SVC_OIDC_NAME_CLAIM,
    trustEmails: settings.SVC_OIDC_TRUST_EMAILS === 'on',
    returnUrl: `${settings.SVC_PUBLIC_URL}${PROVIDER_RETURN_PATH}`,
    onTrouble: (err) => logger.warn({ err }, 'sign-in by the identity provider failed'),
  })
}

function brandingOf(settings: Settings): Parameters<typeof dashboardRoutes>[0]['branding'] {
  return {
    name: settings.SVC_BRAND_NAME,
    logo: settings.SVC_BRAND_LOGO ?? null,
    color: settings.SVC_BRAND_COLOR ?? null,
    support: settings.SVC_SUPPORT ?? null,
    terms_url: settings.SVC_TERMS_URL ?? null,
    low_balance: formatExact(settings.SVC_LOW_BALANCE),
    credit_text: settings.SVC_CREDIT_TEXT ?? null,
  }
}
