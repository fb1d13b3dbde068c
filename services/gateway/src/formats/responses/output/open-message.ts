/** What the model says, as an item of an answer while it grows. */
import type { Logprob } from '@svc/contracts/worker/protocol'
import { outputItemId } from '../items/ids.ts'
import { type ItemStatus, type OutputItem, type OutputText, shownLogprobs } from '../items/items.ts'
import {
  type EndStatus,
  type ItemPosition,
  itemEvent,
  type OpenItem,
  type ResponsesEvent,
  type TextPart,
} from './open-item.ts'

export class OpenMessage implements OpenItem {
  readonly kind = 'text'
  readonly #position: ItemPosition
  readonly #id: string
  readonly #logprobs: Logprob[] = []
  #text = ''

  constructor(position: ItemPosition) {
    this.#position = position
    this.#id = outputItemId('message', position.requestId, position.index)
  }

  added(): ResponsesEvent[] {
    const part: OutputText = { type: 'output_text', text: '', annotations: [], logprobs: [] }
    return [
      itemEvent('added', this.#position, this.#message('in_progress', [])),
      this.#event('response.content_part.added', { part }),
    ]
  }

  append(part: TextPart): ResponsesEvent[] {
    const { text } = part
    const logprobs = part.kind === 'text' ? (part.logprobs ?? []) : []
    this.#text += text
    this.#logprobs.push(...logprobs)
    // The event is written out, because this is done for every token.
    return [
      {
        type: 'response.output_text.delta',
        item_id: this.#id,
        output_index: this.#position.index,
        content_index: 0,
        delta: text,
        logprobs: shownLogprobs(logprobs),
      },
    ]
  }

  done(status: EndStatus): ResponsesEvent[] {
    const part = this.#part()
    return [
      this.#event('response.output_text.done', { text: part.text, logprobs: part.logprobs }),
      this.#event('response.content_part.done', { part }),
      itemEvent('done', this.#position, this.item(status)),
    ]
  }

  item(status: ItemStatus): OutputItem {
    return this.#message(status, [this.#part()])
  }

  #message(status: ItemStatus, content: readonly OutputText[]): OutputItem {
    return { id: this.#id, type: 'message', role: 'assistant', status, content }
  }

  #part(): OutputText {
    const logprobs = shownLogprobs(this.#logprobs)
    return { type: 'output_text', text: this.#text, annotations: [], logprobs }
  }

  #event(type: string, fields: object): ResponsesEvent {
    const position = { item_id: this.#id, output_index: this.#position.index, content_index: 0 }
    return { type, ...position, ...fields }
  }
}
