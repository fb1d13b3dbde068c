/**
 * The items of an answer, as they grow out of its parts, and the events that tell of it. A new item
 * begins where the kind of the parts changes; only one is open at a time.
 */
import type { AnswerPart } from '../../inference-request.ts'
import type { OutputItem } from '../items/items.ts'
import type { ToolCatalog } from '../tools/tool-catalog.ts'
import { openCall } from './open-call.ts'
import type { OpenItem, ResponsesEvent } from './open-item.ts'
import { OpenMessage } from './open-message.ts'
import { OpenReasoning, type ReasoningForms } from './open-reasoning.ts'

export interface OutputOptions {
  readonly requestId: string
  readonly catalog: ToolCatalog
  readonly reasoning: ReasoningForms
}

export class Output {
  readonly #options: OutputOptions
  readonly #items: OutputItem[] = []
  #open: OpenItem | undefined

  constructor(options: OutputOptions) {
    this.#options = options
  }

  /** Takes a part in. @returns the events that tell of it */
  take(part: AnswerPart): ResponsesEvent[] {
    if (part.kind === 'tool_call') {
      const { requestId, catalog } = this.#options
      const called = { name: part.name, tool: catalog.called(part.name), callIndex: part.index }
      return this.#begin(openCall({ requestId, index: this.#nextIndex() }, called))
    }
    if (part.kind === 'arguments') return this.#open?.append(part) ?? []
    if (part.text === '' && !part.logprobs?.length) return []
    const events = this.#open?.kind === part.kind ? [] : this.#begin(this.#openText(part.kind))
    return [...events, ...(this.#open?.append(part) ?? [])]
  }

  /**
   * Closes what is open.
   *
   * @param cut whether the answer was cut at its limit: then its last item is not complete
   */
  end(cut: boolean): ResponsesEvent[] {
    const events = this.#close(cut ? 'incomplete' : 'completed')
    const answered = this.#items.some(({ type }) => type !== 'reasoning')
    // Clients look for a message where nothing was called, also when it says nothing.
    if (answered || cut) return events
    return [...events, ...this.#begin(this.#openText('text')), ...this.#close('completed')]
  }

  /** The items so far. One that is still open is not complete. */
  items(): readonly OutputItem[] {
    return this.#open === undefined ? this.#items : [...this.#items, this.#open.item('incomplete')]
  }

  #openText(kind: 'text' | 'reasoning'): OpenItem {
    const { requestId, reasoning } = this.#options
    const position = { requestId, index: this.#nextIndex() }
    return kind === 'text' ? new OpenMessage(position) : new OpenReasoning(position, reasoning)
  }

  #nextIndex(): number {
    return this.#items.length + (this.#open === undefined ? 0 : 1)
  }

  #begin(item: OpenItem): ResponsesEvent[] {
    const events = this.#close('completed')
    this.#open = item
    return [...events, ...item.added()]
  }

  #close(status: 'completed' | 'incomplete'): ResponsesEvent[] {
    const open = this.#open
    if (open === undefined) return []
    this.#open = undefined
    this.#items.push(open.item(status))
    return open.done(status)
  }
}
