/** The text in the content of items. */
import { ServiceError } from '@svc/contracts/errors'
import { type FieldPath, pathText } from '@svc/contracts/field-path'
import { TEXT_BYTES_MAX } from '../../conversation-bounds.ts'
import { missingParameter } from '../../fields.ts'
import type { ContentPart } from './items.ts'

const textTypes = new Set(['input_text', 'output_text', 'text', 'summary_text', 'reasoning_text'])

/**
 * @param path of the content, for error messages
 * @throws {ServiceError} naming the part that is no text
 */
export function textsOf(content: string | readonly ContentPart[], path: FieldPath): string[] {
  if (typeof content === 'string') return [boundedText(content, path)]
  return content.map((part, index) => boundedText(partText(part, [...path, index]), path))
}

export function boundedText(text: string, path: FieldPath): string {
  if (Buffer.byteLength(text) <= TEXT_BYTES_MAX) return text
  const message = `A text of the conversation holds at most ${TEXT_BYTES_MAX} bytes.`
  throw new ServiceError('invalid_value', message, { param: pathText(path) })
}

function partText({ type, text, refusal }: ContentPart, path: FieldPath): string {
  if (!textTypes.has(type) && type !== 'refusal') {
    const shown = JSON.stringify(type)
    const message = `This is a text-only model: it reads no content part of type ${shown}.`
    throw new ServiceError('unsupported_value', message, { param: pathText(path) })
  }
  const found = type === 'refusal' ? refusal : text
  if (typeof found === 'string') return found
  throw missingParameter(pathText([...path, type === 'refusal' ? 'refusal' : 'text']))
}
