/** Ids that are the same whenever the same thing is asked for. */
import {
  accountIdOfExternal,
  type IdKind,
  type IdSource,
  idOfIdempotencyKey,
  idTimeMs,
  keyIdOfExternal,
  makeDerivedId,
} from '@svc/contracts/ids'

export class DerivedIds {
  readonly #ids: IdSource

  constructor(ids: IdSource) {
    this.#ids = ids
  }

  /** An external id names its account; else the key does, and without one it is a new account. */
  account(externalId: string | null, key: string | undefined): string {
    if (externalId !== null) return accountIdOfExternal(externalId)
    if (key !== undefined) return idOfIdempotencyKey('acct', key)
    return this.#ids.next('acct')
  }

  /**
   * Derives the id of a grant, so that the same payment is the same grant, whoever delivers it and
   * however often.
   */
  grant(accountId: string, reference: string | null, key: string | undefined): string {
    if (reference === null) return this.ofKey('grant', accountId, key)
    return makeDerivedId('grant', idTimeMs(accountId), accountId, reference)
  }

  apiKey(accountId: string, externalId: string | null, key: string | undefined): string {
    if (externalId === null) return this.ofKey('key', accountId, key)
    return keyIdOfExternal(accountId, externalId)
  }

  /** What an idempotency key stands for on an account; without one, a new id. */
  ofKey(kind: IdKind, accountId: string, key: string | undefined): string {
    if (key === undefined) return this.#ids.next(kind)
    return makeDerivedId(kind, idTimeMs(accountId), accountId, 'key', key)
  }

  /** The adjustments by which a run corrects an account: one for each kind of credit. */
  ofRun(accountId: string, runId: string): { readonly paid: string; readonly promotional: string } {
    const id = (category: string) =>
      makeDerivedId('adj', idTimeMs(accountId), accountId, runId, category)
    return { paid: id('paid'), promotional: id('promotional') }
  }
}
