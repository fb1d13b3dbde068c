/**
 * What the operator does to accounts. Whatever comes with an idempotency key is done once, however
 * often it is asked for: the ids of what it makes, and of the change itself, are derived from the
 * key, so that any gateway knows them again, also after a crash.
 */
import type { CorrectionDue, GrantCredit, Metadata } from '@svc/contracts/commands'
import type { PriceCorrection, Remainder, SpendPolicy } from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'

export interface Asked {
  /** Who asks. The metadata of the event name them. */
  readonly actor: string
  readonly idempotencyKey?: string | undefined
}

export interface AskedChange extends Asked {
  readonly reason: string
}

export interface AskedMovement extends AskedChange {
  readonly reference: string | null
  /** Works out what would happen, and does not do it. */
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

/** `created` is false when it had been made before: then nothing has happened. */
export interface Opened {
  readonly accountId: string
  readonly created: boolean
}

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

/** A balance that was moved, or would be. */
export interface Movement {
  /** The id of the grant, the refund or the adjustment; that of the account when it was closed. */
  readonly id: string
  /** False when it had been done before: then nothing has happened. */
  readonly created: boolean
  /** What the balance changes by; of the first time when it was done before. */
  readonly amount: PicoDollars
  /** Null when it was done before. */
  readonly balanceBefore: PicoDollars | null
  readonly balanceAfter: PicoDollars
}

/** Refusals reject with a `ServiceError` of the catalogue. */
export interface Administration {
  openAccount(
    input: Asked & NamedByOperator & { name: string; spendPolicy?: SpendPolicy },
  ): Promise<Opened>
  /**
   * Grants credit. The same reference on the same account grants once, and so does the same key.
   */
  grant(accountId: string, grant: AskedGrant): Promise<Granted>
  /** Works out what a grant would do, and does not do it. */
  previewGrant(accountId: string, grant: AskedGrant): Promise<Movement>
  createKey(
    accountId: string,
    input: Asked & NamedByOperator & { name: string; expiresAt?: number | null },
  ): Promise<CreatedKey>
  /** @returns whether it changed anything, here and below */
  renameAccount(accountId: string, change: AskedChange & { name: string }): Promise<boolean>
  renameKey(
    accountId: string,
    change: AskedChange & { keyId: string; name: string },
  ): Promise<boolean>
  /** Lets the key end at a moment to come; one that ends before then stays as it is. */
  setKeyExpiry(
    accountId: string,
    change: AskedChange & { keyId: string; expiresAt: number },
  ): Promise<boolean>
  setSpendPolicy(
    accountId: string,
    change: AskedChange & { spendPolicy: SpendPolicy },
  ): Promise<boolean>
  /**
   * From here on the account pays the prices of a list, and those of the default list where that
   * one has none in force. Running requests keep their price.
   *
   * @returns whether it was on another list before
   * @throws {ServiceError} `invalid_value` for a list without any price
   */
  setPriceList(accountId: string, change: { priceList: string; actor: string }): Promise<boolean>
  /** No request is accepted until it is unfrozen; gateways stop what runs. */
  freeze(accountId: string, change: AskedChange): Promise<boolean>
  unfreeze(accountId: string, change: AskedChange): Promise<boolean>
  /** Ends the account and its keys. Nothing may run. */
  close(accountId: string, change: AskedMovement & { remainder: Remainder }): Promise<Movement>
  /** Takes a grant back, also what was spent of it. */
  voidGrant(accountId: string, change: AskedMovement & { grantId: string }): Promise<Movement>
  /** @param change an `amount` of null gives back all that is left of the charge */
  refund(
    accountId: string,
    change: AskedMovement & { requestId: string; amount: PicoDollars | null },
  ): Promise<Movement>
  adjust(
    accountId: string,
    change: AskedMovement & { amount: PicoDollars; category: 'paid' | 'promotional' },
  ): Promise<Movement>
  /**
   * Makes a wrong price good on one account: once for each run.
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
  /** A key that was revoked before stays revoked since then. */
  revokeKey(
    accountId: string,
    asked: { keyId: string; reason: string; actor: string },
  ): Promise<RevokedKey>
  /**
   * Says in the log that the texts of the account are erased, and removes all that were kept until
   * then. What comes later stays, until it is asked for anew.
   *
   * @returns how many texts were erased, or would be
   */
  erase(
    accountId: string,
    change: AskedChange & Pick<AskedMovement, 'dryRun'>,
  ): Promise<{ readonly texts: number }>
  /**
   * Erases what an earlier process said it had erased in the log, and had not. It takes no text
   * that was kept since, by whoever.
   *
   * @returns how many erasures were finished
   */
  finishErasures(): Promise<number>
  /** What of an account has been made good so far. */
  correctionsOf(accountId: string): Promise<{
    readonly priceCorrections: readonly PriceCorrection[]
    readonly correctionsMade: number
    categoryOf(grantId: string): 'paid' | 'promotional'
    /** What a run has adjusted the account by. */
    adjustedBy(runId: string): CorrectionDue
  }>
}
