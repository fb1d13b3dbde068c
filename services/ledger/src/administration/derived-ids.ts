/** Ids that are the same whenever the same thing is asked for. */
import {
  accountIdOfExternal,
  type IdKind,
  type IdSource,
  idOfIdempotencyKey,
  idTimeMs,
  isId,
  keyIdOfExternal,
  makeDerivedId,
} from '@svc/contracts/ids'
import { noSuchAccount } from '../writer/refusals.ts'

/** A method that derives an id from that of an account throws `not_found` for a malformed one. */
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
    return makeDerivedId('grant', timeOf(accountId), accountId, reference)
  }

  apiKey(accountId: string, externalId: string | null, key: string | undefined): string {
    if (externalId === null) return this.ofKey('key', accountId, key)
    refuseMalformed(accountId)
    return keyIdOfExternal(accountId, externalId)
  }

  /** What an idempotency key stands for on an account; without one, a new id. */
  ofKey(kind: IdKind, accountId: string, key: string | undefined): string {
    if (key === undefined) return this.#ids.next(kind)
    return makeDerivedId(kind, timeOf(accountId), accountId, 'key', key)
  }

  /** The adjustments by which a run corrects an account: one for each kind of credit. */
  ofRun(accountId: string, runId: string): { readonly paid: string; readonly promotional: string } {
    const id = (category: string) =>
      makeDerivedId('adj', timeOf(accountId), accountId, runId, category)
    return { paid: id('paid'), promotional: id('promotional') }
  }
}

function timeOf(accountId: string): number {
  refuseMalformed(accountId)
  return idTimeMs(accountId)
}

function refuseMalformed(accountId: string): void {
  if (!isId('acct', accountId)) throw noSuchAccount(accountId)
}
