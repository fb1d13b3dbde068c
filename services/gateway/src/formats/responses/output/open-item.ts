/** One item of an answer while it grows, with the events of its kind. */
import type { AnswerPart } from '../../inference-request.ts'
import type { ItemStatus, OutputItem } from '../items/items.ts'

/** An event of the stream, not numbered yet. */
export interface ResponsesEvent {
  readonly type: string
  readonly [field: string]: unknown
}

export type TextPart = Extract<AnswerPart, { text: string }>
export type EndStatus = Exclude<ItemStatus, 'in_progress'>

/** Tells which item of which answer it is. */
export interface ItemPosition {
  readonly requestId: string
  /** The place among the items of the output. */
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
  { index }: ItemPosition,
  item: OutputItem,
): ResponsesEvent {
  return { type: `response.output_item.${step}`, output_index: index, item }
}
