/**
 * The operations by which people come in by a link that was given to them, and set a new password
 * by one.
 */
import { ServiceError } from '@svc/contracts/errors'
import { userActor } from '@svc/contracts/events/actors'
import { withTextsShown } from '@svc/contracts/ports/shown-texts'
import { Joining, type Newcomer } from '../sign-in/joining.ts'
import type { Link } from '../users/state.ts'
import type { Handlers, Visitor } from './handler.ts'
import type { IdentityPorts } from './ports.ts'
import { timeText } from './session-details.ts'
import { beginPasswordSession, beginSession, renewSession } from './session-operations.ts'

interface Given {
  readonly email?: string | undefined
  readonly display_name?: string | undefined
  readonly password?: string | undefined
}

export function linkOperations(ports: IdentityPorts): Handlers<'lookAtLink' | 'acceptLink'> {
  const { users, ledger, texts, signInLimits: limits } = ports
  const joining = new Joining(ports)

  /** Useless ones are counted: nobody looks through what links there could be. */
  async function linkOf(secret: string, visitor: Visitor): Promise<Link> {
    await limits.checkJoin(visitor.browser.address)
    return countingFailures(visitor, () => users.linkOf(secret))
  }

  async function countingFailures<Done>(
    { browser }: Visitor,
    attempt: () => Promise<Done>,
  ): Promise<Done> {
    try {
      return await attempt()
    } catch (cause) {
      await limits.noteJoin(browser.address)
      throw cause
    }
  }

  return {
    async lookAtLink({ secret }, visitor) {
      const link = await linkOf(secret, visitor)
      const { accountId, accountRole: role } = link
      const named = accountId === null ? undefined : await ledger.account(accountId)
      return withTextsShown(texts, {
        kind: link.kind,
        expires_at: timeText(link.expiresAt),
        platform_role: link.platformRole,
        account:
          named === undefined || role === null
            ? null
            : { account_id: named.accountId, name: named.name, role },
      })
    },

    async acceptLink({ secret, ...given }, visitor) {
      const link = await linkOf(secret, visitor)
      if (link.kind === 'reset') return reset(ports, link, given, visitor)
      const { linkId } = link
      if (visitor.open !== undefined) {
        const { userId } = visitor.open.user
        await users.change({ type: 'UseLink', linkId, userId }, userActor(userId))
        // The rights of the user have changed, so the browser gets another session.
        return renewSession(ports, visitor.open, visitor)
      }
      const newcomer = newcomerOf(given, visitor.proxyEmail)
      // A failure does not use up the link, so guesses at the addresses of others are counted.
      const userId = await countingFailures(visitor, () =>
        joining.join(newcomer, (newUserId) =>
          users.change({ type: 'UseLink', linkId, userId: newUserId }, userActor(newUserId)),
        ),
      )
      return beginSession(ports, userId, visitor, newcomer.password === null ? 'proxy' : 'password')
    },
  }
}

/**
 * Sets a new password. Whoever has the link is the user: nobody is asked for the password that was
 * forgotten.
 */
async function reset(
  ports: IdentityPorts,
  { linkId, userId }: Link,
  { password }: Given,
  visitor: Visitor,
) {
  const { users, records, sessions, passwords } = ports
  if (userId === null) throw new Error('a link for a password names its user')
  const passwordHash = await passwords.hash(required(password, 'password'))
  await users.change({ type: 'UseReset', linkId }, userActor(userId))
  await records.change(userId, { passwordHash })
  await sessions.endAll(userId)
  return beginPasswordSession(ports, { userId, passwordHash }, visitor)
}

/** @param proxyEmail whom the proxy in front of the server names: they need no password */
function newcomerOf(
  { email, display_name: displayName, password }: Given,
  proxyEmail: string | undefined,
): Newcomer {
  const named = { displayName: required(displayName, 'display_name') }
  if (proxyEmail !== undefined && email === undefined && password === undefined) {
    return { ...named, email: proxyEmail, password: null }
  }
  return { ...named, email: required(email, 'email'), password: required(password, 'password') }
}

function required(value: string | undefined, param: string): string {
  if (value !== undefined) return value
  const message = `${param}: is needed to join`
  throw new ServiceError('missing_required_parameter', message, { param })
}
