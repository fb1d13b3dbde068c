/**
 * How a log goes over to another key: a note that the old key and the new one sign. Whoever trusts
 * the old key trusts the new one then.
 *
 *     svc/5f0c…
 *     key rotation
 *     svc/5f0c…+01020304+…   the old verifier key
 *     svc/5f0c…+05060708+…   the new one
 *     time 1763841600
 */
import {
  isSignedBy,
  NoteError,
  parseNote,
  readLogKey,
  type SignerKey,
  signNote,
  type VerifierKey,
} from './signed-note.ts'

/** @param seconds since 1970 */
export function rotationNote(from: SignerKey, to: SignerKey, seconds: number): string {
  const { name, text } = from.verifier
  const lines = [name, 'key rotation', text, to.verifier.text, `time ${seconds}`]
  return signNote(`${lines.join('\n')}\n`, from, to)
}

/**
 * The keys that are trusted when one is, oldest first.
 *
 * @throws {NoteError} when a rotation does not hold
 */
export function trustedKeys(first: VerifierKey, rotations: readonly string[]): VerifierKey[] {
  const keys = [first]
  for (const rotation of rotations) {
    const { from, to } = openRotation(rotation)
    // Keys before the one that is trusted are nothing to it.
    if (keys.some(({ text }) => text === from.text)) keys.push(to)
  }
  return keys
}

function openRotation(note: string): { readonly from: VerifierKey; readonly to: VerifierKey } {
  const parsed = parseNote(note)
  const [origin, title, old = '', fresh = ''] = parsed.text.split('\n')
  const from = readLogKey(old)
  const to = readLogKey(fresh)
  const isNamed = title === 'key rotation' && from.name === origin && to.name === origin
  if (!isNamed || !isSignedBy(parsed, from) || !isSignedBy(parsed, to)) {
    throw new NoteError('a key rotation does not hold')
  }
  return { from, to }
}
