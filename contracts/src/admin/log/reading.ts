/** How far a long reading of the log has come. */
import { z } from 'zod'
import { count } from '../declaration/fields.ts'

/** Events per second. */
export const rate = z.number()
/** Events of others passed over until now, in a shared store: at least this many. */
export const passedOver = count
