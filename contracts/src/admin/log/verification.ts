/** Whether the log is whole: how it is verified, and which streams are set aside. */
import { z } from 'zod'
import { lineOperation, operation, type Shown } from '../declaration/declaration.ts'
import { count, nothing, position } from '../declaration/fields.ts'
import { passedOver, rate } from './reading.ts'

const HEAD_CHARACTERS_MAX = 100

const place = { stream: z.string(), revision: z.int().min(0) }
/** A place with what is wrong there, in words that end a sentence about the stream. */
const damagedPlace = z.object({ ...place, cause: z.string() })

const quarantinedStream = z.object({
  stream: z.string(),
  /** Is null for a stream that is no account's. */
  account_id: z.string().nullable(),
  /**
   * The revision of the first event that cannot be relied on; null when no event of the stream can
   * be.
   */
  revision: z.int().nullable(),
  cause: z.string(),
})
export type QuarantinedStream = Shown<typeof quarantinedStream>

const verifyProgress = z.object({
  type: z.literal('progress'),
  events: count,
  /** Position up to which was read, and the last one of the log when the reading began. */
  position: z.string(),
  head: z.string(),
  passed_over: passedOver,
  rate,
})
export type VerifyProgress = Shown<typeof verifyProgress>

const verifyResult = z.object({
  type: z.literal('result'),
  streams: count,
  events: count,
  /** Empty when every chain holds: the first event of each stream that does not fit, and why. */
  broken: z.array(damagedPlace),
  /** The first event of each stream that nobody can read, though its chain holds. */
  unreadable: z.array(damagedPlace),
  /** Streams that the store was told to shorten, hide or delete, and what it was told. */
  set_aside: z.array(z.object({ stream: z.string(), order: z.string() })),
  /** The number of positions that have no event, where every one must have one. */
  missing_positions: z.string(),
  /**
   * The places that remember an event which the log does not hold: a view, a snapshot, the noted
   * head.
   */
  contradicted: z.array(z.object({ source: z.string(), ...place })),
  /** Is null when no anchor was given. `cut`: the log ends before it; `differs`: it was altered. */
  anchor: z.enum(['holds', 'cut', 'differs']).nullable(),
  /** The texts that the events have words for, and that are kept beside the log. */
  texts: z.object({
    kept: count,
    erased: count,
    /** Events whose text is not the one that they were written with. */
    altered: z.array(z.object(place)),
    /** The first event of each owner whose text is not there, and was not erased since. */
    missing: z.array(z.object(place)),
    /** The last erasure of each owner that has left texts behind: the next start finishes it. */
    unfinished: z.array(z.object(place)),
  }),
  /**
   * The head, to be noted down elsewhere: the anchor of a later verification. It is null for an
   * empty log, and for one that was not read from its start.
   */
  head: z.string().nullable(),
  /** Position up to which was read. */
  position: z.string(),
  /** Position from which was read; null: from the start. */
  from: z.string().nullable(),
  /**
   * Whether `lastVerification` tells of it from now on. It does on a running server, unless the log
   * cannot be written to or the caller has had very many kept.
   */
  kept: z.boolean().describe('Whether `lastVerification` tells of it from now on.'),
})
export type VerifyResult = Shown<typeof verifyResult>

/** What is left of a verification that was kept: when, by whom, of what, and how it ended. */
const keptVerification = z.object({
  verified_at: z.string(),
  /** The actor of its event, such as `user:usr_…`. */
  verified_by: z.string(),
  /** Position behind which the reading began (null: from the start), and up to which it went. */
  from: z.string().nullable(),
  position: z.string(),
  streams: count,
  events: count,
  head: z.string().nullable(),
  anchor: z.enum(['holds', 'cut', 'differs']).nullable(),
  /** Whether nothing was found, and the anchor holds if one was given. */
  ok: z.boolean(),
  /** The number of findings of each kind. */
  found: z.object({
    broken: count,
    unreadable: count,
    set_aside: count,
    missing_positions: count,
    contradicted: count,
    texts_altered: count,
    texts_missing: count,
    texts_unfinished: count,
  }),
})
export type KeptVerification = Shown<typeof keptVerification>

export const verificationOperations = {
  verify: lineOperation({
    method: 'POST',
    path: '/verify',
    role: 'auditor',
    summary: 'Check the whole event log',
    input: z.strictObject({
      /** The head that an earlier verification gave. */
      anchor: z.string().max(HEAD_CHARACTERS_MAX).optional(),
      /** The position up to which an earlier one has read: what lies before is not read again. */
      from: position.optional(),
    }),
    output: z.discriminatedUnion('type', [verifyProgress, verifyResult]),
  }),
  lastVerification: operation({
    method: 'GET',
    path: '/verify/last',
    role: 'auditor',
    summary: 'What the last verification on a running server covered and found, and whose it was',
    input: nothing,
    output: z.object({ verification: keptVerification.nullable() }),
  }),
  listQuarantine: operation({
    method: 'GET',
    path: '/quarantine',
    role: 'auditor',
    summary: 'Streams that are damaged and set aside',
    input: nothing,
    output: z.array(quarantinedStream),
  }),
}
