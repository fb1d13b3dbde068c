/** Every route that callers with a key have, with the contracts of its body and its answers. */
import { balanceAnswer, receipt } from '@svc/contracts/wire/billing'
import { chatCompletion, chatStreamEvent } from '@svc/contracts/wire/chat'
import {
  consistencyAnswer,
  consistencyQuery,
  EVIDENCE_MEDIA,
  evidenceQuery,
  evidenceText,
  inclusionAnswer,
  inclusionQuery,
} from '@svc/contracts/wire/evidence'
import {
  exportMedia,
  exportText,
  requestsExportQuery,
  statementExportQuery,
  usageExportQuery,
} from '@svc/contracts/wire/exports'
import {
  messageAnswer,
  messagesModel,
  messagesModelList,
  messagesStreamEvent,
  tokenCountAnswer,
} from '@svc/contracts/wire/messages'
import { codexModelList, MODEL, model, modelList, modelName } from '@svc/contracts/wire/models'
import { priceList } from '@svc/contracts/wire/prices'
import {
  requestsAnswer,
  requestsQuery,
  requestTotalsAnswer,
  requestTotalsQuery,
} from '@svc/contracts/wire/requests'
import {
  compactionAnswer,
  deletedResponse,
  inputItemPage,
  inputTokensAnswer,
  responseAnswer,
  responsesStreamEvent,
} from '@svc/contracts/wire/responses'
import { statementAnswer, statementQuery } from '@svc/contracts/wire/statement'
import { keyAnswer, usageAnswer, usageQuery } from '@svc/contracts/wire/usage'
import { z } from 'zod'
import { chatRequest } from '../formats/chat/parse.ts'
import { countFields, messagesRequest } from '../formats/messages/parse.ts'
import { responsesFields } from '../formats/responses/parse.ts'

export interface Operation {
  readonly method: 'get' | 'post' | 'delete'
  /** The path, with `{name}` for what varies. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly tag: 'Inference' | 'Models' | 'Billing' | 'Evidence'
  readonly family: 'openai' | 'anthropic'
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** A body that works. */
  readonly example?: object
  readonly answer: z.ZodType
  /** The media types that the answer can have; the default is JSON. */
  readonly media?: string | readonly string[]
  /** The shape of each event when `stream` is true in the body. */
  readonly streamEvent?: z.ZodType
  /** Whether the route is also served under `/pro`. */
  readonly pro?: true
}

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

const listMedia = [exportMedia.csv, exportMedia.jsonl]
const exported =
  'All rows that were asked for, of any number, between a head (account, period, zone, filter, ' +
  'position in the ledger) and an end with the SHA-256 of the rows as lines of JSON.'

