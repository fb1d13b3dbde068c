/**
 * Finds which user of ours it is whom a provider has signed in. Whoever is linked is known by the
 * provider's own name for them alone; an address says who somebody is only where the provider says
 * that it is theirs, and only the first time.
 */
import { ServiceError } from '@svc/contracts/errors'
import { userActor } from '@svc/contracts/events/actors'
import { Joining, type Newcomer } from '../sign-in/joining.ts'
import { OwnAccount, type OwnAccountPorts } from '../sign-in/own-account.ts'
import type { SignInTrail } from '../sign-in/sign-in-trail.ts'
import type { User, Users } from '../users/users.ts'
import type { IdentityProvider, ProviderUser } from './identity-provider.ts'

export interface ProviderUsersPorts extends OwnAccountPorts {
  readonly users: Users
  readonly signInTrail: Pick<SignInTrail, 'changed' | 'refused'>
  readonly provider: Pick<IdentityProvider, 'label'> | undefined
}

export class ProviderUsers {
  readonly #ports: ProviderUsersPorts
  readonly #joining: Joining
  readonly #ownAccount: OwnAccount

  constructor(ports: ProviderUsersPorts) {
    this.#ports = ports
    this.#joining = new Joining(ports)
    this.#ownAccount = new OwnAccount(ports)
  }

  /**
   * @param linkSecret of an invitation by which they join
   * @param beforeSignUp may refuse somebody who would open an account
   * @returns the id of the user
   * @throws {ServiceError} `sign_in_refused`, `not_allowed`, `not_found` for a link of no use
   */
  async signIn(
    person: ProviderUser,
    linkSecret: string | undefined,
    beforeSignUp: () => Promise<void>,
  ): Promise<string> {
    const known = (await this.#linked(person)) ?? (await this.#byEmail(person))
    const link = linkSecret === undefined ? undefined : await this.#invitation(linkSecret)
    if (known === undefined) return this.#join(person, link, beforeSignUp)
    if (link !== undefined) await this.#useLink(link, known)
    return known
  }

  /** Lets a user who is signed in here sign in by the provider too. */
  async link(userId: string, person: ProviderUser): Promise<void> {
    if ((await this.#linked(person)) === userId) return
    await this.#link(userId, person)
  }

  async #linked(person: ProviderUser): Promise<string | undefined> {
    const { users, records } = this.#ports
    const userId = await records.identities.userOf(person)
    const user = userId === undefined ? undefined : await users.find(userId)
    return user === undefined ? undefined : this.#active(user)
  }

  async #byEmail(person: ProviderUser): Promise<string | undefined> {
    const { users, records, signUp } = this.#ports
    if (person.email === undefined)
      throw this.#refused('does not say which e-mail address is yours')
    const record = await records.findByEmail(person.email)
    const user = record && (await users.find(record.userId))
    if (user === undefined) return undefined
    // Whoever signs up writes any address they like: the user who has this one may be somebody
    // else.
    if (signUp.policy === 'open') {
      const message =
        'Somebody signed up here with your e-mail address. If it was you, sign in as you did then, ' +
        'and link the two in your profile.'
      throw new ServiceError('not_allowed', message)
    }
    const userId = this.#active(user)
    await this.#link(userId, person)
    return userId
  }

  async #join(
    person: ProviderUser,
    link: string | undefined,
    beforeSignUp: () => Promise<void>,
  ): Promise<string> {
    const { records, signInTrail, signUp } = this.#ports
    const { email = '', displayName = email } = person
    const newcomer: Newcomer = { email, displayName, password: null }
    let userId: string
    if (link !== undefined) {
      userId = await this.#joining.join(newcomer, async (newUserId) => {
        await records.identities.link(newUserId, person)
        await this.#useLink(link, newUserId)
      })
    } else if (signUp.policy === 'open') {
      await beforeSignUp()
      userId = await this.#ownAccount.open(newcomer, displayName, async (newUserId) => {
        await records.identities.link(newUserId, person)
      })
    } else {
      const message = `${email} is nobody here. Ask for an invitation, and open its link first.`
      throw new ServiceError('not_allowed', message)
    }
    await signInTrail.changed(linkedEvent(userId, person))
    return userId
  }

  /** @throws {ServiceError} when the user is linked to another person of the provider already */
  async #link(userId: string, person: ProviderUser): Promise<void> {
    const { signInTrail } = this.#ports
    const { identities } = this.#ports.records
    const isTaken =
      (await identities.isLinked(userId, person.issuer)) ||
      (await identities.userOf(person)) !== undefined
    if (isTaken) throw this.#refused('knows this user as somebody else, or you as another user')
    // First, so that nobody can sign in in a way that no auditor sees.
    await signInTrail.changed(linkedEvent(userId, person))
    await identities.link(userId, person)
  }

  async #invitation(secret: string): Promise<string> {
    const { linkId, kind } = await this.#ports.users.linkOf(secret)
    if (kind !== 'reset') return linkId
    throw new ServiceError('conflict', 'This link sets a password.')
  }

  async #useLink(linkId: string, userId: string): Promise<void> {
    await this.#ports.users.change({ type: 'UseLink', linkId, userId }, userActor(userId))
  }

  #active({ userId, status }: Readonly<User>): string {
    if (status === 'active') return userId
    this.#ports.signInTrail.refused(userId)
    throw this.#refused('signed you in, but you may not come in here')
  }

  #refused(why: string): ServiceError {
    return new ServiceError('sign_in_refused', `${this.#ports.provider?.label ?? ''} ${why}.`)
  }
}

function linkedEvent(userId: string, { issuer }: ProviderUser) {
  return { type: 'IdentityLinked', data: { userId, issuer } } as const
}
