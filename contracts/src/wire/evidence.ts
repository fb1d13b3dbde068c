/** Evidence over HTTP. What is in an evidence file says `evidence/evidence-file.ts`. */
import { z } from 'zod'
import { queryNumber } from '../input/query-number.ts'

export const EVIDENCE_MEDIA = 'application/jsonl'

const size = queryNumber(z.int().min(0))
const hashes = z.array(z.string())

export const evidenceQuery = z.strictObject({
  /** The size of a checkpoint that the caller holds: the file then shows that the log went on. */
  since: size.optional(),
})

export const inclusionQuery = z.strictObject({ leaf: size, size })
export const inclusionAnswer = z.object({ leaf: z.int(), size: z.int(), hashes })
export type InclusionAnswer = z.output<typeof inclusionAnswer>

export const consistencyQuery = z.strictObject({ from: size, to: size })
export const consistencyAnswer = z.object({ from: z.int(), to: z.int(), hashes })
export type ConsistencyAnswer = z.output<typeof consistencyAnswer>

/** A signed note, a verifier key, or the lines of an evidence file. */
export const evidenceText = z.string()
