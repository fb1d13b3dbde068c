/** Users who run the service, as callers of the operator's operations. */
import type { Caller } from '@svc/contracts/admin/caller'
import { ServiceError } from '@svc/contracts/errors'
import { userActor } from '@svc/contracts/events/actors'
import type { SessionRequest } from '@svc/contracts/ports/account-sessions'
import type { Sessions } from '../sessions/sessions.ts'
import type { Users } from '../users/users.ts'
import { type DashboardCallers, notSignedIn } from './dashboard-callers.ts'

export class SessionAdminCallers {
  readonly #callers: Pick<DashboardCallers, 'requireSession'>
  readonly #sessions: Pick<Sessions, 'goesOn'>
  readonly #users: Pick<Users, 'find'>
  /** The session that a caller came with, for as long as it is being answered. */
  readonly #sessionsOf = new WeakMap<
    Caller,
    { readonly tokenHash: string; readonly userId: string }
  >()

  constructor(
    callers: Pick<DashboardCallers, 'requireSession'>,
    { sessions, users }: { sessions: Pick<Sessions, 'goesOn'>; users: Pick<Users, 'find'> },
  ) {
    this.#callers = callers
    this.#sessions = sessions
    this.#users = users
  }

  /** @throws {ServiceError} `not_signed_in`; `not_allowed` for who has no part in the running */
  async identify(request: SessionRequest): Promise<Caller> {
    const { session, user } = await this.#callers.requireSession(request)
    const { userId, platformRole: role } = user
    if (role === null) {
      throw new ServiceError('not_allowed', 'Only who runs the service may do this.')
    }
    const caller = { actor: userActor(userId), role, tokenId: userId }
    this.#sessionsOf.set(caller, { tokenHash: session.tokenHash, userId })
    return caller
  }

  /** @throws {ServiceError} when the session has ended meanwhile, or the role is another one */
  async requireStill(caller: Caller): Promise<void> {
    const { tokenHash = '', userId = '' } = this.#sessionsOf.get(caller) ?? {}
    const user = await this.#users.find(userId)
    const isSame = user?.platformRole === caller.role && (await this.#sessions.goesOn(tokenHash))
    if (!isSame) throw notSignedIn()
  }
}
