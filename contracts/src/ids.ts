/**
 * Identifiers. The server makes every one: a client's ids are metadata and never name anything.
 *
 * An id is `<kind>_` and 26 characters of Crockford's base 32: 48 bits of milliseconds, then 80
 * random bits. Ids of one kind therefore sort by the time of their making. The time and the random
 * bytes come in from the caller, because this package reads no clock and draws no lots.
 */
import { hash } from 'node:crypto'

export const idKinds = [
  'acct',
  'key',
  'grant',
  'req',
  'price',
  'gw',
  'wrk',
  'tok',
  'read',
  'refund',
  'adj',
  'chg',
  'run',
  'usr',
  'link',
  'pk',
  'ses',
  'ckpt',
] as const
export type IdKind = (typeof idKinds)[number]

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
/** What a character counts that is not in the alphabet. */
const NO_VALUE = -1
/** The value of each character by its code, its place in the alphabet. */
const CHARACTER_VALUES = Array.from({ length: 128 }, (_, code) =>
  ALPHABET.indexOf(String.fromCharCode(code)),
)
const TIME_CHARACTERS = 10
const TIME_LIMIT_MS = 2 ** 48
const RANDOM_CHARACTERS = 16
/** Random bytes that {@link makeId} needs. */
export const ID_RANDOM_BYTES = 10

const FINGERPRINT_CHARACTERS = 32

const BODY = /^[0-9a-hjkmnp-tv-z]{26}$/

/** Makes ids with the process's clock and randomness: a port, wired in the composition root. */
export interface IdSource {
  next(kind: IdKind): string
}

/**
 * @param timeMs milliseconds since 1970, below 2⁴⁸
 * @param random at least {@link ID_RANDOM_BYTES} bytes
 * @throws {RangeError} when the time is no such number, or there are too few random bytes: a short
 *   id could be drawn twice
 */
export function makeId(kind: IdKind, timeMs: number, random: Uint8Array): string {
  if (!Number.isSafeInteger(timeMs) || timeMs < 0 || timeMs >= TIME_LIMIT_MS) {
    throw new RangeError(`${timeMs} is not a time in milliseconds since 1970`)
  }
  if (random.length < ID_RANDOM_BYTES) {
    throw new RangeError(`an id needs ${ID_RANDOM_BYTES} random bytes, not ${random.length}`)
  }
  return `${kind}_${encodeTime(timeMs)}${encodeRandom(random)}`
}

/**
 * Makes the same id from the same time and words, for what must happen once however often it is
 * asked.
 *
 * @param timeMs part of the id like the words: it must be the same on every attempt
 */
export function makeDerivedId(kind: IdKind, timeMs: number, ...words: readonly string[]): string {
  const digest = hash('sha256', JSON.stringify([kind, ...words]), 'buffer')
  return makeId(kind, timeMs, digest)
}

/**
 * The time in ids that words alone name: they carry none, because each retry comes at another one.
 */
const NO_TIME_MS = 0

/**
 * Makes an id that an idempotency key alone names. Within an account, its id has to be among the
 * words too.
 */
export function idOfIdempotencyKey(kind: IdKind, key: string): string {
  return makeDerivedId(kind, NO_TIME_MS, 'key', key)
}

/** The account that the operator's own system calls so, whether there is one or not. */
export function accountIdOfExternal(externalId: string): string {
  return makeDerivedId('acct', NO_TIME_MS, 'external', externalId)
}

/** The key of an account that the operator's own system calls so, whether there is one or not. */
export function keyIdOfExternal(accountId: string, externalId: string): string {
  return makeDerivedId('key', idTimeMs(accountId), accountId, 'external', externalId)
}

/** Names what was asked for, so that a repetition with other content can be told from it. */
export function fingerprint(...words: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(words), 'hex').slice(0, FINGERPRINT_CHARACTERS)
}

export function isId(kind: IdKind, text: string): boolean {
  return text.startsWith(`${kind}_`) && BODY.test(text.slice(kind.length + 1))
}

/**
 * Matches the ids of answers of the three formats: a prefix before the characters of the request.
 */
const ANSWER_ID = /^(?:req_|chatcmpl-|resp_|msg_)([0-9a-z]{26})$/
/** Matches the ids of what is in an answer, such as a call of a tool: they end with a number. */
const PART_ID = /^[a-z]{2,5}_([0-9a-z]{26})_i?\d{1,4}$/

/** The request behind any id that an answer gave: its own, of the answer, or of a part of it. */
export function requestIdOf(id: string): string | undefined {
  const [, body = ''] = ANSWER_ID.exec(id) ?? PART_ID.exec(id) ?? []
  return BODY.test(body) ? `req_${body}` : undefined
}

/** @returns a text that no id of a request made at this time or later comes before */
export function requestIdFloor(timeMs: number): string {
  const time = encodeTime(Math.min(Math.max(timeMs, 0), TIME_LIMIT_MS - 1))
  return `req_${time}${'0'.repeat(RANDOM_CHARACTERS)}`
}

/** The 26 characters after the kind. */
export function idBody(id: string): string {
  return id.slice(id.indexOf('_') + 1)
}

/** Tells when the id was made, in milliseconds since 1970. */
export function idTimeMs(id: string): number {
  const start = id.indexOf('_') + 1
  const end = Math.min(start + TIME_CHARACTERS, id.length)
  let timeMs = 0
  for (let at = start; at < end; at += 1) {
    timeMs = timeMs * 32 + (CHARACTER_VALUES[id.charCodeAt(at)] ?? NO_VALUE)
  }
  return timeMs
}

/**
 * The id of an event: a UUID (version 8) made of the causing id's time and a hash of what the event
 * is. Deterministic, so that a retried append is recognised; time-ordered, so that indexes stay
 * short.
 *
 * @param cause the id of the request, grant, key … that the event belongs to
 * @param step names the event among those of its cause, such as its type
 */
export function eventId(cause: string, step: string): string {
  const time = idTimeMs(cause).toString(16).padStart(12, '0')
  const digest = hash('sha256', `${cause}\n${step}`, 'hex')
  const variant = ((Number.parseInt(digest.charAt(3), 16) & 0x3) | 0x8).toString(16)
  const fields = `8${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}`
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-${fields}`
}

function encodeTime(timeMs: number): string {
  let rest = timeMs
  let text = ''
  for (let i = 0; i < TIME_CHARACTERS; i += 1) {
    text = ALPHABET.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** Five bits a character, the first bits first. One large integer would take 7 times as long. */
function encodeRandom(random: Uint8Array): string {
  let text = ''
  let bits = 0
  let count = 0
  for (const byte of random.subarray(0, ID_RANDOM_BYTES)) {
    bits = (bits << 8) | byte
    count += 8
    for (; count >= 5; count -= 5) text += ALPHABET.charAt((bits >> (count - 5)) & 31)
    // Fewer than five are left.
    bits &= 31
  }
  return text
}
