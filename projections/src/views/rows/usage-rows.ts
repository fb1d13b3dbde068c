/** What is asked about usage, keys and the movements of a month, and what is answered. */
import type { WireFormat } from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'
import type { TokenCounts } from '@svc/contracts/tokens'

/** Ways to divide usage beside time. */
export type UsageGroup = 'key' | 'model' | 'format'

/** The usage of an account, or of one key, model or format in it; undefined takes in all. */
export interface UsageFilter {
  readonly accountId: string
  readonly keyId?: string | undefined
  readonly model?: string | undefined
  readonly format?: WireFormat | undefined
}

export interface UsageQuery extends UsageFilter {
  /**
   * The edges of the steps of time, from the beginning of the first to the end of the last, in
   * milliseconds since 1970: rising, at least two, each on a quarter of an hour.
   */
  readonly edges: readonly number[]
  readonly groupBy: readonly UsageGroup[]
}

/** Requests that were debited, with their tokens and what these cost. */
export interface UsedTokens extends TokenCounts {
  readonly requests: number
  readonly inputAmount: PicoDollars
  readonly cachedInputAmount: PicoDollars
  readonly outputAmount: PicoDollars
  /** The sum of the three. */
  readonly amount: PicoDollars
}

/** The usage of one group in one step; what it was not divided by is null. */
export interface UsageStep extends UsedTokens {
  /** The index of the edge where the step begins. It ends at the next one. */
  readonly step: number
  readonly keyId: string | null
  readonly model: string | null
  readonly format: WireFormat | null
}

export interface Usage {
  /** The steps in which something was used, in the order of time. */
  readonly steps: readonly UsageStep[]
  readonly total: UsedTokens
}

export interface KeyUsage extends UsedTokens {
  readonly keyId: string
  readonly accountId: string
  readonly name: string
  readonly lastFour: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** The actor of its event, such as `user:usr_…`; null where none is told. */
  readonly createdBy: string | null
  /** When the last request of the key was accepted; null when it was never used. */
  readonly lastUsedAt: number | null
}

/**
 * The movements of an account's balance in a period:
 * `opening + payments + promotional − used − expired − refunded + corrected = closing`.
 */
export interface AccountMonth {
  readonly accountId: string
  readonly opening: PicoDollars
  readonly payments: PicoDollars
  readonly promotional: PicoDollars
  readonly used: PicoDollars
  readonly expired: PicoDollars
  /** Money that left as a refund; below zero for debits that were given back as credit. */
  readonly refunded: PicoDollars
  readonly corrected: PicoDollars
  readonly closing: PicoDollars
  /** How many debits are in `used`. */
  readonly requests: number
}
