/**
 * Names of a response and of its items. All are made of the request's id, so that the response that
 * an item belongs to can be told from the item's name alone.
 *
 *     resp_<body>   msg_<body>_0   fc_<body>_1   call_<body>_0   msg_<body>_i0 (an input item)
 */
import { idBody } from '@svc/contracts/ids'

/** The beginnings of ids, by the type of an item. */
const prefixes = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  additional_tools: 'at',
  compaction: 'cmp',
} as const
export type ItemType = keyof typeof prefixes

const ITEM_ID = /^[a-z]{2,4}_([0-9a-z]{26})_i?\d{1,4}$/

export function responseId(requestId: string): string {
  return `resp_${idBody(requestId)}`
}

/** @param index of the item in the output */
export function outputItemId(type: ItemType, requestId: string, index: number): string {
  return `${prefixes[type]}_${idBody(requestId)}_${index}`
}

/** @param index of the item in the input */
export function inputItemId(type: ItemType, requestId: string, index: number): string {
  return `${prefixes[type]}_${idBody(requestId)}_i${index}`
}

/** Names a call; the client sends it back with the result. */
export function callId(requestId: string, index: number): string {
  return `call_${idBody(requestId)}_${index}`
}

/** @returns undefined for an id that this service did not make */
export function responseIdOfItem(itemId: string): string | undefined {
  const body = ITEM_ID.exec(itemId)?.[1]
  return body === undefined ? undefined : `resp_${body}`
}
