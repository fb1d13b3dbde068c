/** Routes that run a model, count tokens for it, or list the models. */
import { chatCompletion, chatStreamEvent } from '@svc/contracts/wire/chat'
import {
  messageAnswer,
  messagesModel,
  messagesModelList,
  messagesStreamEvent,
  tokenCountAnswer,
} from '@svc/contracts/wire/messages'
import { codexModelList, MODEL, model, modelList, modelName } from '@svc/contracts/wire/models'
import {
  compactionAnswer,
  deletedResponse,
  inputItemPage,
  inputTokensAnswer,
  responseAnswer,
  responsesStreamEvent,
} from '@svc/contracts/wire/responses'
import { z } from 'zod'
import { chatRequest } from '../../formats/chat/parse.ts'
import { countFields, messagesRequest } from '../../formats/messages/parse.ts'
import { responsesFields } from '../../formats/responses/parse.ts'
import type { Operation } from './operation.ts'

/** Other names are refused in words of their own, so the parsers read any text. */
const named = { model: modelName }

/**
 * The body with the fields that are read apart from the schema: each of their items has its own
 * type.
 */
const responsesBody = responsesFields.extend({
  ...named,
  input: z.union([z.string(), z.array(z.looseObject({ type: z.string().optional() }))]),
  tools: z.array(z.looseObject({ type: z.string() })).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
})

const question = { role: 'user', content: 'What is the capital of France?' }

const stored = 'Of a response that was stored: 30 days, unless `store` was false.'

export const inferenceOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/chat/completions',
    summary: 'Chat completions',
    tag: 'Inference',
    family: 'openai',
    body: chatRequest.extend(named),
    example: { model: MODEL, messages: [question] },
    answer: chatCompletion,
    streamEvent: chatStreamEvent,
    pro: true,
  },
  {
    method: 'post',
    path: '/v1/responses',
    summary: 'Responses',
    tag: 'Inference',
    family: 'openai',
    body: responsesBody,
    example: { model: MODEL, input: question.content },
    answer: responseAnswer,
    streamEvent: responsesStreamEvent,
    pro: true,
  },
  {
    method: 'post',
    path: '/v1/messages',
    summary: 'Messages',
    tag: 'Inference',
    family: 'anthropic',
    body: messagesRequest.extend(named),
    example: { model: MODEL, max_tokens: 100, messages: [question] },
    answer: messageAnswer,
    streamEvent: messagesStreamEvent,
  },
  {
    method: 'post',
    path: '/v1/messages/count_tokens',
    summary: 'Count the input of a Messages request',
    description: 'What the same request would be billed for as input. Free.',
    tag: 'Inference',
    family: 'anthropic',
    body: countFields.extend(named),
    example: { model: MODEL, messages: [question] },
    answer: tokenCountAnswer,
  },
  {
    method: 'post',
    path: '/v1/responses/input_tokens',
    summary: 'Count the input of a Responses request',
    description: 'What the same request would be billed for as input. Free.',
    tag: 'Inference',
    family: 'openai',
    body: responsesBody.partial(),
    answer: inputTokensAnswer,
    pro: true,
  },
  {
    method: 'post',
    path: '/v1/responses/compact',
    summary: 'Compact a conversation',
    description: 'One paid request: the model summarises the conversation.',
    tag: 'Inference',
    family: 'openai',
    body: responsesBody.partial(),
    answer: compactionAnswer,
    pro: true,
  },
  {
    method: 'get',
    path: '/v1/responses/{id}',
    summary: 'Read a response',
    description: stored,
    tag: 'Inference',
    family: 'openai',
    answer: responseAnswer,
    pro: true,
  },
  {
    method: 'delete',
    path: '/v1/responses/{id}',
    summary: 'Delete a response',
    description: stored,
    tag: 'Inference',
    family: 'openai',
    answer: deletedResponse,
    pro: true,
  },
  {
    method: 'get',
    path: '/v1/responses/{id}/input_items',
    summary: 'List the input of a response',
    description: stored,
    tag: 'Inference',
    family: 'openai',
    answer: inputItemPage,
    pro: true,
  },
  {
    method: 'get',
    path: '/v1/models',
    summary: 'List the models',
    description:
      'With an `anthropic-version` header, in the shape of the Messages format. With ' +
      '`client_version` in the query, which Codex sends, also as the `models` that Codex reads.',
    tag: 'Models',
    family: 'openai',
    answer: z.union([modelList, codexModelList, messagesModelList]),
    pro: true,
  },
  {
    method: 'get',
    path: '/v1/models/{id}',
    summary: 'Describe a model',
    description: 'With an `anthropic-version` header, in the shape of the Messages format.',
    tag: 'Models',
    family: 'openai',
    answer: z.union([model, messagesModel]),
    pro: true,
  },
]
