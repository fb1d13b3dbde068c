/**
 * What an account can be asked to do. A command carries all that its decision needs, time included:
 * the decider reads no clock and makes no id.
 */
import type {
  ChargeRule,
  FinishReason,
  GrantSlice,
  PriceCorrection,
  Remainder,
  SpendPolicy,
  WireFormat,
} from '../events/account.ts'
import type { PicoDollars } from '../money.ts'
import type { PriceVersion } from '../price.ts'
import type { TokenCounts } from '../tokens.ts'
import type { WorkerMeter } from '../worker/protocol.ts'

interface Base {
  /** The time when the command was given, in milliseconds since 1970. */
  readonly at: number
  /** The actor that gives it, as `events/actors.ts` names it. */
  readonly actor: string
}

export interface OpenAccount extends Base {
  readonly type: 'OpenAccount'
  readonly accountId: string
  readonly name: string
  readonly spendPolicy: SpendPolicy
  /** The account's id in the operator's own system; null without one. */
  readonly externalId: string | null
  readonly metadata: Metadata
}

export type Metadata = Readonly<Record<string, string>>

/**
 * Names a change by the operator, and why. The same change id changes once, however often it comes.
 */
interface Change extends Base {
  readonly changeId: string
  readonly reason: string
}

export interface SetSpendPolicy extends Change {
  readonly type: 'SetSpendPolicy'
  readonly spendPolicy: SpendPolicy
}

export interface SetPriceList extends Base {
  readonly type: 'SetPriceList'
  readonly priceList: string
}

export interface RenameAccount extends Change {
  readonly type: 'RenameAccount'
  readonly name: string
}

export interface FreezeAccount extends Change {
  readonly type: 'FreezeAccount'
}

export interface UnfreezeAccount extends Change {
  readonly type: 'UnfreezeAccount'
}

export interface CloseAccount extends Change {
  readonly type: 'CloseAccount'
  /** The fate of a balance that is not zero. */
  readonly remainder: Remainder
  readonly reference: string | null
}

/** Erases all texts of the account that are kept beside the log. */
export interface EraseTexts extends Change {
  readonly type: 'EraseTexts'
}

export interface RenameApiKey extends Change {
  readonly type: 'RenameApiKey'
  readonly keyId: string
  readonly name: string
}

/** Lets a key end at a moment to come, before it would have ended. */
export interface SetApiKeyExpiry extends Change {
  readonly type: 'SetApiKeyExpiry'
  readonly keyId: string
  /** The new end of the key, in milliseconds since 1970. */
  readonly expiresAt: number
}

/** Takes back a grant that should not have been. */
export interface VoidGrant extends Change {
  readonly type: 'VoidGrant'
  readonly grantId: string
  readonly reference: string | null
}

/** The charge of a request, as the log tells it. */
export interface RecordedCharge {
  readonly amount: PicoDollars
  readonly slices: readonly GrantSlice[]
  readonly debt: PicoDollars
  /** The version of the price that it is pinned to. */
  readonly version: string
  readonly acceptedAt: number
  readonly counts: TokenCounts
  /** The refunds of it so far. */
  readonly refunds: readonly RecordedRefund[]
}

export interface RecordedRefund {
  readonly refundId: string
  readonly amount: PicoDollars
}

/** Gives back what a request was debited, or a part of it. */
export interface RefundRequest extends Base {
  readonly type: 'RefundRequest'
  /** The same id refunds once. */
  readonly refundId: string
  readonly requestId: string
  /** Null means all that is left of the charge. */
  readonly amount: PicoDollars | null
  readonly charge: RecordedCharge
  /** The number of corrections of the account when the charge was read, or fewer. */
  readonly correctionsSeen: number
  readonly reference: string | null
  readonly reason: string
}

export interface AdjustBalance extends Base {
  readonly type: 'AdjustBalance'
  /** The same id adjusts once. */
  readonly adjustmentId: string
  /** More than zero raises the balance, less than zero lowers it. */
  readonly amount: PicoDollars
  /** The category of the credit that an amount up becomes. */
  readonly category: 'paid' | 'promotional'
  readonly reference: string | null
  readonly reason: string
}

/** Makes a wrong price good. The same run does it once. */
export interface CorrectPrice extends Base {
  readonly type: 'CorrectPrice'
  readonly correction: PriceCorrection
  readonly due: CorrectionDue
  /** The ids of the adjustments that it becomes. */
  readonly adjustmentIds: { readonly paid: string; readonly promotional: string }
  /** The number of corrections of the account that the amounts take into account. */
  readonly correctionsSeen: number
  readonly reference: string | null
  readonly reason: string
}

