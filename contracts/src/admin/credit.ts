/**
 * The operations that show where the credit is: what is left of grants, and what running requests
 * hold.
 */
import { z } from 'zod'
import { dollars } from '../wire/billing.ts'
import { cursor } from '../wire/cursor.ts'
import { grantDetails } from './accounts.ts'
import { operation, type Shown } from './declaration/declaration.ts'
import { id, moment, pageLimit } from './declaration/fields.ts'

const page = {
  /** Asks for this account alone. */
  account_id: id.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
}
/** Is null on the last page. */
const nextCursor = z.string().nullable()

const listedGrant = grantDetails.extend({
  account_id: z.string(),
  /**
   * `expired`: its time is over, and what was left of it is taken within seconds. `spent`: nothing
   * is left of it, and its time is not over.
   */
  status: z.enum(['open', 'spent', 'expired', 'voided']),
})
export type ListedGrant = Shown<typeof listedGrant>

const listedHold = z.object({
  request_id: z.string(),
  account_id: z.string(),
  held: dollars,
  held_since: z.string(),
  /** The time when the request has ended at the latest. */
  deadline: z.string(),
})
export type ListedHold = Shown<typeof listedHold>

export const creditOperations = {
  listGrants: operation({
    method: 'GET',
    path: '/grants',
    role: 'auditor',
    summary: 'What is left of grants, the next to expire first; a page may have fewer than asked',
    recorded: ['account_id'],
    input: z.strictObject({
      ...page,
      /** `open`: only those of which something is left. */
      which: z.enum(['open', 'all']).default('open'),
      expires_before: moment.optional(),
    }),
    output: z.object({ grants: z.array(listedGrant), next_cursor: nextCursor }),
  }),
  listHolds: operation({
    method: 'GET',
    path: '/holds',
    role: 'auditor',
    summary: 'What running requests hold, the oldest first',
    recorded: ['account_id'],
    input: z.strictObject({ ...page, held_before: moment.optional() }),
    output: z.object({ holds: z.array(listedHold), next_cursor: nextCursor }),
  }),
}
