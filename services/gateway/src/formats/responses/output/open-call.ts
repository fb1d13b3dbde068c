/** A call of a tool while its arguments come, as an item of an answer. */
import { callId, outputItemId } from '../items/ids.ts'
import type { ItemStatus, OutputItem } from '../items/items.ts'
import { type CatalogTool, customToolInput } from '../tools/tool-catalog.ts'
import {
  type EndStatus,
  type ItemPosition,
  itemEvent,
  type OpenItem,
  type ResponsesEvent,
  type TextPart,
} from './open-item.ts'

export interface CalledTool {
  /** The name as the model wrote it. */
  readonly name: string
  readonly tool: CatalogTool | undefined
  /** The place among the calls of the answer. */
  readonly callIndex: number
}

export function openCall(position: ItemPosition, called: CalledTool): OpenItem {
  return called.tool?.kind === 'custom'
    ? new OpenCustomCall(position, called, 'custom_tool_call')
    : new OpenFunctionCall(position, called, 'function_call')
}

abstract class OpenCall implements OpenItem {
  readonly kind = 'arguments'
  readonly #position: ItemPosition
  readonly #called: CalledTool
  readonly #id: string
  protected arguments = ''

  constructor(
    position: ItemPosition,
    called: CalledTool,
    type: 'function_call' | 'custom_tool_call',
  ) {
    this.#position = position
    this.#called = called
    this.#id = outputItemId(type, position.requestId, position.index)
  }

  added(): ResponsesEvent[] {
    return [itemEvent('added', this.#position, this.item('in_progress'))]
  }

  append({ text }: TextPart): ResponsesEvent[] {
    this.arguments += text
    return this.growth(text)
  }

  done(status: EndStatus): ResponsesEvent[] {
    return [...this.end(), itemEvent('done', this.#position, this.item(status))]
  }

  abstract item(status: ItemStatus): OutputItem
  /** The events of more text. */
  protected abstract growth(text: string): ResponsesEvent[]
  /** The events of the complete text. */
  protected abstract end(): ResponsesEvent[]

  /** The fields with the caller's own names of what is called. */
  protected get fields() {
    const { name, tool, callIndex } = this.#called
    return {
      call_id: callId(this.#position.requestId, callIndex),
      name: tool?.name ?? name,
      ...(tool?.namespace === undefined ? {} : { namespace: tool.namespace }),
    }
  }

  protected get id(): string {
    return this.#id
  }

  protected event(type: string, fields: object): ResponsesEvent {
    return { type, item_id: this.#id, output_index: this.#position.index, ...fields }
  }
}

class OpenFunctionCall extends OpenCall {
  item(status: ItemStatus): OutputItem {
    const { id, fields, arguments: text } = this
    return { id, type: 'function_call', ...fields, arguments: text, status }
  }

  protected growth(delta: string): ResponsesEvent[] {
    return [this.event('response.function_call_arguments.delta', { delta })]
  }

  protected end(): ResponsesEvent[] {
    const whole = { name: this.fields.name, arguments: this.arguments }
    return [this.event('response.function_call_arguments.done', whole)]
  }
}

/**
 * The input of a custom tool is inside the model's JSON, so it is sent when the JSON is complete.
 */
class OpenCustomCall extends OpenCall {
  item(status: ItemStatus): OutputItem {
    const { id, fields } = this
    const input = status === 'in_progress' ? '' : this.#input
    return { id, type: 'custom_tool_call', ...fields, input, status }
  }

  protected growth(): ResponsesEvent[] {
    return []
  }

  protected end(): ResponsesEvent[] {
    const input = this.#input
    return [
      this.event('response.custom_tool_call_input.delta', { delta: input }),
      this.event('response.custom_tool_call_input.done', { input }),
    ]
  }

  get #input(): string {
    return customToolInput(this.arguments)
  }
}
