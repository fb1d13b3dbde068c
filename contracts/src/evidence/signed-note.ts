/**
 * Signed notes, as C2SP describes them (https://c2sp.org/signed-note) and Go's `sumdb/note` reads
 * them: a text, an empty line, and a line for each signature.
 *
 *     verifier key  NAME+KEYID+base64( 0x01 ‖ public key )
 *     signer key    PRIVATE+KEY+NAME+KEYID+base64( 0x01 ‖ seed )
 *     signature     — NAME base64( key id ‖ signature )
 *     key id        the first four bytes of SHA-256( NAME ‖ 0x0A ‖ algorithm ‖ public key )
 *
 * Algorithm 0x01 is Ed25519 over the text. Algorithm 0x04 is a cosignature of a witness, made at a
 * time (https://c2sp.org/tlog-cosignature): see {@link cosignNote}.
 */
import {
  createPrivateKey,
  createPublicKey,
  hash,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto'

const ED25519 = 0x01
const COSIGNATURE = 0x04
const KEY_ID_BYTES = 4
const TIME_BYTES = 8
const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
/** The longest note with all its signatures: no checkpoint is near it. */
const NOTE_BYTES_MAX = 64 * 1024
const SIGNATURES_MAX = 100
/** All of ASCII's but the line feed. */
const CONTROL_CHARACTER = /[^\n -\u{10ffff}]/u
/** The bytes that DER puts before 32 bytes of an Ed25519 key. */
const PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex')
const PRIVATE_DER = Buffer.from('302e020100300506032b657004220420', 'hex')

export interface VerifierKey {
  readonly name: string
  /** 8 hex digits. */
  readonly keyId: string
  /** The key's text as it is given to others. */
  readonly text: string
  readonly algorithm: 'ed25519' | 'cosignature'
  readonly publicKey: KeyObject
}

export interface SignerKey {
  readonly verifier: VerifierKey
  readonly privateKey: KeyObject
}

export interface NoteSignature {
  readonly name: string
  readonly keyId: string
  readonly bytes: Buffer
}

export interface SignedNote {
  /** The text with the line feed at its end: these bytes are signed. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

/** A note, a key or a signature that is not in its form. */
export class NoteError extends Error {
  override readonly name = 'NoteError'
}

/** @param seed 32 random bytes @param name without spaces and plus signs */
export function signerKeyText(
  name: string,
  seed: Uint8Array,
  algorithm: VerifierKey['algorithm'] = 'ed25519',
): string {
  const publicKey = createPublicKey(privateKeyOf(seed))
  const { keyId } = verifierOf(name, algorithm, publicKey)
  const key = Buffer.concat([Buffer.of(byteOf(algorithm)), seed]).toString('base64')
  return `PRIVATE+KEY+${name}+${keyId}+${key}`
}

/** @throws {NoteError} */
export function readSignerKey(text: string): SignerKey {
  const parts = /^PRIVATE\+KEY\+([^\s+]{1,255})\+([0-9a-f]{8})\+(\S{44})$/.exec(text.trim())
  const [, name, keyId, encoded] = parts ?? []
  if (name === undefined || encoded === undefined) throw new NoteError('this is no signer key')
  const { algorithm, key } = keyBytesOf(encoded)
  const privateKey = privateKeyOf(key)
  const verifier = verifierOf(name, algorithm, createPublicKey(privateKey))
  if (verifier.keyId !== keyId) throw new NoteError('the id of the signer key does not fit it')
  return { verifier, privateKey }
}

export function isSignerKey(text: string): boolean {
  try {
    return readSignerKey(text).verifier.algorithm === 'ed25519'
  } catch {
    return false
  }
}

/** @throws {NoteError} */
export function readVerifierKey(text: string): VerifierKey {
  const [, name, keyId, encoded] =
    /^([^\s+]{1,255})\+([0-9a-f]{8})\+(\S{44})$/.exec(text.trim()) ?? []
  if (name === undefined || encoded === undefined) throw new NoteError('this is no verifier key')
  const { algorithm, key } = keyBytesOf(encoded)
  const der = { format: 'der', type: 'spki' } as const
  const publicKey = createPublicKey({ key: Buffer.concat([PUBLIC_DER, key]), ...der })
  const verifier = verifierOf(name, algorithm, publicKey)
  if (verifier.keyId !== keyId) throw new NoteError('the id of the verifier key does not fit it')
  return verifier
}

/** @throws {NoteError} when it is none, or one of a witness: a log signs, and never cosigns */
export function readLogKey(text: string): VerifierKey {
  const key = readVerifierKey(text)
  if (key.algorithm === 'ed25519') return key
  throw new NoteError('this is the key of a witness, and of no log')
}

/** @param text ends with a line feed @returns the note with one signature for each key */
export function signNote(text: string, ...keys: readonly SignerKey[]): string {
  const lines = keys.map(({ verifier, privateKey }) => {
    return signatureLine(verifier, signBytes(null, Buffer.from(text), privateKey))
  })
  return `${text}\n${lines.join('')}`
}

/**
 * The line of a witness, to be put behind a note.
 *
 * @param seconds since 1970: until then the witness has seen no other log of this name
 */
export function cosignNote(text: string, seconds: number, key: SignerKey): string {
  const time = Buffer.alloc(TIME_BYTES)
  time.writeBigUInt64BE(BigInt(seconds))
  const signature = signBytes(null, cosigned(text, BigInt(seconds)), key.privateKey)
  return signatureLine(key.verifier, Buffer.concat([time, signature]))
}

/** @throws {NoteError} */
export function parseNote(note: string): SignedNote {
  const end = note.lastIndexOf('\n\n')
  const isText = note.isWellFormed() && !CONTROL_CHARACTER.test(note)
  const isBounded = Buffer.byteLength(note) <= NOTE_BYTES_MAX
  if (!isText || !isBounded || end < 0 || !note.endsWith('\n'))
    throw new NoteError('this is no signed note')
  const lines = note.slice(end + 2, -1).split('\n')
  if (lines.length > SIGNATURES_MAX) throw new NoteError('the note has too many signatures')
  return { text: note.slice(0, end + 1), signatures: lines.map(signatureOf) }
}

/** Whether the note has a signature of the key, and it holds. */
export function isSignedBy(note: SignedNote, key: VerifierKey): boolean {
  const own = signaturesOf(note, key)
  return own.length > 0 && own.every(({ bytes }) => holds(note.text, bytes, key))
}

/** Whether the note has a signature that says it is of the key, whether or not it holds. */
export function hasSignatureOf(note: SignedNote, key: VerifierKey): boolean {
  return signaturesOf(note, key).length > 0
}

function signaturesOf({ signatures }: SignedNote, key: VerifierKey): readonly NoteSignature[] {
  return signatures.filter(({ name, keyId }) => name === key.name && keyId === key.keyId)
}

function holds(text: string, bytes: Buffer, { algorithm, publicKey }: VerifierKey): boolean {
  if (algorithm === 'ed25519') return verifyBytes(null, Buffer.from(text), publicKey, bytes)
  if (bytes.length !== TIME_BYTES + SIGNATURE_BYTES) return false
  const message = cosigned(text, bytes.readBigUInt64BE(0))
  return verifyBytes(null, message, publicKey, bytes.subarray(TIME_BYTES))
}

function cosigned(text: string, seconds: bigint): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`)
}

function signatureLine({ name, keyId }: VerifierKey, signature: Uint8Array): string {
  const bytes = Buffer.concat([Buffer.from(keyId, 'hex'), signature])
  return `— ${name} ${bytes.toString('base64')}\n`
}

function signatureOf(line: string): NoteSignature {
  const [, name, encoded] = /^— ([^\p{White_Space}+]+) ([A-Za-z0-9+/]+={0,2})$/u.exec(line) ?? []
  if (name === undefined || encoded === undefined) throw new NoteError('a signature is damaged')
  const bytes = Buffer.from(encoded, 'base64')
  // Text that stands for the same bytes in another way is refused: one note, one text.
  const isExact = bytes.length > KEY_ID_BYTES && bytes.toString('base64') === encoded
  if (!isExact) throw new NoteError('a signature is damaged')
  const keyId = bytes.subarray(0, KEY_ID_BYTES).toString('hex')
  return { name, keyId, bytes: bytes.subarray(KEY_ID_BYTES) }
}

function keyBytesOf(encoded: string): Pick<VerifierKey, 'algorithm'> & { readonly key: Buffer } {
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.length !== KEY_BYTES + 1) throw new NoteError('the key has the wrong length')
  if (bytes[0] !== ED25519 && bytes[0] !== COSIGNATURE) {
    throw new NoteError('the key is not of Ed25519')
  }
  const algorithm = bytes[0] === ED25519 ? 'ed25519' : 'cosignature'
  return { algorithm, key: bytes.subarray(1) }
}

function privateKeyOf(seed: Uint8Array): KeyObject {
  if (seed.length !== KEY_BYTES) throw new NoteError('a seed has 32 bytes')
  const key = Buffer.concat([PRIVATE_DER, seed])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

function verifierOf(
  name: string,
  algorithm: VerifierKey['algorithm'],
  publicKey: KeyObject,
): VerifierKey {
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(PUBLIC_DER.length)
  const key = Buffer.concat([Buffer.of(byteOf(algorithm)), raw])
  const named = Buffer.concat([Buffer.from(`${name}\n`), key])
  const keyId = hash('sha256', named, 'hex').slice(0, 2 * KEY_ID_BYTES)
  return { name, keyId, text: `${name}+${keyId}+${key.toString('base64')}`, algorithm, publicKey }
}

function byteOf(algorithm: VerifierKey['algorithm']): number {
  return algorithm === 'ed25519' ? ED25519 : COSIGNATURE
}
