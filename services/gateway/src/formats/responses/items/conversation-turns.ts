/** Items as the turns that all formats share. */
import { ServiceError } from '@svc/contracts/errors'
import { type FieldPath, pathText } from '@svc/contracts/field-path'
import type { Turn } from '../../conversation.ts'
import { modelToolName } from '../tools/tool-catalog.ts'
import { boundedText } from './content.ts'
import type { EncryptedContent } from './encrypted-content.ts'
import type { Compaction, Item } from './items.ts'
import type { ReadItem } from './read-items.ts'

const SUMMARY_HEADING = 'Summary of the conversation so far:\n'

/**
 * Makes the turns that go into the prompt. Items that say nothing to the model give no turn.
 *
 * @throws {ServiceError} naming the item whose encrypted content cannot be used
 */
export function turnsOf(items: readonly ReadItem[], encrypted: EncryptedContent): Turn[] {
  const thoughts = thoughtsOfAnswers(items)
  return items.flatMap((each) => {
    const { item, path } = each
    if (item.type === 'reasoning' && !thoughts.has(each)) return []
    if (item.type !== 'compaction') return turnOf(item, pathText([...path, 'call_id']))
    const summary = summaryOf(item, path, encrypted)
    return [{ kind: 'user', text: SUMMARY_HEADING + summary }]
  })
}

function summaryOf(
  { encrypted_content: content }: Compaction,
  path: FieldPath,
  encrypted: EncryptedContent,
): string {
  const summary = encrypted.read('compaction', content, path)
  if (summary !== undefined) return boundedText(summary, path)
  const message =
    'The compaction was made by another service or an older version of this one, so it cannot ' +
    'be read: compact the conversation again.'
  const param = pathText([...path, 'encrypted_content'])
  throw new ServiceError('unsupported_value', message, { param })
}

/** Thoughts belong to what was said or called after them; alone they would be a turn of nothing. */
function thoughtsOfAnswers(items: readonly ReadItem[]): ReadonlySet<ReadItem> {
  const thoughts = new Set<ReadItem>()
  let isAnswerNext = false
  for (const each of items.toReversed()) {
    if (each.item.type !== 'reasoning') isAnswerNext = isAnswer(each.item)
    else if (isAnswerNext) thoughts.add(each)
  }
  return thoughts
}

function isAnswer(item: Item): boolean {
  if (item.type === 'message') return item.role === 'assistant'
  return item.type === 'function_call' || item.type === 'custom_tool_call'
}

/** @param param the field that names the call of a result, for error messages */
function turnOf(item: Exclude<Item, Compaction>, param: string): Turn[] {
  switch (item.type) {
    case 'message': {
      const text = item.content.map((part) => ('text' in part ? part.text : part.refusal)).join('')
      if (item.role === 'assistant' || item.role === 'user') return [{ kind: item.role, text }]
      return [{ kind: 'system', text }]
    }
    case 'reasoning': {
      const parts = item.content?.length ? item.content : item.summary
      const reasoning = parts.map(({ text }) => text).join('\n\n')
      return reasoning === '' ? [] : [{ kind: 'assistant', text: '', reasoning }]
    }
    case 'function_call':
      return [callTurn(item, item.arguments)]
    case 'custom_tool_call':
      return [callTurn(item, JSON.stringify({ input: item.input }))]
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [{ kind: 'tool', callId: item.call_id, text: item.output, param }]
    case 'additional_tools':
      return []
  }
}

function callTurn(
  call: { readonly call_id: string; readonly name: string; readonly namespace?: string },
  text: string,
): Turn {
  const name = modelToolName(call.namespace, call.name)
  return { kind: 'assistant', text: '', calls: [{ id: call.call_id, name, arguments: text }] }
}
