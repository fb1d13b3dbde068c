/** One item of an answer while it grows, with the events of its kind. */
import type { Logprob } from '@svc/contracts/worker/protocol'
import type { AnswerPart } from '../inference-request.ts'
import { outputItemId } from './ids.ts'
import type { ItemStatus, OutputItem, OutputText } from './items.ts'
import { shownLogprobs } from './logprobs.ts'
import type { ResponsesEvent } from './output.ts'

export type TextPart = Extract<AnswerPart, { text: string }>
export type EndStatus = Exclude<ItemStatus, 'in_progress'>

/** Where the item stands. */
export interface ItemPlace {
  readonly requestId: string
  /** Among the items of the output. */
  readonly index: number
}

export interface OpenItem {
  /** Parts of this kind go on it. */
  readonly kind: TextPart['kind']
  added(): ResponsesEvent[]
  append(part: TextPart): ResponsesEvent[]
  done(status: EndStatus): ResponsesEvent[]
  item(status: ItemStatus): OutputItem
}

export function itemEvent(
  step: 'added' | 'done',
  { index }: ItemPlace,
  item: OutputItem,
): ResponsesEvent {
  return { type: `response.output_item.${step}`, output_index: index, item }
}

export class OpenMessage implements OpenItem {
  readonly kind = 'text'
  readonly #place: ItemPlace
  readonly #id: string
  readonly #logprobs: Logprob[] = []
  #text = ''

  constructor(place: ItemPlace) {
    this.#place = place
    this.#id = outputItemId('message', place.requestId, place.index)
  }

  added(): ResponsesEvent[] {
    const part: OutputText = { type: 'output_text', text: '', annotations: [], logprobs: [] }
    return [
      itemEvent('added', this.#place, this.#message('in_progress', [])),
      this.#event('response.content_part.added', { part }),
    ]
  }

  append(part: TextPart): ResponsesEvent[] {
    const { text } = part
    const logprobs = part.kind === 'text' ? (part.logprobs ?? []) : []
    this.#text += text
    this.#logprobs.push(...logprobs)
    // Written out, as this is done for every token.
    return [
      {
        type: 'response.output_text.delta',
        item_id: this.#id,
        output_index: this.#place.index,
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
      itemEvent('done', this.#place, this.item(status)),
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
    const place = { item_id: this.#id, output_index: this.#place.index, content_index: 0 }
    return { type, ...place, ...fields }
  }
}
