import { z } from 'zod'

/** Exact decimal text in dollars, such as `4.9998275`. */
export const dollars = z.string().regex(/^-?\d+\.\d{2,12}$/)

/** The cost of one request, as the ledger debited it. */
export const debitedCost = dollars.describe('Dollars that were debited for this answer, exactly.')
