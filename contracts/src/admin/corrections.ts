/** Mistakes made good, and what else changes of an account: each an event with its reason. */
import { z } from 'zod'
import { remainders, spendPolicy } from '../events/account.ts'
import { dollars } from '../wire/billing.ts'
import { lineOperation, operation, type Shown } from './declaration/declaration.ts'
import {
  amount,
  count,
  id,
  idempotencyKey,
  moment,
  name,
  reason,
  requestId,
  shortText,
} from './declaration/fields.ts'

const priceRates = z.object({ input: dollars, cached_input: dollars, output: dollars })

const account = { account_id: id }
const asked = { reason, idempotency_key: idempotencyKey.optional() }
const moving = {
  ...asked,
  reference: shortText.nullable().default(null),
  /** Says what would happen, and does nothing. */
  dry_run: z.boolean().default(false),
}

export const movement = z.object({
  /** The id of the grant, the refund or the adjustment, or of the account that was closed. */
  id: z.string(),
  /** False when it had been done before, or is only tried. */
  created: z.boolean(),
  dry_run: z.boolean(),
  /** The change of the balance; below zero it gets less. */
  amount: dollars,
  /** Is null when the correction had been done before. */
  balance_before: dollars.nullable(),
  /** The balance after the correction. When that had been done before it is the balance now. */
  balance_after: dollars,
})
export type ShownMovement = Shown<typeof movement>

const changed = z.object({
  account_id: z.string(),
  /** False when it was so already, or the same had been asked for before. */
  changed: z.boolean(),
})

/** A customer who was charged at a wrong price. Without such requests a customer has no line. */
const correctedAccount = z.object({
  type: z.literal('account'),
  account_id: z.string(),
  name: z.string(),
  /**
   * The requests that were charged at the price in the period, and what they cost without and with
   * the correction.
   */
  requests: count,
  before: dollars,
  after: dollars,
  /** The change of the balance, above zero for the customer; the sum of the two below it. */
  amount: dollars,
  paid: dollars,
  promotional: dollars,
  /** False when it had been done before, is only tried, or cannot be done. */
  created: z.boolean(),
  /** Why it cannot be done now; else null. */
  problem: z.string().nullable(),
})
export type CorrectedAccount = Shown<typeof correctedAccount>

const correctionProgress = z.object({
  type: z.literal('progress'),
  /** The number of accounts that were looked at so far, of `total`. */
  accounts: count,
  total: count,
})
export type CorrectionProgress = Shown<typeof correctionProgress>

const correctionResult = z.object({
  type: z.literal('result'),
  /** Stands in every adjustment that was made; null for a trial. */
  run_id: z.string().nullable(),
  dry_run: z.boolean(),
  version: z.string(),
  model: z.string(),
  price_list: z.string(),
  /** Dollars per million tokens. */
  old: priceRates,
  new: priceRates,
  /** The period in which the requests came in: from the first moment to just before the second. */
  from: z.string(),
  to: z.string(),
  /** The number of all accounts with a line. */
  accounts: count,
  requests: count,
  before: dollars,
  after: dollars,
  amount: dollars,
  /** Accounts that were adjusted now, and that could not be: the same run again takes them. */
  created: count,
  problems: count,
})
export type CorrectionResult = Shown<typeof correctionResult>

