/** Gives what `GET /session` says, and every operation that changes who somebody is. */
import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { answerableError } from '@svc/contracts/ports/answerable-error'
import { withTextsShown } from '@svc/contracts/ports/shown-texts'
import type { OpenSession } from '../sessions/sessions.ts'
import type { Visitor } from './handler.ts'
import type { IdentityPorts } from './ports.ts'

type SessionDetails = DashboardOutput<'session'>

export async function sessionDetails(
  ports: IdentityPorts,
  open: OpenSession | undefined,
  { rootUrl, proxyEmail }: Pick<Visitor, 'rootUrl' | 'proxyEmail'>,
): Promise<SessionDetails> {
  const { branding, signUp, provider, relyingParty, version, clock } = ports
  return {
    ...(open === undefined ? nobody : await somebody(ports, open)),
    branding,
    sign_up: signUp.policy,
    ways_in: {
      provider_label: provider?.label ?? null,
      passkeys: relyingParty !== undefined,
      proxy_email: proxyEmail ?? null,
    },
    base_url: rootUrl,
    version,
    now: timeText(clock.nowMs()),
  }
}

type Whose = Pick<
  SessionDetails,
  'user' | 'platform_role' | 'accounts' | 'idle_expires_at' | 'expires_at'
>

const nobody: Whose = {
  user: null,
  platform_role: null,
  accounts: [],
  idle_expires_at: null,
  expires_at: null,
}

async function somebody(
  { records, sessions, ledger, texts, provider }: IdentityPorts,
  { session, user }: OpenSession,
): Promise<Whose> {
  const record = await records.find(user.userId)
  const accounts = [...user.accounts].map(async ([accountId, role]) => {
    const { name, status } = await nameAndStatus(ledger, accountId)
    return { account_id: accountId, name, role, status }
  })
  return {
    user: {
      user_id: user.userId,
      email: record?.email ?? '',
      display_name: record?.displayName ?? '',
      has_password: record?.passwordHash != null,
      is_linked:
        provider !== undefined && (await records.identities.isLinked(user.userId, provider.issuer)),
    },
    platform_role: user.platformRole,
    // The texts of these alone are shown: what users call themselves is no word that stands for a
    // text.
    accounts: await withTextsShown(texts, await Promise.all(accounts)),
    idle_expires_at: timeText(sessions.idleExpiryOf(session)),
    expires_at: timeText(session.expiresAt),
  }
}

/** A damaged account keeps nobody out of the other accounts of theirs, nor out of the running. */
async function nameAndStatus(
  ledger: IdentityPorts['ledger'],
  accountId: string,
): Promise<Pick<SessionDetails['accounts'][number], 'name' | 'status'>> {
  try {
    return await ledger.account(accountId)
  } catch (thrown) {
    if (answerableError(thrown).code !== 'account_damaged') throw thrown
    return { name: accountId, status: 'damaged' }
  }
}

/** RFC 3339. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString()
}