export const operations: readonly Operation[] = [
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
  {
    method: 'get',
    path: '/v1/prices',
    summary: 'What tokens cost',
    description:
      'The price in force and the next one that is announced. With a key, what its account pays. ' +
      'Without a key, unless the server keeps prices to customers, what a new account would pay.',
    tag: 'Billing',
    family: 'openai',
    answer: priceList,
  },
  {
    method: 'get',
    path: '/v1/balance',
    summary: 'What is left',
    tag: 'Billing',
    family: 'openai',
    answer: balanceAnswer,
  },
  {
    method: 'get',
    path: '/v1/requests/{id}',
    summary: 'The receipt of a request',
    description:
      'Tokens, prices, arithmetic, and the events in the ledger that say so. The id is that of ' +
      'the request, `req_…`, or of its answer: `chatcmpl-…`, `resp_…`, `msg_…`.',
    tag: 'Billing',
    family: 'openai',
    answer: receipt,
  },
  {
    method: 'get',
    path: '/v1/requests',
    summary: 'The requests of the account',
    description: 'The newest first, by time, key, model, format and status.',
    tag: 'Billing',
    family: 'openai',
    query: requestsQuery,
    answer: requestsAnswer,
  },
  {
    method: 'get',
    path: '/v1/requests/totals',
    summary: 'What the requests of the account come to',
    description:
      'Of all requests that the list shows with the same fields, by status: how many, their ' +
      'tokens and their exact cost. A period begins and ends on a quarter of an hour.',
    tag: 'Billing',
    family: 'openai',
    query: requestTotalsQuery,
    answer: requestTotalsAnswer,
  },
  {
    method: 'get',
    path: '/v1/statement',
    summary: 'The statement of the account',
    description: 'Every movement, the oldest first, with the balance after it.',
    tag: 'Billing',
    family: 'openai',
    query: statementQuery,
    answer: statementAnswer,
  },
  {
    method: 'get',
    path: '/v1/usage',
    summary: 'What the account used',
    description:
      'Requests, tokens and money of the account, by months, days, hours or quarters of an hour ' +
      'of any time zone, and by key, model, format and class of tokens. Requests count when they ' +
      'are charged.',
    tag: 'Billing',
    family: 'openai',
    query: usageQuery,
    answer: usageAnswer,
  },
  {
    method: 'get',
    path: '/v1/exports/statement',
    summary: 'The statement as a file',
    description: `${exported} \`html\` is a page to print.`,
    tag: 'Billing',
    family: 'openai',
    query: statementExportQuery,
    answer: exportText,
    media: [...listMedia, exportMedia.html],
  },
  {
    method: 'get',
    path: '/v1/exports/requests',
    summary: 'The requests as a file',
    description: exported,
    tag: 'Billing',
    family: 'openai',
    query: requestsExportQuery,
    answer: exportText,
    media: listMedia,
  },
  {
    method: 'get',
    path: '/v1/exports/usage',
    summary: 'The usage as a file',
    description: exported,
    tag: 'Billing',
    family: 'openai',
    query: usageExportQuery,
    answer: exportText,
    media: listMedia,
  },
  {
    method: 'get',
    path: '/v1/key',
    summary: 'The key itself',
    description: 'Its name, when it was made and last used, and what it has spent.',
    tag: 'Billing',
    family: 'openai',
    answer: keyAnswer,
  },
  {
    method: 'get',
    path: '/v1/evidence',
    summary: 'The evidence of the account',
    description:
      'All events of the account as they are stored, and the proof that the log holds them, for ' +
      '`svc verify-evidence` and programs of others. JSON Lines.',
    tag: 'Evidence',
    family: 'openai',
    query: evidenceQuery,
    answer: evidenceText,
    media: EVIDENCE_MEDIA,
  },
  {
    method: 'get',
    path: '/v1/requests/{id}/evidence',
    summary: 'The evidence of a request',
    description: 'Its events, with the proof that the log holds them. JSON Lines.',
    tag: 'Evidence',
    family: 'openai',
    query: evidenceQuery,
    answer: evidenceText,
    media: EVIDENCE_MEDIA,
  },
  {
    method: 'get',
    path: '/evidence/checkpoint',
    summary: 'The last checkpoint of the log',
    description: 'A signed note (C2SP tlog-checkpoint): how many events there are, and their root.',
    tag: 'Evidence',
    family: 'openai',
    answer: evidenceText,
    media: 'text/plain',
  },
  {
    method: 'get',
    path: '/evidence/key',
    summary: 'The public key of the log',
    tag: 'Evidence',
    family: 'openai',
    answer: evidenceText,
    media: 'text/plain',
  },
  {
    method: 'get',
    path: '/evidence/inclusion',
    summary: 'Shows that a leaf is in the tree (RFC 6962)',
    tag: 'Evidence',
    family: 'openai',
    query: inclusionQuery,
    answer: inclusionAnswer,
  },
  {
    method: 'get',
    path: '/evidence/consistency',
    summary: 'Shows that one tree is the beginning of another (RFC 6962)',
    tag: 'Evidence',
    family: 'openai',
    query: consistencyQuery,
    answer: consistencyAnswer,
  },
]