export const correctionOperations = {
  voidGrant: operation({
    method: 'POST',
    path: '/accounts/:account_id/grants/:grant_id/void',
    role: 'operator',
    summary: 'Take a grant back, also what was spent of it',
    input: z.strictObject({ ...account, grant_id: id, ...moving }),
    output: movement,
  }),
  refund: operation({
    method: 'POST',
    path: '/accounts/:account_id/requests/:request_id/refund',
    role: 'operator',
    summary: 'Give back what a request was charged, or a part of it',
    input: z.strictObject({
      ...account,
      request_id: requestId,
      /** Dollars, above zero; null: all that is left of the charge. */
      amount: amount.nullable().default(null),
      ...moving,
    }),
    output: movement,
  }),
  adjust: operation({
    method: 'POST',
    path: '/accounts/:account_id/adjustments',
    role: 'operator',
    summary: 'Change a balance by an amount, up or down',
    input: z.strictObject({
      ...account,
      /** Dollars; below zero it gets less. */
      amount,
      /** The category of the credit that an amount up becomes. */
      category: z.enum(['paid', 'promotional']).default('paid'),
      ...moving,
    }),
    output: movement,
  }),
  correctPrice: lineOperation({
    method: 'POST',
    path: '/prices/:version/correct',
    role: 'operator',
    summary: 'Set right what requests were charged at a wrong price, account by account',
    input: z.strictObject({
      version: id,
      /** Dollars per million tokens, as they should have been. */
      input: amount,
      cached_input: amount,
      output: amount,
      /** The moment from which on requests came in; null means whenever it was. */
      from: moment.nullable().default(null),
      /** Just before this; null: up to now, for a price at which nothing is accepted any more. */
      to: moment.nullable().default(null),
      ...moving,
    }),
    output: z.discriminatedUnion('type', [correctionProgress, correctedAccount, correctionResult]),
  }),
  freezeAccount: operation({
    method: 'POST',
    path: '/accounts/:account_id/freeze',
    role: 'operator',
    summary: 'Refuse all requests of an account until it is unfrozen, and stop what runs',
    input: z.strictObject({ ...account, ...asked }),
    output: changed,
  }),
  unfreezeAccount: operation({
    method: 'POST',
    path: '/accounts/:account_id/unfreeze',
    role: 'operator',
    summary: 'Take requests of an account again',
    input: z.strictObject({ ...account, ...asked }),
    output: changed,
  }),
  closeAccount: operation({
    method: 'POST',
    path: '/accounts/:account_id/close',
    role: 'operator',
    summary: 'End an account and its keys for ever',
    input: z.strictObject({
      ...account,
      /** The fate of a balance that is not zero. */
      remainder: z.enum(remainders).default('none'),
      ...moving,
    }),
    output: movement,
  }),
  eraseTexts: operation({
    method: 'POST',
    path: '/accounts/:account_id/erase',
    role: 'owner',
    summary: 'Erase what was written about the people behind an account, and its kept answers',
    input: z.strictObject({
      ...account,
      ...asked,
      /** Says how many texts would go, and erases none. */
      dry_run: z.boolean().default(false),
    }),
    output: z.object({
      account_id: z.string(),
      /** The number of texts that were erased, or would be. */
      texts: z.int().min(0),
      dry_run: z.boolean(),
    }),
  }),
  eraseSubjectTexts: operation({
    method: 'POST',
    path: '/texts/:subject/erase',
    role: 'owner',
    summary: 'Erase what was written about a token, a price, a correction or an erasure',
    repeat: 'What is erased stays so: then there are no texts.',
    input: z.strictObject({
      /**
       * The id of an admin token that has ended, a withdrawn price, a correction run or an erasure.
       */
      subject: id,
      reason,
      /** Says how many texts would go, and erases none. */
      dry_run: z.boolean().default(false),
    }),
    output: z.object({
      subject: z.string(),
      /** The number of texts that were erased, or would be. */
      texts: count,
      dry_run: z.boolean(),
    }),
  }),
  renameAccount: operation({
    method: 'POST',
    path: '/accounts/:account_id/rename',
    role: 'operator',
    summary: 'Give an account another name',
    input: z.strictObject({ ...account, name, ...asked }),
    output: changed,
  }),
  setSpendPolicy: operation({
    method: 'POST',
    path: '/accounts/:account_id/spend-policy',
    role: 'operator',
    summary: 'Say how the last credit of an account is spent',
    input: z.strictObject({ ...account, spend_policy: spendPolicy, ...asked }),
    output: changed,
  }),
  renameKey: operation({
    method: 'POST',
    path: '/accounts/:account_id/keys/:key_id/rename',
    role: 'operator',
    summary: 'Give a key another name',
    input: z.strictObject({ ...account, key_id: id, name, ...asked }),
    output: changed.extend({ key_id: z.string() }),
  }),
}
