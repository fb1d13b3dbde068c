/**
 * What an account can be asked to do. A command carries all that its decision needs, time included:
 * the decider reads no clock and makes no id.
 */
import type { ChargeRule, FinishReason, SpendPolicy, WireFormat } from '../events/account.ts'
import type { PicoDollars } from '../money.ts'
import type { PriceVersion } from '../price.ts'
import type { WorkerMeter } from '../worker/protocol.ts'

interface Base {
  /** When the command was given, in milliseconds since 1970. */
  readonly at: number
  /** `gateway:<id>`, `operator`, `sweeper` … */
  readonly actor: string
}

export interface OpenAccount extends Base {
  readonly type: 'OpenAccount'
  readonly accountId: string
  readonly name: string
  readonly spendPolicy: SpendPolicy
}

export interface SetSpendPolicy extends Base {
  readonly type: 'SetSpendPolicy'
  readonly spendPolicy: SpendPolicy
}

export interface SetPriceList extends Base {
  readonly type: 'SetPriceList'
  readonly priceList: string
}

export interface CreateApiKey extends Base {
  readonly type: 'CreateApiKey'
  readonly keyId: string
  readonly name: string
  readonly secretHash: string
  readonly lastFour: string
  readonly expiresAt: number | null
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
  readonly promptTokens: number
  readonly maxOutputTokens: number
  readonly idempotency: { readonly keyHash: string; readonly bodyHash: string } | null
  /** Whether the key was looked for, in vain, among those that the account no longer remembers. */
  readonly isKeySearched: boolean
  readonly deadline: number
}

export interface SettleRequest extends Base {
  readonly type: 'SettleRequest'
  readonly requestId: string
  readonly meter: WorkerMeter
  readonly finishReason: FinishReason
  readonly rule: ChargeRule
  /** Set when the request ends in failure after output: the reason, for RequestFailed. */
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
  | CreateApiKey
  | RevokeApiKey
  | GrantCredit
  | AcceptRequest
  | SettleRequest
  | FailRequest
  | AbandonRequest
  | ExpireCredit
