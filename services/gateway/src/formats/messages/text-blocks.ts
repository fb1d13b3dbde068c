/** Content blocks that are read as text, and the refusal of those that cannot be. */
import { ServiceError } from '@svc/contracts/errors'
import { z } from 'zod'
import { joinedTexts } from '../conversation.ts'
import { PARTS_MAX } from '../conversation-bounds.ts'
import { missingParameter, parsePart } from '../fields.ts'
import { givenObject } from '../given-object.ts'

const TYPE_CHARACTERS_MAX = 64

const documentSource = z.object({
  type: z.string().max(TYPE_CHARACTERS_MAX),
  data: z.string().optional(),
  content: z.union([z.string(), z.array(z.unknown()).max(PARTS_MAX)]).optional(),
})

/**
 * A block of any kind. There is one schema for all, because the type of a block says which fields
 * it must have. Some clients name the fields of the other types too, as null.
 */
const contentBlock = z.object({
  type: z.string().max(TYPE_CHARACTERS_MAX),
  text: z.string().nullish(),
  id: z.string().min(1).max(256).nullish(),
  name: z.string().min(1).max(256).nullish(),
  input: givenObject.nullish(),
  tool_use_id: z.string().max(256).nullish(),
  content: z.union([z.string(), z.array(z.unknown()).max(PARTS_MAX)]).nullish(),
  is_error: z.boolean().nullish(),
  thinking: z.string().nullish(),
  title: z.string().nullish(),
  tool_name: z.string().max(256).nullish(),
  tool: z.unknown().optional(),
  source: z.unknown().optional(),
})
export type ContentBlock = z.output<typeof contentBlock>

export const contentBlocks = z.array(contentBlock).max(PARTS_MAX)

/**
 * A block as text.
 *
 * @param path where it stands, for error messages: `messages[0].content[1]`
 * @throws {ServiceError} when it is no text, or lacks its text
 */
export function textOfBlock(block: ContentBlock, path: string): string {
  switch (block.type) {
    case 'text':
      return required(block.text, `${path}.text`)
    case 'document':
      return titled(block, documentText(block, path))
    case 'search_result':
      return titled(block, nestedText(block.content, `${path}.content`))
    case 'tool_reference':
      return `Tool: ${required(block.tool_name, `${path}.tool_name`)}`
    default:
      throw notText(block.type, path)
  }
}

/** Reads text, or a list of blocks that are all text. */
export function nestedText(
  content: string | readonly unknown[] | null | undefined,
  path: string,
): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  const blocks = parsePart(contentBlocks, content, path)
  return joinedTexts(blocks.map((block, index) => textOfBlock(block, `${path}[${index}]`)))
}

export function required<T>(value: T | null | undefined, param: string): T {
  if (value !== undefined && value !== null) return value
  throw missingParameter(param)
}

function documentText({ source }: ContentBlock, path: string): string {
  const given = documentSource.safeParse(required(source, `${path}.source`)).data
  if (given?.type === 'text') return required(given.data, `${path}.source.data`)
  if (given?.type === 'content') return nestedText(given.content, `${path}.source.content`)
  const param = `${path}.document.source`
  const message = `${param}: this model reads documents of plain text only.`
  throw new ServiceError('unsupported_value', message, { param })
}

function titled({ title }: ContentBlock, text: string): string {
  return title ? `${title}\n${text}` : text
}

/**
 * The place of an image or a document ends in its type, as the vendor writes it: Claude Code reads
 * which block it must leave out, and sends the rest again.
 */
function notText(type: string, path: string): ServiceError {
  const param = type === 'image' ? `${path}.image` : path
  const shown = JSON.stringify(type)
  const message = `${param}: this is a text-only model, it reads no block of type ${shown}.`
  return new ServiceError('unsupported_value', message, { param })
}
