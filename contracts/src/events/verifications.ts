/** The events of the one stream `verifications`. The names and shapes are the storage format. */
import { z } from 'zod'

export const verificationsStream = 'verifications'

const count = z.int().min(0)
/** The position of an event in the log, as decimal text. */
const position = z.string().regex(/^(-1|\d+)$/)

export const verificationEventSchemas = {
  LogVerified: z.object({
    /**
     * The positions up to which the log was read, and behind which the reading began; null means
     * from its start.
     */
    position,
    from: position.nullable(),
    streams: count,
    events: count,
    /** The head, to be compared with that of a later verification; null where there was none. */
    head: z.string().nullable(),
    /** Tells how the head of an earlier verification compared; null where none was given. */
    anchor: z.enum(['holds', 'cut', 'differs']).nullable(),
    /** The number of findings of each kind: nothing but zeros where the log is what was written. */
    found: z.object({
      broken: count,
      unreadable: count,
      setAside: count,
      missingPositions: count,
      contradicted: count,
      textsAltered: count,
      textsMissing: count,
      textsUnfinished: count,
    }),
    at: z.int().min(0),
  }),
} as const

type Schemas = typeof verificationEventSchemas

export type VerificationEvent = {
  [T in keyof Schemas]: { readonly type: T; readonly data: Readonly<z.output<Schemas[T]>> }
}[keyof Schemas]
