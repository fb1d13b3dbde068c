/** `input` as items: every kind that clients send, checked, and reduced to what is understood. */
import { ServiceError } from '@svc/contracts/errors'
import { type FieldPath, pathText, valueAt } from '@svc/contracts/field-path'
import type { JsonObject } from '@svc/contracts/strict-json'
import { z } from 'zod'
import { TURNS_MAX } from '../../conversation-bounds.ts'
import { missingParameter, parseField, typeAt } from '../../fields.ts'
import { keptTools } from '../tools/tools.ts'
import { boundedText, textsOf } from './content.ts'
import type { EncryptedContent } from './encrypted-content.ts'
import { type ItemType, inputItemId } from './ids.ts'
import {
  callOutputItem,
  compactionItem,
  customCallItem,
  functionCallItem,
  type Item,
  messageItem,
  reasoningItem,
  referenceItem,
  untypedItem,
} from './items.ts'

/**
 * The kinds that other services put into a history: calls of tools that run on the server and their
 * results, and settings. A model that has no such tools makes nothing of them.
 */
const foreignKinds =
  'web_search|file_search|computer|image_generation|code_interpreter|mcp|local_shell|shell|' +
  'apply_patch|tool_search'
const FOREIGN_ITEM = new RegExp(
  `^(?:(?:${foreignKinds})_[a-z_]+|program(?:_output)?|configuration_update)$`,
)

/** An item, and where in the body it stands. */
export interface ReadItem {
  readonly item: Item
  readonly path: FieldPath
}

export interface ReadItemsContext {
  readonly requestId: string
  readonly encrypted: EncryptedContent
  /** Finds an item of a stored response. */
  readonly before: { item(itemId: string): Promise<Item | undefined> }
}

const inputField = z.union([z.string(), z.array(z.unknown()).max(TURNS_MAX)])

/**
 * Each item once, where it stands first.
 *
 * @throws {ServiceError} naming the item that cannot be honoured
 */
export async function readItems(
  body: JsonObject,
  context: ReadItemsContext,
): Promise<readonly ReadItem[]> {
  if (body.input === undefined || body.input === null) throw missingParameter('input')
  const input = parseField(inputField, body, ['input'])
  if (typeof input === 'string') {
    const id = inputItemId('message', context.requestId, 0)
    const content = [{ type: 'input_text' as const, text: boundedText(input, ['input']) }]
    return [
      {
        item: { id, type: 'message', role: 'user', status: 'completed', content },
        path: ['input'],
      },
    ]
  }
  const items = new Map<string, ReadItem>()
  const callsLeftOut = new Set<unknown>()
  for (const index of input.keys()) {
    const path = ['input', index]
    const item = await new ItemReader(body, path, context).read(index)
    if (item === undefined) callsLeftOut.add(valueAt(body, [...path, 'call_id']))
    else if (isResult(item) && callsLeftOut.has(item.call_id)) continue
    // Only references can repeat an id. An item that is listed twice would be no place where a page
    // can end.
    else if (!items.has(item.id)) items.set(item.id, { item, path })
  }
  return [...items.values()]
}

/** Some calls of tools on the server have a result of the same kind as a function's. */
function isResult(item: Item): item is Extract<Item, { call_id: string; output: string }> {
  return item.type === 'function_call_output' || item.type === 'custom_tool_call_output'
}

class ItemReader {
  readonly #body: JsonObject
  readonly #path: FieldPath
  readonly #context: ReadItemsContext

  constructor(body: JsonObject, path: FieldPath, context: ReadItemsContext) {
    this.#body = body
    this.#path = path
    this.#context = context
  }

