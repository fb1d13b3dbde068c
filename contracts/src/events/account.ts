/**
 * The events of an account stream, `account-<accountId>`.
 *
 * THESE NAMES AND SHAPES ARE THE STORAGE FORMAT. A change of a shape is a new schema version with
 * an upcaster and a fixture that is kept for ever (see `upcast.ts`). Events hold no prompt and no
 * answer, and no text about people: words in their place (`kept-text.ts`), which are texts
 * themselves only in versions from before that. Money is pico-dollars; times are milliseconds since
 * 1970.
 *
 * What every event that moves money keeps: the balance is what the grants have left less the debt,
 * and there is a debt only while no grant has anything left.
 */
import { z } from 'zod'
import { picoDollars } from '../money.ts'
import { priceVersion } from '../price.ts'
import { tokenClasses, tokenCount } from '../tokens.ts'

const timeMs = z.int().min(0)
const at = { at: timeMs }

/**
 * Text that a person wrote about people: names, reasons, references. The event has the word of the
 * text.
 */
export const freeText = z.string()
/** Priorities of grants are from 0 to this; the lower is spent first. */
export const GRANT_PRIORITY_MAX = 1_000
/** The priority of a grant for which nobody says another. */
export const DEFAULT_GRANT_PRIORITY = 100
/**
 * The priority of the credit that a correction brings. Its events do not say it, so it is the same
 * for ever.
 */
export const CORRECTION_PRIORITY = 100

export const spendPolicies = ['standard', 'strict'] as const
export const spendPolicy = z.enum(spendPolicies)
export type SpendPolicy = z.output<typeof spendPolicy>

export const wireFormats = ['chat', 'responses', 'messages'] as const
export const wireFormat = z.enum(wireFormats)
export type WireFormat = z.output<typeof wireFormat>

/** The ways in which a worker's run comes to its end. */
export const finishReasons = ['stop', 'length', 'tool_calls', 'cancelled', 'error'] as const
export const finishReason = z.enum(finishReasons)
export type FinishReason = z.output<typeof finishReason>

/** Why the charge is what it is, when the request did not simply finish. */
export const chargeRules = [
  /** The whole triple at the pinned price. */
  'metered',
  /** The client left or stopped: the triple computed up to the worker's acknowledgement. */
  'metered_until_cancelled',
  /** The worker failed after output: the prompt and the tokens that had reached the gateway. */
  'delivered_before_failure',
] as const
const chargeRule = z.enum(chargeRules)
export type ChargeRule = z.output<typeof chargeRule>

const grantSlice = z.object({ grantId: z.string(), amount: picoDollars })
/** A part of an amount that was taken from one grant. */
export type GrantSlice = z.output<typeof grantSlice>

const costLine = z.object({
  class: z.enum(tokenClasses),
  tokens: tokenCount,
  price: picoDollars,
  amount: picoDollars,
})

const tokenTriple = {
  inputTokens: tokenCount,
  cachedInputTokens: tokenCount,
  outputTokens: tokenCount,
}

/** Whatever the operator's own system wants to find again: names and values. */
const metadata = z.record(freeText, freeText)
/** The account's id in the operator's own system; the id of what it names is made of it. */
const externalId = freeText.nullable()

/** A wrong price set right for the requests that were accepted from one moment to another. */
export const priceCorrection = z.object({
  runId: z.string(),
  /** The version that those requests are pinned to, and the rates that they should have had. */
  price: priceVersion,
  from: timeMs,
  to: timeMs,
})
export type PriceCorrection = z.output<typeof priceCorrection>

/** The ways to settle a balance that is not zero when its account is closed. */
export const remainders = ['none', 'written_off', 'paid_out'] as const
export type Remainder = (typeof remainders)[number]

/**
 * Names one change by the operator, and why: the same change happens once, however often it is
 * asked.
 */
const change = { changeId: z.string(), reason: freeText }
/** A document of another system, such as a credit note. */
const reference = freeText.nullable()

/**
 * The batches in which a worker computes prompts. They decide where its memory of a prompt can be
 * cut: after any token, or at multiples of 128 tokens only.
 */
export const promptSchedules = ['any-token', 'canonical-128'] as const
export type PromptScheduleName = (typeof promptSchedules)[number]

