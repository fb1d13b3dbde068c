/**
 * What the model thought, as an item of an answer while it grows: as one part of a summary, which
 * every client shows, as the thoughts themselves, or as both. Each form has events of its own.
 */
import { outputItemId } from '../items/ids.ts'
import type { OutputItem, ReasoningItem } from '../items/items.ts'
import {
  type ItemPosition,
  itemEvent,
  type OpenItem,
  type ResponsesEvent,
  type TextPart,
} from './open-item.ts'

/** The forms in which the caller wants to be shown thoughts. */
export interface ReasoningForms {
  readonly summary: boolean
  /** The thoughts themselves, as parts of type `reasoning_text`. */
  readonly content: boolean
  /** Seals them for the way back; undefined where that was not asked for. */
  readonly encrypt: ((text: string) => string) | undefined
}

export class OpenReasoning implements OpenItem {
  readonly kind = 'reasoning'
  readonly #position: ItemPosition
  readonly #id: string
  readonly #forms: ReasoningForms
  #text = ''
  #sealed: { readonly text: string; readonly content: string } | undefined

  constructor(position: ItemPosition, forms: ReasoningForms) {
    this.#position = position
    this.#forms = forms
    this.#id = outputItemId('reasoning', position.requestId, position.index)
  }

  added(): ResponsesEvent[] {
    const empty = { id: this.#id, type: 'reasoning', summary: [] } as const
    const item = this.#forms.content ? { ...empty, content: [] } : empty
    return [
      itemEvent('added', this.#position, item),
      ...this.#events('summary_part.added', 'content_part.added', (type) => ({
        part: { type, text: '' },
      })),
    ]
  }

  append({ text }: TextPart): ResponsesEvent[] {
    this.#text += text
    return this.#events('summary_text.delta', 'reasoning_text.delta', () => ({ delta: text }))
  }

  done(): ResponsesEvent[] {
    const text = this.#text
    return [
      ...this.#events('summary_text.done', 'reasoning_text.done', () => ({ text })),
      ...this.#events('summary_part.done', 'content_part.done', (type) => ({
        part: { type, text },
      })),
      itemEvent('done', this.#position, this.item()),
    ]
  }

  item(): OutputItem {
    const { summary, content, encrypt } = this.#forms
    const text = this.#text
    const item: ReasoningItem = {
      id: this.#id,
      type: 'reasoning',
      summary: summary ? [{ type: 'summary_text', text }] : [],
    }
    return {
      ...item,
      ...(content ? { content: [{ type: 'reasoning_text', text }] } : {}),
      ...(encrypt === undefined ? {} : { encrypted_content: this.#sealedBy(encrypt) }),
    }
  }

  /** The item is shown twice, in its own event and in the response: with the same content. */
  #sealedBy(encrypt: (text: string) => string): string {
    const text = this.#text
    if (this.#sealed?.text !== text) this.#sealed = { text, content: encrypt(text) }
    return this.#sealed.content
  }

  /** The event of each form that is shown. */
  #events(
    summaryStep: string,
    contentStep: string,
    fields: (type: 'summary_text' | 'reasoning_text') => object,
  ): ResponsesEvent[] {
    const position = { item_id: this.#id, output_index: this.#position.index }
    const events: ResponsesEvent[] = []
    if (this.#forms.summary) {
      const type = `response.reasoning_${summaryStep}`
      events.push({ type, ...position, summary_index: 0, ...fields('summary_text') })
    }
    if (this.#forms.content) {
      const type = `response.${contentStep}`
      events.push({ type, ...position, content_index: 0, ...fields('reasoning_text') })
    }
    return events
  }
}
