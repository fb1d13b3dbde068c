/** An answer as it lies on the disk: its JSON, sealed for its account and request. */
import type { RecordedAnswer } from '@svc/contracts/recorded-answers'
import { openText, sealText } from '../../sqlite/sealed-text.ts'

/** Whose answer it is. */
export interface AnswerOwner {
  readonly accountId: string
  readonly requestId: string
}

export function sealAnswer(key: Buffer, owner: AnswerOwner, answer: RecordedAnswer): Buffer {
  const { status, contentType, body } = answer
  const text = JSON.stringify({ status, contentType, body })
  return sealText(key, [owner.accountId, owner.requestId], text)
}

/** @returns undefined when key or owner are others, or a bit was changed */
export function openAnswer(
  key: Buffer,
  owner: AnswerOwner,
  bytes: Uint8Array,
): RecordedAnswer | undefined {
  const text = openText(key, [owner.accountId, owner.requestId], bytes)
  // The tag says that this program wrote it: its shape needs no further check.
  return text === undefined ? undefined : (JSON.parse(text) as RecordedAnswer)
}
