/**
 * What an account is, folded from its events: everything that a decision needs and nothing else.
 *
 * The state is bounded. Requests that have ended leave no trace in it, except for the
 * Idempotency-Key of those that were debited, of which the newest are kept. An older key is found
 * in the log, so that it is never debited twice: `hasForgottenKeys` says when to look.
 */
import type { RecordedRefund } from '@svc/contracts/commands'
import type { PriceCorrection, SpendPolicy } from '@svc/contracts/events/account'
import { contentOfText } from '@svc/contracts/kept-text'
import type { PicoDollars } from '@svc/contracts/money'
import { DEFAULT_PRICE_LIST, type PriceVersion } from '@svc/contracts/price'

/** An event of an account cannot have followed those before it. */
export class InconsistentHistoryError extends Error {
  override readonly name = 'InconsistentHistoryError'
}

export const ACTIVE_KEYS_MAX = 50
/** Keys that are kept in memory. The oldest go first of those that are revoked or expired. */
export const KNOWN_KEYS_MAX = 1_000
/** Grants with credit left. It bounds the slices of one debit, and so the size of an append. */
export const GRANTS_WITH_CREDIT_MAX = 1_000
/** Grants ever made. All are remembered, so that none is made twice. */
export const GRANTS_MAX = 10_000
export const OPEN_REQUESTS_MAX = 10_000
/** The newest changes by the operator that are remembered: a retry of one of them is recognised. */
export const CHANGES_MAX = 1_000
/** Requests whose refunds are remembered: those refunded last. The log has them all. */
export const REFUNDED_REQUESTS_MAX = 1_000
/** Refunds of one request. */
export const REFUNDS_PER_REQUEST_MAX = 100
/** Adjustments ever made. All are remembered, so that none is made twice. */
export const ADJUSTMENTS_MAX = 10_000
/**
 * How many keys an account remembers, the newest: a retry is nearly always about one of them. The
 * log has them all.
 */
export const IDEMPOTENCY_KEYS_MAX = 1_000

export interface ApiKey {
  readonly keyId: string
  name: string
  readonly externalId: string | null
  /** The fingerprint of what it was created with. */
  content: string
  readonly secretHash: string
  readonly lastFour: string
  readonly createdAt: number
  expiresAt: number | null
  revokedAt: number | null
}

export interface Grant {
  readonly grantId: string
  readonly amount: PicoDollars
  readonly category: 'paid' | 'promotional'
  readonly priority: number
  readonly expiresAt: number | null
  reference: string | null
  readonly grantedAt: number
  remaining: PicoDollars
  /** What of it has expired. */
  expired: PicoDollars
  voidedAt: number | null
}

/** A request that was accepted and has not ended: what it holds, and the price it is pinned to. */
export interface OpenRequest {
  readonly requestId: string
  readonly price: PriceVersion
  readonly promptTokens: number
  readonly maxOutputTokens: number
  readonly hold: PicoDollars
  /** Whether the hold is less than the worst case. At most one open request is under-held. */
  readonly underHeld: boolean
  /** The hash of its Idempotency-Key, when it came with one. */
  readonly idempotencyKeyHash: string | null
}

export interface RefundedRequest {
  /** The sum of all its refunds, also of those that are no longer remembered. */
  readonly total: PicoDollars
  readonly refunds: readonly RecordedRefund[]
}

export interface MadeAdjustment {
  readonly amount: PicoDollars
  readonly content: string
}

export interface UsedIdempotencyKey {
  readonly requestId: string
  readonly bodyHash: string
}

export interface AccountState {
  /** Null until the account is opened. */
  accountId: string | null
  name: string
  externalId: string | null
  /** The fingerprint of what it was opened with. */
  content: string
  spendPolicy: SpendPolicy
  /** Whose prices its requests are pinned to. */
  priceList: string
  frozenAt: number | null
  closedAt: number | null
  /** How often its texts were erased: by it the texts of today are told from those. */
  erasures: number
  /** Keys by their id, oldest first. */
  readonly keys: Map<string, ApiKey>
  /** Grants by their id, oldest first; spent ones too. */
  readonly grants: Map<string, Grant>
  /** The grants that have credit left, in the order in which they burn. */
  readonly burning: Grant[]
  /** Grants less debits and expiries: what the grants have left, less the debt. */
  balance: PicoDollars
  /** The sum of the holds of the open requests. */
  held: PicoDollars
  /** What was debited and no grant covered; the next grant pays it first. */
  debt: PicoDollars
  readonly openRequests: Map<string, OpenRequest>
  /** The open request that is under-held, when one is. */
  underHeldRequestId: string | null
  /** Idempotency keys by their hash, oldest first. */
  readonly idempotencyKeys: Map<string, UsedIdempotencyKey>
  /** Whether there have been others, which only the log knows. */
  hasForgottenKeys: boolean
  /** How often a key came with a request: what was searched before is searched anew. */
  keysUsed: number
  /** What the operator's changes were, by change id, oldest first. */
  readonly changes: Map<string, string>
  /** What was refunded, by the id of the request, the one refunded last at the end. */
  readonly refunds: Map<string, RefundedRequest>
  /** Whether other requests were refunded, which only the log knows. */
  hasForgottenRefunds: boolean
  /** Adjustments by their id, oldest first. */
  readonly adjustments: Map<string, MadeAdjustment>
  /** Wrong prices that were made good, in their order. */
  readonly priceCorrections: PriceCorrection[]
  /** How many refunds and adjustments there were: what was worked out before is worked out anew. */
  correctionsMade: number
}

/** An account of which there are no events. */
export function unopenedAccount(): AccountState {
  return {
    accountId: null,
    name: '',
    externalId: null,
    content: '',
    spendPolicy: 'standard',
    priceList: DEFAULT_PRICE_LIST,
    frozenAt: null,
    closedAt: null,
    erasures: 0,
    keys: new Map(),
    grants: new Map(),
    burning: [],
    balance: 0n,
    held: 0n,
    debt: 0n,
    openRequests: new Map(),
    underHeldRequestId: null,
    idempotencyKeys: new Map(),
    hasForgottenKeys: false,
    keysUsed: 0,
    changes: new Map(),
    refunds: new Map(),
    hasForgottenRefunds: false,
    adjustments: new Map(),
    priceCorrections: [],
    correctionsMade: 0,
  }
}

/** A key that may be used at a moment. */
export function isActive(key: ApiKey, at: number): boolean {
  return key.revokedAt === null && (key.expiresAt === null || at < key.expiresAt)
}

/** The grant that a payment made, when it has made one. */
export function grantOfReference(state: AccountState, reference: string): Grant | undefined {
  const content = contentOfText(reference)
  for (const grant of state.grants.values()) {
    // A text ends with its content, and to read each of 10,000 would hold all accounts up.
    if (!grant.reference?.endsWith(content)) continue
    if (contentOfText(grant.reference) === content) return grant
  }
  return undefined
}

/** Forgets the oldest of what is known when that is more than `max`. @returns whether it did */
export function forgetOldest(known: Map<string, unknown>, max: number): boolean {
  const [oldest] = known.keys()
  return known.size > max && oldest !== undefined && known.delete(oldest)
}