  /** @returns undefined for an item that is left out */
  async read(index: number): Promise<Item | undefined> {
    const type = typeAt(this.#body, this.#path) ?? this.#untyped()
    const id = (kind: ItemType) => inputItemId(kind, this.#context.requestId, index)
    switch (type) {
      case 'message':
        return this.#message(id(type))
      case 'reasoning':
        return this.#reasoning(id(type))
      case 'function_call':
        return this.#functionCall(id(type))
      case 'custom_tool_call':
        return this.#customCall(id(type))
      case 'function_call_output':
      case 'custom_tool_call_output':
        return this.#callOutput(type, id(type))
      case 'additional_tools': {
        const tools = keptTools(this.#body, [...this.#path, 'tools'])
        return { id: id(type), type, role: 'developer', tools }
      }
      case 'compaction': {
        const { encrypted_content } = this.#parse(compactionItem)
        return { id: id(type), type, encrypted_content }
      }
      case 'item_reference':
        return this.#reference()
      default:
        if (FOREIGN_ITEM.test(type)) return undefined
        throw this.#unsupported(type)
    }
  }

  #parse<Schema extends z.ZodType>(schema: Schema): z.output<Schema> {
    return parseField(schema, this.#body, this.#path)
  }

  /** Clients leave the type of messages and of references away. */
  #untyped(): string {
    const { role, id } = this.#parse(untypedItem)
    if (role !== undefined) return 'message'
    if (typeof id === 'string') return 'item_reference'
    throw missingParameter(pathText([...this.#path, 'type']))
  }

  #message(id: string): Item {
    const { role, content, status, phase } = this.#parse(messageItem)
    const texts = textsOf(content, [...this.#path, 'content'])
    if (role === 'assistant') {
      return {
        id,
        type: 'message',
        role,
        status: status ?? 'completed',
        content: texts.map((text) => ({
          type: 'output_text',
          text,
          annotations: [],
          logprobs: [],
        })),
        ...(phase ? { phase } : {}),
      }
    }
    return {
      id,
      type: 'message',
      role,
      status: 'completed',
      content: texts.map((text) => ({ type: 'input_text', text })),
    }
  }

  /**
   * Reads a thought. What another service has encrypted says nothing to us, and harms nothing: then
   * the summary counts. An older version of this service put the same text into both.
   */
  #reasoning(id: string): Item {
    const { summary, content, encrypted_content } = this.#parse(reasoningItem)
    const carried = encrypted_content
      ? this.#context.encrypted.read('reasoning', encrypted_content, this.#path)
      : undefined
    const raw = textsOf(content ?? [], [...this.#path, 'content'])
    const summaries = textsOf(summary ?? [], [...this.#path, 'summary'])
    const texts = raw.length > 0 ? raw : carried === undefined ? summaries : [carried]
    return {
      id,
      type: 'reasoning',
      summary: texts.map((text) => ({
        type: 'summary_text',
        text: boundedText(text, this.#path),
      })),
    }
  }

  #functionCall(id: string): Item {
    const { namespace, status, ...call } = this.#parse(functionCallItem)
    boundedText(call.arguments, [...this.#path, 'arguments'])
    return {
      id,
      type: 'function_call',
      ...call,
      ...(namespace ? { namespace } : {}),
      status: status ?? 'completed',
    }
  }

  #customCall(id: string): Item {
    const { namespace, status, ...call } = this.#parse(customCallItem)
    boundedText(call.input, [...this.#path, 'input'])
    return {
      id,
      type: 'custom_tool_call',
      ...call,
      ...(namespace ? { namespace } : {}),
      status: status ?? 'completed',
    }
  }

  #callOutput(type: 'function_call_output' | 'custom_tool_call_output', id: string): Item {
    const { call_id, output } = this.#parse(callOutputItem)
    const text = textsOf(output, [...this.#path, 'output']).join('')
    return { id, type, call_id, output: text, status: 'completed' }
  }

  async #reference(): Promise<Item> {
    const { id } = this.#parse(referenceItem)
    const item = await this.#context.before.item(id)
    if (item !== undefined) return item
    const param = pathText([...this.#path, 'id'])
    const message =
      'No stored item has this id. Send the item itself, or let the response that made it be stored.'
    throw new ServiceError('invalid_value', message, { param })
  }

  #unsupported(type: string): ServiceError {
    const param = pathText([...this.#path, 'type'])
    const shown = JSON.stringify(type.slice(0, 64))
    const message = `Items of type ${shown} are not supported.`
    return new ServiceError('unsupported_value', message, { param })
  }
}
