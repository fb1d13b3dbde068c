/** A new user with an account of their own, where the operator has opened that. */
import { DEFAULT_GRANT_PRIORITY } from '@svc/contracts/events/account'
import { SIGN_UP_ACTOR, userActor } from '@svc/contracts/events/actors'
import type { PicoDollars } from '@svc/contracts/money'
import type { Ledger } from '@svc/ledger/ledger'
import type { Users } from '../users/users.ts'
import { Joining, type JoiningPorts, type Newcomer } from './joining.ts'

export interface SignUpSettings {
  /**
   *     closed      only who runs the service lets people in
   *     invitation  owners of an account let others into that one too
   *     open        everybody can have an account
   */
  readonly policy: 'closed' | 'invitation' | 'open'
  /** The credit of an account that somebody opened for themselves; 0 for none. */
  readonly credit: PicoDollars
}

export interface OwnAccountPorts extends JoiningPorts {
  readonly users: Pick<Users, 'find' | 'newUserId' | 'change' | 'requireRoom'>
  readonly ledger: Pick<Ledger, 'administration'>
  readonly signUp: SignUpSettings
}

export class OwnAccount {
  readonly #ports: OwnAccountPorts
  readonly #joining: Joining

  constructor(ports: OwnAccountPorts) {
    this.#ports = ports
    this.#joining = new Joining(ports)
  }

  /**
   * @param accountName of the new account
   * @param before what must be so before the log says that the user is here
   * @returns the id of the user
   */
  async open(
    newcomer: Newcomer,
    accountName: string,
    before: (userId: string) => Promise<void> = async () => {},
  ): Promise<string> {
    const { ledger, users } = this.#ports
    // This is checked first: if the user were refused later, an account with credit would stay
    // behind that nobody owns.
    await users.requireRoom()
    return this.#joining.join(newcomer, async (userId) => {
      await before(userId)
      const actor = userActor(userId)
      const { accountId } = await ledger.administration.openAccount({
        name: accountName,
        spendPolicy: 'standard',
        actor,
      })
      await this.#giveCredit(accountId)
      await users.change({ type: 'SignUp', userId, accountId }, actor)
    })
  }

  async #giveCredit(accountId: string): Promise<void> {
    const { ledger, signUp } = this.#ports
    if (signUp.credit === 0n) return
    await ledger.administration.grant(accountId, {
      amount: signUp.credit,
      category: 'promotional',
      priority: DEFAULT_GRANT_PRIORITY,
      expiresAt: null,
      reference: 'sign-up',
      reason: 'credit to try the service with',
      actor: SIGN_UP_ACTOR,
    })
  }
}