/**
 * The change that is due to a balance, by the kind of credit that comes back. Below zero is only
 * what is paid, and then nothing is promotional: what is charged is taken from any credit.
 */
export interface CorrectionDue {
  readonly paid: PicoDollars
  readonly promotional: PicoDollars
}

export interface CreateApiKey extends Base {
  readonly type: 'CreateApiKey'
  readonly keyId: string
  readonly name: string
  readonly secretHash: string
  readonly lastFour: string
  readonly expiresAt: number | null
  /** The grant's id in the operator's own system; null without one. */
  readonly externalId: string | null
  readonly metadata: Metadata
}

export interface RevokeApiKey extends Base {
  readonly type: 'RevokeApiKey'
  readonly keyId: string
  readonly reason: string
}

export interface GrantCredit extends Base {
  readonly type: 'GrantCredit'
  /** The same grant id grants once, however often it is asked. */
  readonly grantId: string
  readonly amount: PicoDollars
  readonly category: 'paid' | 'promotional'
  readonly priority: number
  readonly expiresAt: number | null
  readonly reference: string | null
  readonly reason: string
  /** Is made of the idempotency key, beside what names the grant; null without one. */
  readonly changeId: string | null
}

export interface AcceptRequest extends Base {
  readonly type: 'AcceptRequest'
  readonly requestId: string
  readonly keyId: string
  readonly gatewayId: string
  readonly format: WireFormat
  readonly model: string
  /**
   * The price in force for the account. Refused when the model has none (null), and for now when
   * the account's price list is not known here yet (undefined).
   */
  readonly price: PriceVersion | null | undefined
  /** When a price that is announced takes effect, in milliseconds since 1970: a refusal says it. */
  readonly soldFrom?: number | undefined
  readonly promptTokens: number
  readonly maxOutputTokens: number
  /** Whether its worker runs with this limit by an earlier decision: then it is not lowered. */
  readonly isStarted: boolean
  readonly idempotency: { readonly keyHash: string; readonly bodyHash: string } | null
  /**
   * The key was looked for, in vain, among those that the account no longer remembers: this is the
   * number of keys that it had used by then, or fewer. Null: it was not looked for.
   */
  readonly keysSearched: number | null
  readonly deadline: number
}

export interface SettleRequest extends Base {
  readonly type: 'SettleRequest'
  readonly requestId: string
  readonly meter: WorkerMeter
  readonly finishReason: FinishReason
  readonly rule: ChargeRule
  /** The reason for RequestFailed, when the request ends in failure after output; else null. */
  readonly failure: string | null
}

/** Ends a request without a charge: nothing was delivered. */
export interface FailRequest extends Base {
  readonly type: 'FailRequest'
  readonly requestId: string
  readonly reason: string
}

/** Ends a request whose gateway died, without a charge. */
export interface AbandonRequest extends Base {
  readonly type: 'AbandonRequest'
  readonly requestId: string
  readonly reason: string
}

/** Expires what is past its time and not needed by an open hold. */
export interface ExpireCredit extends Base {
  readonly type: 'ExpireCredit'
}

export type AccountCommand =
  | OpenAccount
  | SetSpendPolicy
  | SetPriceList
  | RenameAccount
  | FreezeAccount
  | UnfreezeAccount
  | CloseAccount
  | EraseTexts
  | CreateApiKey
  | RenameApiKey
  | SetApiKeyExpiry
  | RevokeApiKey
  | GrantCredit
  | VoidGrant
  | RefundRequest
  | AdjustBalance
  | CorrectPrice
  | AcceptRequest
  | SettleRequest
  | FailRequest
  | AbandonRequest
  | ExpireCredit

/** The fields of a command that are texts about people. */
export interface CommandTexts {
  name?: string
  reason?: string
  reference?: string
  externalId?: string
  metadata?: Metadata
}

export function textsOf(command: AccountCommand): readonly string[] {
  const { metadata = {}, ...texts } = commandTexts(command)
  return [...Object.values(texts), ...Object.values(metadata)]
}

/** Picks the texts that the command has. */
export function commandTexts(command: AccountCommand): CommandTexts {
  // A command that ends a request without a charge says so with a word of the program.
  if (command.type === 'FailRequest' || command.type === 'AbandonRequest') return {}
  const texts: CommandTexts = {}
  if ('name' in command) texts.name = command.name
  if ('reason' in command) texts.reason = command.reason
  if ('reference' in command && command.reference !== null) texts.reference = command.reference
  if ('externalId' in command && command.externalId !== null) texts.externalId = command.externalId
  if ('metadata' in command) texts.metadata = command.metadata
  return texts
}