/** Tells what the prefix cache did, so that the cached count can be checked. */
export const cacheEvidence = z.object({
  /** The schedule by which the prompt was computed; null where no worker said so. */
  schedule: z.enum(promptSchedules).nullable(),
  /** Leading tokens of the prompt that were reused. */
  reusedTokens: tokenCount,
  /** Whole blocks of the cache among them. */
  blocks: tokenCount,
  /** The tier that the last of them came from. */
  source: z.enum(['none', 'l1', 'l2']),
  /** The hash of the last reused block, or null. */
  lastBlockHash: z.string().nullable(),
  /** Prompt tokens that the runtime's own counter saw evaluated: the independent witness. */
  evaluatedTokens: tokenCount,
})
export type CacheEvidence = z.output<typeof cacheEvidence>

/** Milliseconds with three decimals at most: whole microseconds, because they are kept for ever. */
export const latencies = z.object({
  /** The time from when the worker took the request until it ran. */
  queueMs: z.number().min(0),
  /** The time from then until the prompt was computed, or the run ended. */
  prefillMs: z.number().min(0),
  /** The time from when the worker took the request to its first token; null without output. */
  firstTokenMs: z.number().min(0).nullable(),
  /** The time from when the worker took the request to its end. */
  totalMs: z.number().min(0),
})
export type Latencies = z.output<typeof latencies>

export const accountEventSchemas = {
  AccountOpened: z.object({
    accountId: z.string(),
    name: freeText,
    currency: z.literal('USD'),
    spendPolicy,
    externalId,
    metadata,
    ...at,
  }),
  AccountRenamed: z.object({ ...change, name: freeText, ...at }),
  /** Version 1 had neither a change id nor a reason. */
  SpendPolicySet: z.object({
    spendPolicy,
    changeId: z.string().nullable(),
    reason: freeText.nullable(),
    ...at,
  }),
  /** No request is accepted until the account is unfrozen; what runs is stopped. */
  AccountFrozen: z.object({ ...change, ...at }),
  AccountUnfrozen: z.object({ ...change, ...at }),
  /** The end of the account and of all its keys. The balance is zero from here on. */
  AccountClosed: z.object({
    ...change,
    remainder: z.enum(remainders),
    /** The change of the balance: less than zero for credit, more than zero for a debt. */
    amount: picoDollars,
    slices: z.array(grantSlice),
    paidDebt: picoDollars,
    reference,
    balanceAfter: picoDollars,
    ...at,
  }),
  /** Says that all texts of the account that were kept beside the log are gone since then. */
  TextsErased: z.object({ ...change, ...at }),
  /** Says which prices the requests accepted from here on are pinned to. */
  PriceListSet: z.object({ priceList: z.string(), ...at }),
  ApiKeyCreated: z.object({
    keyId: z.string(),
    name: freeText,
    /** SHA-256 of the secret, in hex; the secret itself is never stored. */
    secretHash: z.string(),
    lastFour: z.string(),
    /** The key is refused from this moment on; null never expires. */
    expiresAt: timeMs.nullable(),
    externalId,
    metadata,
    ...at,
  }),
  ApiKeyRenamed: z.object({ ...change, keyId: z.string(), name: freeText, ...at }),
  /** The new end is never later than the key would have ended. */
  ApiKeyExpirySet: z.object({ ...change, keyId: z.string(), expiresAt: timeMs, ...at }),
  ApiKeyRevoked: z.object({ keyId: z.string(), reason: freeText, ...at }),
  CreditGranted: z.object({
    grantId: z.string(),
    amount: picoDollars,
    category: z.enum(['paid', 'promotional']),
    /** Lower burns first. */
    priority: z.int().min(0).max(GRANT_PRIORITY_MAX),
    expiresAt: timeMs.nullable(),
    /** The payment that the grant came from; the same reference grants once. */
    reference,
    reason: freeText,
    /** Is made of the idempotency key, and null without one: under it nothing else is granted. */
    changeId: z.string().nullable(),
    /** The part of the amount that paid an existing debt at once. */
    paidDebt: picoDollars,
    balanceAfter: picoDollars,
    ...at,
  }),
  CreditExpired: z.object({
    grantId: z.string(),
    amount: picoDollars,
    balanceAfter: picoDollars,
    ...at,
  }),
  /** A grant that should not have been: all of it is taken back, also what was spent. */
  GrantVoided: z.object({
    ...change,
    grantId: z.string(),
    amount: picoDollars,
    /**
     * The part that was left of the grant, and the other credit that covers what was spent of it.
     */
    slices: z.array(grantSlice),
    /** The part that no credit covered. */
    debt: picoDollars,
    reference,
    balanceAfter: picoDollars,
    ...at,
  }),
  /**
   * Says that all or a part of what a request was debited is given back, to the slices that paid
   * it.
   */
  CreditRefunded: z.object({
    refundId: z.string(),
    requestId: z.string(),
    amount: picoDollars,
    /** The part of the request's debit that was given back before. */
    refundedBefore: picoDollars,
    /** The part of the amount that paid an existing debt at once. */
    paidDebt: picoDollars,
    slices: z.array(grantSlice),
    /**
     * The part that has no grant to go back to: a new one, with the id of the refund, never
     * expires.
     */
    credit: picoDollars,
    reference,
    reason: freeText,
    balanceAfter: picoDollars,
    ...at,
  }),
  /** An amount is set right, up (more than zero) or down (less than zero). */
  BalanceAdjusted: z.object({
    adjustmentId: z.string(),
    amount: picoDollars,
    /**
     * The shares of an amount up: what of it paid a debt, and the rest, a new grant with the id of
     * this.
     */
    paidDebt: picoDollars,
    credit: picoDollars,
    /**
     * The sources of an amount down: the grants that it was taken from, and what no grant covered.
     */
    slices: z.array(grantSlice),
    debt: picoDollars,
    category: z.enum(['paid', 'promotional']),
    correction: priceCorrection.nullable(),
    reference,
    reason: freeText,
    balanceAfter: picoDollars,
    ...at,
  }),
  RequestAccepted: z.object({
    requestId: z.string(),
    keyId: z.string(),
    /** The gateway process that runs the request; its death orphans it. */
    gatewayId: z.string(),
    format: wireFormat,
    model: z.string(),
    price: priceVersion,
    promptTokens: tokenCount,
    maxOutputTokens: tokenCount,
    hold: picoDollars,
    /** True when the hold is all that was available and less than the worst case (`standard`). */
    underHeld: z.boolean(),
    /** Null without an Idempotency-Key, which is a part of the hash of the body too. */
    idempotency: z.object({ keyHash: z.string(), bodyHash: z.string() }).nullable(),
    /** The latest moment at which the request can still be running. */
    deadline: timeMs,
    ...at,
  }),
  TokensMetered: z.object({
    requestId: z.string(),
    ...tokenTriple,
    /** Part of `outputTokens`. */
    reasoningTokens: tokenCount,
    workerId: z.string(),
    cache: cacheEvidence,
    finishReason,
    rule: chargeRule,
    latencies,
    ...at,
  }),
  CreditDebited: z.object({
    requestId: z.string(),
    amount: picoDollars,
    lines: z.array(costLine).length(3),
    slices: z.array(grantSlice),
    /** The part that no grant covered: it makes the balance negative (`standard` only). */
    debt: picoDollars,
    balanceAfter: picoDollars,
    ...at,
  }),
  /** The request ends without success; a charge, if any, is the CreditDebited before it. */
  RequestFailed: z.object({ requestId: z.string(), reason: z.string(), ...at }),
  /** The request ends because its gateway died; nothing is charged. */
  RequestAbandoned: z.object({ requestId: z.string(), reason: z.string(), ...at }),
} as const

