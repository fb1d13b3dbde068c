/** Routes that show prices, the balance, requests and what they cost. */
import { balanceAnswer, receipt } from '@svc/contracts/wire/billing'
import {
  exportMedia,
  exportText,
  requestsExportQuery,
  statementExportQuery,
  usageExportQuery,
} from '@svc/contracts/wire/exports'
import { priceList } from '@svc/contracts/wire/prices'
import {
  requestsAnswer,
  requestsQuery,
  requestTotalsAnswer,
  requestTotalsQuery,
} from '@svc/contracts/wire/requests'
import { statementAnswer, statementQuery } from '@svc/contracts/wire/statement'
import { keyAnswer, usageAnswer, usageQuery } from '@svc/contracts/wire/usage'
import type { Operation } from './operation.ts'

const listMedia = [exportMedia.csv, exportMedia.jsonl]
const exported =
  'All rows that were asked for, of any number, between a head (account, period, zone, filter, ' +
  'position in the ledger) and an end with the SHA-256 of the rows as lines of JSON.'

export const billingOperations: readonly Operation[] = [
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
]
