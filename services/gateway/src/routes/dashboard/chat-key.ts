/**
 * The key that the chat of the dashboard stands under in an account. Requests are accepted under a
 * key of their account, so it is an ordinary one; its secret is thrown away as soon as it is made,
 * and nobody can ever send it. There is one for all users of the account: an account has few keys.
 */
import { ServiceError } from '@svc/contracts/errors'
import { keyIdOfExternal } from '@svc/contracts/ids'
import { RecentlyUsed } from '@svc/infra/recently-used'
import type { KeySummary, Ledger } from '@svc/ledger/ledger'

const NAME = 'Dashboard chat'
/** The key has this in the place of the name that an operator's system may give to one. */
const EXTERNAL_ID = 'svc:dashboard-chat'
const REMEMBERED_MAX = 10_000

export function isChatKey(accountId: string, { keyId }: Pick<KeySummary, 'keyId'>): boolean {
  return keyId === keyIdOfExternal(accountId, EXTERNAL_ID)
}

export class ChatKeys {
  readonly #ledger: Pick<Ledger, 'account' | 'administration'>
  readonly #made = new RecentlyUsed<string, string>({ entriesMax: REMEMBERED_MAX })

  constructor(ledger: Pick<Ledger, 'account' | 'administration'>) {
    this.#ledger = ledger
  }

  /**
   * The id of the key of an account, which is made when it is asked for the first time. Every
   * gateway makes the same.
   *
   * @param actor who asked first: it stands in the event
   * @throws {ServiceError} `not_allowed` when an operator has revoked it
   */
  async of(accountId: string, actor: string): Promise<string> {
    const keyId = this.#made.get(accountId) ?? (await this.#make(accountId, actor))
    const { keys } = await this.#ledger.account(accountId)
    if (keys.some((key) => key.keyId === keyId && key.revokedAt !== null)) {
      throw new ServiceError('not_allowed', 'The chat of this account has been switched off.')
    }
    return keyId
  }

  async #make(accountId: string, actor: string): Promise<string> {
    const { keyId } = await this.#ledger.administration.createKey(accountId, {
      name: NAME,
      externalId: EXTERNAL_ID,
      idempotencyKey: EXTERNAL_ID,
      expiresAt: null,
      actor,
    })
    this.#made.set(accountId, keyId)
    return keyId
  }
}
