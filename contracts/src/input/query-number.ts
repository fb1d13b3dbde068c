/** A number in a query or on a command line, where everything is text. */
import { z } from 'zod'

const WHOLE_NUMBER = /^-?\d+$/

/**
 * A whole number that may come as text: digits, with a minus in front where it is below zero. An
 * empty text is no number, and neither is `0x10` or `+1`: whoever sent one meant something else.
 *
 * @param schema says what the number may be
 */
export function queryNumber<Schema extends z.ZodType<number>>(schema: Schema) {
  return z.preprocess((given: number) => numberOf(given), schema)
}

/** NaN for a text that is no number. */
function numberOf(given: unknown): unknown {
  if (typeof given !== 'string') return given
  return WHOLE_NUMBER.test(given) ? Number(given) : Number.NaN
}
