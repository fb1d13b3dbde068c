/**
 * A payment as another system writes it to the topic of top-ups: JSON, one object in each record.
 * It becomes a grant by the very operation behind `svc account grant`, whose field names it has.
 */
import { z } from 'zod'
import { accountOperations } from '../admin/accounts.ts'
import { DEFAULT_GRANT_PRIORITY } from '../events/account.ts'

const DEFAULT_REASON = 'top-up'

const granted = accountOperations.grant.input.shape

export const topUp = z.strictObject({
  account_id: granted.account_id.describe('the account that gets the credit'),
  amount: granted.amount.describe('dollars above zero as exact decimal text, such as "25.00"'),
  currency: z.literal('USD').describe('there is no other'),
  reference: granted.reference
    .unwrap()
    .describe('of the payment: the same one on the same account is granted once, for ever'),
  category: granted.category.default('paid').describe('what kind of credit it is'),
  priority: granted.priority.default(DEFAULT_GRANT_PRIORITY).describe('lower is spent first'),
  expires_at: granted.expires_at
    .default(null)
    .describe('when what is left of it ends, RFC 3339 with a zone; null: never'),
  reason: granted.reason.default(DEFAULT_REASON).describe('why, for the statement'),
})
