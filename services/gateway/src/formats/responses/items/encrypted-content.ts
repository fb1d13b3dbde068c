/**
 * The fields that the format calls `encrypted_content`: text that a client carries for us and sends
 * back. It is sealed for the account and for the kind of item that it stands in.
 */
import { ServiceError } from '@svc/contracts/errors'
import { type FieldPath, pathText } from '@svc/contracts/field-path'
import type { TextSeal } from '@svc/contracts/ports/text-seal'

/**
 * Stands in front of all that was sealed. `svc1.` was plain text in another spelling, and proves
 * nothing.
 */
const MARK = 'svc2.'

type EncryptedKind = 'reasoning' | 'compaction'

export class EncryptedContent {
  readonly #seal: TextSeal
  readonly #accountId: string

  constructor(seal: TextSeal, accountId: string) {
    this.#seal = seal
    this.#accountId = accountId
  }

  write(kind: EncryptedKind, text: string): string {
    return MARK + this.#seal.seal([this.#accountId, kind], text)
  }

  /**
   * @param path of the item, for error messages
   * @returns undefined for what is not marked as ours: another service's, or an older version's
   * @throws {ServiceError} `invalid_encrypted_content` for what is marked, and was forged, altered,
   *   or sealed for another account
   */
  read(kind: EncryptedKind, content: string, path: FieldPath): string | undefined {
    if (!content.startsWith(MARK)) return undefined
    const text = this.#seal.open([this.#accountId, kind], content.slice(MARK.length))
    if (text !== undefined) return text
    const param = pathText([...path, 'encrypted_content'])
    const message =
      `The encrypted content of ${pathText(path)} could not be verified: it was altered, or ` +
      'belongs to another account or server. Send the item without it, or leave the item out.'
    throw new ServiceError('invalid_encrypted_content', message, { param })
  }
}
