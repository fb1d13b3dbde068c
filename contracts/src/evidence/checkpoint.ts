/**
 * Checkpoints of a log, as C2SP describes them (https://c2sp.org/tlog-checkpoint): the text of a
 * signed note.
 *
 *     svc/5f0c…        the origin: the name of the log, and of the key that signs
 *     1234             how many events
 *     base64           the root of the Merkle tree over them
 *     time 1763841600  when it was signed, in seconds since 1970
 */
import { HASH_BYTES } from './merkle-tree.ts'
import {
  isSignedBy,
  NoteError,
  parseNote,
  type SignedNote,
  type VerifierKey,
} from './signed-note.ts'

export interface Checkpoint {
  readonly origin: string
  readonly size: number
  readonly root: Buffer
  /** Seconds since 1970. */
  readonly time: number
}

const FORM = /^([^\n]{1,255})\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\ntime (\d{1,12})\n/

export function checkpointText({ origin, size, root, time }: Checkpoint): string {
  return `${origin}\n${size}\n${root.toString('base64')}\ntime ${time}\n`
}

/** @throws {NoteError} */
export function parseCheckpoint({ text }: SignedNote): Checkpoint {
  const [, origin, size, root, time] = FORM.exec(text) ?? []
  if (origin === undefined || root === undefined) throw new NoteError('this is no checkpoint')
  const bytes = Buffer.from(root, 'base64')
  // Text that stands for the same root in another way is refused, as it is in signatures.
  const isExact = bytes.length === HASH_BYTES && bytes.toString('base64') === root
  if (!isExact) throw new NoteError('the root is no hash')
  const events = Number(size)
  if (!Number.isSafeInteger(events)) throw new NoteError('no log has that many events')
  return { origin, size: events, root: bytes, time: Number(time) }
}

/**
 * A checkpoint that the log signed.
 *
 * @param keys of the log; one of them must have signed
 * @throws {NoteError} when none has, or the checkpoint is another log's
 */
export function openCheckpoint(note: string, keys: readonly VerifierKey[]): Checkpoint {
  const parsed = parseNote(note)
  const checkpoint = parseCheckpoint(parsed)
  const key = keys.find((candidate) => isSignedBy(parsed, candidate))
  if (key === undefined) throw new NoteError('the checkpoint is not signed with the key')
  if (key.name !== checkpoint.origin) throw new NoteError('the checkpoint is of another log')
  return checkpoint
}
