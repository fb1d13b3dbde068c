import { randomBytes } from 'node:crypto'
import { hashOfText, keptTextWord, SALT_BYTES, TEXT_ID_BYTES } from '@svc/contracts/kept-text'
import { TEXT_CHARACTERS_MAX } from '@svc/contracts/ports/text-store'

export function newSalt(): Uint8Array {
  return new Uint8Array(randomBytes(SALT_BYTES))
}

export interface NewText {
  readonly id: string
  /** The text as it is kept: what UTF-8 cannot hold is replaced. */
  readonly text: string
}

/** @throws {RangeError} for a text that is too long, and for what cannot be an owner */
export function newText(owner: string, text: string): NewText {
  if (text.length > TEXT_CHARACTERS_MAX) {
    throw new RangeError(`a text has at most ${TEXT_CHARACTERS_MAX} characters`)
  }
  const id = randomBytes(TEXT_ID_BYTES).toString('hex')
  keptTextWord({ owner, id, hash: '' })
  return { id, text: text.toWellFormed() }
}

export function wordOf(owner: string, salt: Uint8Array, { id, text }: NewText): string {
  return keptTextWord({ owner, id, hash: hashOfText(salt, text) })
}
