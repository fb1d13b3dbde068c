/**
 * An evidence file: what an account, or one request, was booked, with the proof that the log holds
 * it. JSON Lines: a header, then one line for each event.
 *
 * The line of an event is the very text that its hash is made of (`ports/hash-chain.ts`), so that
 * nothing has to be put together again, in whatever language:
 *
 *     ["previous hash","account-…",revision,"id","type","data","metadata"]
 *     hash of the event = SHA-256( the line without its line feed )
 *     leaf of the event = RFC 6962 hash of the 32 bytes of that hash
 *
 * An event proves those before it that it is chained to: the last one of a whole account proves
 * all of them.
 */
import { z } from 'zod'

/**
 * An append has at most half a megabyte, and JSON in JSON can double it. A header has thousands of
 * proofs and rotations in that: it bounds them too.
 */
export const LINE_BYTES_MAX = 4 * 1024 * 1024
const EVENT_PARTS = 7
const REVISION = 2

const hex32 = z.string().regex(/^[0-9a-f]{64}$/)
const hashes = z.array(hex32)

export const evidenceHeader = z.strictObject({
  svc_evidence: z.literal(1),
  /** The stream of the account. */
  stream: z.string(),
  /** The request whose events they are; null: all events of the account, from the first one on. */
  request: z.string().nullable(),
  /** The number of lines that follow: an account has been opened, a request accepted. */
  events: z.int().min(1),
  /** A signed note. */
  checkpoint: z.string(),
  /** Inclusion proofs, for events counted from 1, in that order. */
  proofs: z.array(z.strictObject({ event: z.int().min(1), leaf: z.int().min(0), hashes })),
  /** Proves to whoever holds an earlier checkpoint that it is the beginning of this one. */
  consistency: z.array(z.strictObject({ size: z.int().min(0), root: hex32, hashes })),
  /** Signed notes by which the key was changed, oldest first. */
  rotations: z.array(z.string()),
})
export type EvidenceHeader = z.output<typeof evidenceHeader>

export type EvidenceEvent = readonly [
  previous: string,
  stream: string,
  revision: number,
  id: string,
  type: string,
  data: string,
  metadata: string,
]

/** This is checked by hand and not by a schema, because a history has millions of lines. */
export function isEvidenceEvent(value: unknown): value is EvidenceEvent {
  if (!Array.isArray(value) || value.length !== EVENT_PARTS) return false
  return value.every((part, place) =>
    place === REVISION ? Number.isSafeInteger(part) && part >= 0 : typeof part === 'string',
  )
}
