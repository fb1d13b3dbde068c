/**
 * What a person wrote about people, such as a name or a reason, is kept beside the events, where it
 * can be erased. The event has a word in its place:
 *
 *     text:<owner>/<id>/<hash>      hash = SHA-256( salt of the owner ‖ text ), in hex
 *
 * The salt is kept with the texts and erased with them: afterwards nobody can find out by trying
 * what the text was. A word is text itself, so that whatever folds events, the views and the
 * snapshots carry it without knowing the text; it is put in where an answer is made.
 */
import { hash } from 'node:crypto'

export const SALT_BYTES = 32
export const TEXT_ID_BYTES = 8

/** Is shown in place of a text that was erased. */
export const ERASED_TEXT = 'erased'
/** Is shown in place of a text that is not the one which the event was written with. */
export const ALTERED_TEXT = 'altered'

const PREFIX = 'text:'
const WORD = /^text:([\w-]{1,100})\/([0-9a-f]{16})\/([0-9a-f]{64})$/
const WORDS = /text:[\w-]{1,100}\/[0-9a-f]{16}\/[0-9a-f]{64}/g
const OWNER = /^[\w-]{1,100}$/
const ACCOUNT_OWNER = /^(\w+)-([1-9]\d{0,8})$/

export interface KeptText {
  /**
   * The owner whose texts are erased together: see {@link ownerOfAccountTexts}. Never a text
   * itself.
   */
  readonly owner: string
  readonly id: string
  readonly hash: string
}

/**
 * The texts of an account have one owner until they are erased, and then the next one: `acct_…`,
 * `acct_…-1`, `acct_…-2` … The event of an erasure so says for ever which texts it is about, and
 * who carries it out, or finishes it later, can take no newer one with them.
 *
 * @param erasures of the account so far
 */
export function ownerOfAccountTexts(accountId: string, erasures: number): string {
  return erasures === 0 ? accountId : `${accountId}-${erasures}`
}

/** The other way round. What is no account's owner stands for itself. */
export function accountOfTexts(owner: string): {
  readonly accountId: string
  readonly erasures: number
} {
  const [, accountId = owner, erasures = '0'] = ACCOUNT_OWNER.exec(owner) ?? []
  return { accountId, erasures: Number(erasures) }
}

/** @throws {RangeError} for what cannot be an owner */
export function keptTextWord({ owner, id, hash: digest }: KeptText): string {
  if (!OWNER.test(owner)) throw new RangeError(`"${owner}" cannot own texts`)
  return `${PREFIX}${owner}/${id}/${digest}`
}

/** @returns undefined for a text that is no such word */
export function readKeptText(text: string): KeptText | undefined {
  if (!text.startsWith(PREFIX)) return undefined
  const [, owner, id, digest] = WORD.exec(text) ?? []
  if (owner === undefined || id === undefined || digest === undefined) return undefined
  return { owner, id, hash: digest }
}

/** The words in a text, such as in the description of an entry, or in JSON. */
export function wordsIn(text: string): readonly string[] {
  return text.includes(PREFIX) ? (text.match(WORDS) ?? []) : []
}

export function hashOfText(salt: Uint8Array, text: string): string {
  return hash('sha256', Buffer.concat([salt, Buffer.from(text, 'utf8')]), 'hex')
}

/**
 * Tells equal texts of one owner from others without knowing them; what is no word stands for
 * itself.
 */
export function contentOfText(text: string): string {
  return readKeptText(text)?.hash ?? text
}
