/**
 * `POST /v1/responses/compact`: a conversation in fewer tokens.
 *
 * It is one ordinary request, billed as such: the model is asked to summarise. What comes back is
 * the messages of the user as they were, and a `compaction` item that carries the summary; sent
 * back as input, the item stands for all that it summarises. Nothing simpler would be honest: a
 * compaction without the model could only cut, and one that is not billed would be free inference.
 */

import type { JsonObject } from '@svc/contracts/strict-json'
import type { PromptMessage } from '@svc/contracts/worker/protocol'
import type { InferenceFormat } from '../inference-request.ts'
import type { ResponsesFormatPorts } from './format.ts'
import { EncryptedContent } from './items/encrypted-content.ts'
import { outputItemId, responseId } from './items/ids.ts'
import type { Item, OutputItem } from './items/items.ts'
import { parseResponsesRequest } from './parse.ts'
import { responsesUsage } from './response-object.ts'
import { ResponseStore } from './response-store.ts'

const TASK =
  'Summarise the conversation so far, so that it can go on from the summary alone. Keep the goal, ' +
  'decisions, facts, names, numbers, file paths, results of tools and open tasks. Write only the ' +
  'summary.'

/** The fields that the conversation is made of. No other field of the request counts. */
const conversationFields = ['model', 'input', 'instructions', 'previous_response_id'] as const

export function compactFormat(ports: ResponsesFormatPorts): InferenceFormat {
  const store = new ResponseStore(ports)
  return {
    name: 'responses',
    async parse(body, context) {
      const { request, conversation } = await parseResponsesRequest(
        conversationOnly(body),
        context,
        { ...ports, store },
      )
      const encrypted = new EncryptedContent(ports.textSeal, context.accountId)
      return {
        request: { ...request, messages: withTask(request.messages) },
        render(heading, parts, ending) {
          const summary = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
          const kept = conversation.filter(isUserMessage)
          const compaction: OutputItem = {
            id: outputItemId('compaction', heading.requestId, kept.length),
            type: 'compaction',
            encrypted_content: encrypted.write('compaction', summary),
          }
          return JSON.stringify({
            id: responseId(heading.requestId),
            object: 'response.compaction',
            created_at: heading.createdAt,
            output: [...kept, compaction],
            usage: responsesUsage(ending),
          })
        },
        stream() {
          throw new Error('a compaction is not streamed')
        },
      }
    },
  }
}

function conversationOnly(body: JsonObject): JsonObject {
  // An input is optional here: the responses before can be all there is.
  const input = body.previous_response_id ? [] : undefined
  const fields = conversationFields.map((field) => [field, body[field]])
  return { input, ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)) }
}

/** Adds the task to the conversation. Many templates insist that user and assistant take turns. */
function withTask(messages: readonly PromptMessage[]): PromptMessage[] {
  const last = messages.at(-1)
  if (last?.role !== 'user') return [...messages, { role: 'user', content: TASK }]
  return [...messages.slice(0, -1), { role: 'user', content: `${last.content}\n\n${TASK}` }]
}

function isUserMessage(item: Item): boolean {
  return item.type === 'message' && item.role === 'user'
}
