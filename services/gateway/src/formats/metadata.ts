/** Pairs that a caller sends along: echoed, never looked at. */
import { z } from 'zod'

const MAX_PAIRS = 16

export const metadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= MAX_PAIRS, {
    error: `holds more than ${MAX_PAIRS} pairs`,
  })