export type AccountEventType = keyof typeof accountEventSchemas

/** Events of an account as the domain sees them: `{ type, data }`, money as bigint. */
export type AccountEvent = {
  [T in AccountEventType]: {
    readonly type: T
    readonly data: Readonly<z.output<(typeof accountEventSchemas)[T]>>
  }
}[AccountEventType]

export type AccountEventOf<T extends AccountEventType> = Extract<AccountEvent, { type: T }>

/** Whether an event of any stream is an account's, by its type. */
export function isAccountEvent<Event extends { readonly type: string }>(
  event: Event,
): event is Extract<Event, { readonly type: AccountEventType }> {
  return Object.hasOwn(accountEventSchemas, event.type)
}

/** Picks the events that move the settled balance: each of them says what it is afterwards. */
export type BalanceMove<Event = AccountEvent> = Extract<
  Event,
  { readonly data: { readonly balanceAfter: unknown } }
>

export function movesBalance<Event extends { readonly data: object }>(
  event: Event,
): event is BalanceMove<Event> {
  return 'balanceAfter' in event.data
}

const STREAM_PREFIX = 'account-'

export function accountStream(accountId: string): string {
  return STREAM_PREFIX + accountId
}

/** The account of a stream, or `undefined` for a stream of another kind. */
export function accountOfStream(stream: string): string | undefined {
  return stream.startsWith(STREAM_PREFIX) ? stream.slice(STREAM_PREFIX.length) : undefined
}
