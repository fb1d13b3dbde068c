/**
 * `svc explain`: from a request to its tokens, its price, the arithmetic and the events behind it.
 */

import type { RefusalDetails } from '@svc/contracts/admin/billing'
import type { Operations } from '@svc/contracts/admin/operations'
import { ServiceError } from '@svc/contracts/errors'
import { unpaidOf } from '@svc/contracts/wire/unpaid'
import { Command } from 'commander'
import type { Context } from '../../context/context.ts'
import { cacheFacts } from '../../output/cache-words.ts'
import { factsText } from '../../output/facts.ts'
import { tableText } from '../../output/table.ts'
import type { ContextOf } from '../options.ts'

type Explanation = Awaited<ReturnType<Operations['explain']>>

export function explainCommand(contextOf: ContextOf): Command {
  return new Command('explain')
    .description('why a request cost what it cost, or why it was refused')
    .argument('<request>', 'id of the request or of its answer: req_…, chatcmpl-…, resp_…, msg_…')
    .action(async (requestId: string, _options, command: Command) => {
      const context = contextOf(command)
      await context.withOperations(async (operations) => {
        const request = await found(operations.explain({ request_id: requestId }))
        if (request === undefined) return explainRefusal(context, operations, requestId)
        if (context.json) return context.outJson('request/1', request)
        await context.out(explanationText(context, request))
      })
    })
}

/** Explains a request that was refused: it has cost nothing, and has no receipt. */
async function explainRefusal(
  context: Context,
  operations: Operations,
  requestId: string,
): Promise<void> {
  const refusal = await found(operations.explainRefusal({ request_id: requestId }))
  if (refusal === undefined) {
    const message = `There is no request ${requestId}, and none was refused within thirty days.`
    throw new ServiceError('not_found', message, { param: 'request_id' })
  }
  if (context.json) return context.outJson('refused-request/1', refusal)
  await context.out(factsText(refusalFacts(refusal), context.terminal.columns))
}

async function found<Answer>(question: Promise<Answer>): Promise<Answer | undefined> {
  return question.catch((cause) => {
    if (cause instanceof ServiceError && cause.code === 'not_found') return undefined
    throw cause
  })
}

function refusalFacts(refusal: RefusalDetails): (readonly [string, string])[] {
  const { account_id: account, key_id: key, model, message } = refusal
  return [
    ['request', refusal.id],
    ['account', account ?? 'none: it came without a valid key'],
    ...(key === null ? [] : [['key', key] as const]),
    ['status', `refused with ${refusal.status} ${refusal.code}; nothing was charged`],
    ['model', `${model ?? 'not read'}, ${refusal.format} format`],
    ['refused', refusal.refused_at],
    ['why', refusal.meaning],
    ...(message === null ? [] : [['said', message] as const]),
  ]
}

function explanationText(context: Context, request: Explanation): string {
  return [
    factsText(factsOf(request), context.terminal.columns),
    arithmeticText(context, request),
    tableText(
      context,
      [
        { title: 'EVENT', text: (event) => event.type },
        { title: 'STREAM', text: (event) => event.stream },
        { title: 'REVISION', align: 'right', text: (event) => `${event.revision}` },
        { title: 'ID', leftOut: 2, text: (event) => event.id },
        { title: 'HASH', leftOut: 1, text: (event) => event.hash },
      ],
      request.events,
    ),
  ].join('\n')
}

function factsOf(request: Explanation): (readonly [string, string])[] {
  const { price, timings, reason } = request
  return [
    ['request', request.id],
    ['account', request.account_id],
    ['key', `${request.key_id} (${request.key_name ?? 'unknown'})`],
    ['status', reason === null ? request.status : `${request.status} (${reason})`],
    ['model', `${request.model}, ${request.format} format`],
    ['accepted', timings.accepted_at],
    ['ended', timings.ended_at ?? 'still running'],
    ['price', `${price.version}, pinned when the request was accepted`],
    ['in force', `from ${price.effective_from ?? 'a time that is not known here'} on`],
    ...cacheFacts(request),
    ['held', `${request.hold} USD while it ran`],
    ...request.grants.map(
      (slice) => ['paid from', `${slice.grant_id}: ${slice.amount} USD`] as const,
    ),
    ...debtFacts(request),
    ...refundFacts(request),
    [
      'balance',
      request.balance_after === null ? 'not debited' : `${request.balance_after} USD after it`,
    ],
  ]
}

function debtFacts(request: Explanation): (readonly [string, string])[] {
  const unpaid = unpaidOf(request)
  return unpaid === null ? [] : [['owed', `${unpaid} USD, which the next credit pays first`]]
}

function refundFacts({ refunds, refunded }: Explanation): (readonly [string, string])[] {
  if (refunds.length === 0) return []
  const each = refunds.map(
    ({ refund_id, amount, reason, at }) =>
      ['refund', `${amount} USD on ${at}, ${refund_id}: ${reason}`] as const,
  )
  return [...each, ['refunded', `${refunded} USD in all`]]
}

/** The three lines and their sum, so that anybody can add up again. */
function arithmeticText(context: Context, request: Explanation): string {
  if (request.lines.length === 0) return 'nothing was charged\n'
  const lines = request.lines.map((line) => ({
    what: line.class.replace('_', ' '),
    tokens: `${line.tokens}`,
    price: `× ${line.price}`,
    amount: `= ${line.amount}`,
  }))
  const sum = { what: 'total', tokens: '', price: '', amount: `= ${request.amount}` }
  return tableText(
    context,
    [
      { title: 'CLASS', text: (line) => line.what },
      { title: 'TOKENS', align: 'right', text: (line) => line.tokens },
      { title: 'USD PER MILLION', align: 'decimal', text: (line) => line.price },
      { title: 'USD', align: 'decimal', text: (line) => line.amount },
    ],
    [...lines, sum],
  )
}
