/**
 * What the operator does to accounts. A change with an idempotency key is made once, however often
 * it is asked for: its id, and the ids of what it makes, are derived from the key, so that every
 * process recognises a repetition, also after a crash. Money is in pico-dollars, times are
 * milliseconds since 1970.
 */
import type { CorrectionDue, GrantCredit, Metadata } from '@svc/contracts/commands'
import type { PriceCorrection, Remainder, SpendPolicy } from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'

export interface Asked {
  /** Who asks. It goes into the metadata of the event. */
  readonly actor: string
  readonly idempotencyKey?: string | undefined
}

export interface AskedChange extends Asked {
  readonly reason: string
}

/** Removes what is kept elsewhere of an account. It may be called again. */
export type Forget = (accountId: string) => Promise<unknown>

export interface AskedMovement extends AskedChange {
  readonly reference: string | null
  /** Whether to work out only what would happen. Default: no. */
  readonly dryRun?: boolean | undefined
}

export interface AskedGrant
  extends Asked,
    Pick<GrantCredit, 'amount' | 'category' | 'priority' | 'expiresAt' | 'reference' | 'reason'> {}

export interface NamedByOperator {
  /** The account's id in the operator's own system, and unique there. */
  readonly externalId?: string | null | undefined
  readonly metadata?: Metadata | undefined
}

/** An account. `created` is false when it was opened before: then nothing has happened. */
export interface Opened {
  readonly accountId: string
  readonly created: boolean
}

/** A grant. `created` is false when it was made before: then nothing has happened. */
export interface Granted {
  readonly grantId: string
  readonly created: boolean
}

export interface CreatedKey {
  readonly keyId: string
  /** Shown once; only its hash is stored. Null when the key had been made before. */
  readonly secret: string | null
  readonly created: boolean
}

export interface RevokedKey {
  /** Milliseconds since 1970. */
  readonly revokedAt: number
  /** Whether it had been revoked before. */
  readonly alreadyRevoked: boolean
}

/** How a command moved a balance, or would move it. */
export interface Movement {
  /** The id of the grant, the refund or the adjustment; that of the account when it was closed. */
  readonly id: string
  /** False when the command was carried out before: then nothing has happened. */
  readonly created: boolean
  /** The change of the balance; that of the first time, when it was carried out before. */
  readonly amount: PicoDollars
  /** Null when the command was carried out before. */
  readonly balanceBefore: PicoDollars | null
  readonly balanceAfter: PicoDollars
}

/** Refusals reject with a `ServiceError` of the catalogue. */
export interface Administration {
  openAccount(
    input: Asked & NamedByOperator & { name: string; spendPolicy?: SpendPolicy },
  ): Promise<Opened>
  /**
   * Grants credit: once for each reference on an account, and once for each idempotency key.
   */
  grant(accountId: string, grant: AskedGrant): Promise<Granted>
  /** Works out what a grant would do. Grants nothing. */
  previewGrant(accountId: string, grant: AskedGrant): Promise<Movement>
  createKey(
    accountId: string,
    input: Asked & NamedByOperator & { name: string; expiresAt?: number | null },
  ): Promise<CreatedKey>
  /** @returns whether it changed anything; so do all methods below that return a boolean */
  renameAccount(accountId: string, change: AskedChange & { name: string }): Promise<boolean>
  renameKey(
    accountId: string,
    change: AskedChange & { keyId: string; name: string },
  ): Promise<boolean>
  /** Sets when a key expires. A key that expires earlier already stays as it is. */
  setKeyExpiry(
    accountId: string,
    change: AskedChange & { keyId: string; expiresAt: number },
  ): Promise<boolean>
  setSpendPolicy(
    accountId: string,
    change: AskedChange & { spendPolicy: SpendPolicy },
  ): Promise<boolean>
  /**
   * Puts the account on a price list for its next requests; the default list gives the prices that
   * this one lacks. Running requests keep their price.
   *
   * @returns whether it was on another list before
   * @throws {ServiceError} `invalid_value` for a list without any price
   */
  setPriceList(accountId: string, change: { priceList: string; actor: string }): Promise<boolean>
  /** Has requests refused until {@link Administration.unfreeze}; gateways stop the running ones. */
  freeze(accountId: string, change: AskedChange): Promise<boolean>
  unfreeze(accountId: string, change: AskedChange): Promise<boolean>
  /** Ends the account and all its keys, for ever. Refused while one of its requests runs. */
  close(accountId: string, change: AskedMovement & { remainder: Remainder }): Promise<Movement>
  /** Takes a whole grant back. What was spent of it comes from other credit, or becomes a debt. */
  voidGrant(accountId: string, change: AskedMovement & { grantId: string }): Promise<Movement>
  /** Gives back what a request was charged. @param change `amount` null: all that is left of it */
  refund(
    accountId: string,
    change: AskedMovement & { requestId: string; amount: PicoDollars | null },
  ): Promise<Movement>
  adjust(
    accountId: string,
    change: AskedMovement & { amount: PicoDollars; category: 'paid' | 'promotional' },
  ): Promise<Movement>
  /**
   * Corrects what an account was charged at a wrong price: once for each run.
   *
   * @param change `correctionsSeen` as {@link Administration.correctionsOf} gave it: a refund that
   *   came since is a `conflict`
   * @returns whether it changed anything
   */
  correctPrice(
    accountId: string,
    change: AskedMovement & {
      due: CorrectionDue
      correction: PriceCorrection
      correctionsSeen: number
    },
  ): Promise<boolean>
  /** Revokes a key. One that was revoked before keeps the time of its first revocation. */
  revokeKey(
    accountId: string,
    asked: { keyId: string; reason: string; actor: string },
  ): Promise<RevokedKey>
  /**
   * Erases all texts about people that are kept of the account, and records that in the log. Texts
   * that come later are kept until the next call.
   *
   * @param change with `forget` for what is to go with the texts: only then has the erasure ended
   * @returns how many texts were erased, or would be
   */
  erase(
    accountId: string,
    change: AskedChange & Pick<AskedMovement, 'dryRun'> & { readonly forget?: Forget | undefined },
  ): Promise<{ readonly texts: number }>
  /**
   * Finishes erasures that a crash cut off: the log records them, and the texts are still there.
   * Texts that were kept since the erasure stay.
   *
   * @returns how many erasures were finished
   */
  finishErasures(forget?: Forget): Promise<number>
  /** The corrections that an account has had so far, for the next run of corrections. */
  correctionsOf(accountId: string): Promise<{
    readonly priceCorrections: readonly PriceCorrection[]
    readonly correctionsMade: number
    categoryOf(grantId: string): 'paid' | 'promotional'
    /** By how much a run has adjusted the account, for each kind of credit. */
    adjustedBy(runId: string): CorrectionDue
  }>
}
