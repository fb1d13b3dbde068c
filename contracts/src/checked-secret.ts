/**
 * What secrets of this service have in common: `<prefix><part of an id>-<random part><check>`.
 *
 * The part of an id says at once whose it is. The check turns typing mistakes and scans away before
 * any look-up, and lets scanners for secrets find real ones. Only a SHA-256 of the secret is ever
 * stored: 190 random bits cannot be guessed, so a slow hash would protect nothing.
 */
import { hash } from 'node:crypto'
import { type IdKind, idBody, isId } from './ids.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_CHARACTERS = 32
const CHECK_CHARACTERS = 6
/** Random bytes that a secret is made of. */
export const SECRET_RANDOM_BYTES = 32

const BEHIND_PREFIX = /^([0-9a-hjkmnp-tv-z]{26})-([0-9A-Za-z]{38})$/

export interface SecretFormat {
  readonly prefix: string
  /** The kind of the id that a secret names. */
  readonly idKind: IdKind
}

/**
 * @param random at least {@link SECRET_RANDOM_BYTES} bytes from a cryptographic source
 * @throws {RangeError} when there are fewer: a short secret could be guessed
 */
export function makeCheckedSecret(
  { prefix }: SecretFormat,
  id: string,
  random: Uint8Array,
): string {
  if (random.length < SECRET_RANDOM_BYTES) {
    throw new RangeError(`a secret needs ${SECRET_RANDOM_BYTES} random bytes, not ${random.length}`)
  }
  const body = `${prefix}${idBody(id)}-${base62(random, RANDOM_CHARACTERS)}`
  return body + checkOf(body)
}

/** The id that a secret names, or `undefined` when the text is not a well-formed secret. */
export function idOfSecret({ prefix, idKind }: SecretFormat, text: string): string | undefined {
  if (!text.startsWith(prefix)) return undefined
  const match = BEHIND_PREFIX.exec(text.slice(prefix.length))
  if (match === null) return undefined
  if (checkOf(text.slice(0, -CHECK_CHARACTERS)) !== text.slice(-CHECK_CHARACTERS)) return undefined
  const id = `${idKind}_${match[1]}`
  return isId(idKind, id) ? id : undefined
}

/** What is stored of a secret: its SHA-256 in hex. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** What may be shown of a secret after its creation. */
export function lastFour(secret: string): string {
  return secret.slice(-4)
}

function checkOf(body: string): string {
  return base62(hash('sha256', body, 'buffer'), CHECK_CHARACTERS)
}

function base62(bytes: Uint8Array, length: number): string {
  let bits = 0n
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte)
  let text = ''
  for (let i = 0; i < length; i += 1) {
    text += BASE62.charAt(Number(bits % 62n))
    bits /= 62n
  }
  return text
}
