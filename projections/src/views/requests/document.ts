/**
 * What a request's row holds besides its columns, as one JSON array without names: half the bytes,
 * and half the time to write. The database is our own: what is read needs no check of its shape.
 */
import { accountStream } from '@svc/contracts/events/account'
import type { TokenClass } from '@svc/contracts/tokens'
import type { RequestState } from './project.ts'

type Rest = Omit<RequestState, 'requestId' | 'accountId' | 'status' | 'acceptedAt'>
type Line = [tokenClass: TokenClass, tokens: number, price: string, amount: string]
type Slice = [grantId: string, amount: string]
type Reference = [type: string, revision: number, id: string, hash: string]

type Document = [
  terms: [
    keyId: string,
    gatewayId: string,
    format: Rest['format'],
    model: string,
    promptTokens: number,
    maxOutputTokens: number,
    hold: string,
    deadline: number,
  ],
  price: [version: string, input: string, cachedInput: string, output: string],
  counts: [input: number, cachedInput: number, output: number, reasoning: number] | null,
  lines: Line[],
  slices: Slice[],
  end: [
    amount: string,
    balanceAfter: string | null,
    finishReason: Rest['finishReason'],
    reason: string | null,
    endedAt: number | null,
  ],
  latencies: [queue: number, prefill: number, firstToken: number | null, total: number] | null,
  events: Reference[],
]

export function writeDocument(request: RequestState): string {
  const { price, counts, latencies } = request
  const document: Document = [
    [
      request.keyId,
      request.gatewayId,
      request.format,
      request.model,
      request.promptTokens,
      request.maxOutputTokens,
      request.hold,
      request.deadline,
    ],
    [price.version, price.input, price.cachedInput, price.output],
    counts && [
      counts.inputTokens,
      counts.cachedInputTokens,
      counts.outputTokens,
      request.reasoningTokens,
    ],
    request.lines.map((line) => [line.class, line.tokens, line.price, line.amount]),
    request.slices.map(({ grantId, amount }) => [grantId, amount]),
    [request.amount, request.balanceAfter, request.finishReason, request.reason, request.endedAt],
    latencies && [
      latencies.queueMs,
      latencies.prefillMs,
      latencies.firstTokenMs,
      latencies.totalMs,
    ],
    request.events.map(({ type, revision, id, hash }) => [type, revision, id, hash]),
  ]
  return JSON.stringify(document)
}

/** The stream of the events is the account's, and so is not stored. */
export function readDocument(text: string, accountId: string): Rest {
  const [terms, price, counts, lines, slices, end, latencies, events] = JSON.parse(text) as Document
  const [keyId, gatewayId, format, model, promptTokens, maxOutputTokens, hold, deadline] = terms
  const [amount, balanceAfter, finishReason, reason, endedAt] = end
  const stream = accountStream(accountId)
  return {
    keyId,
    gatewayId,
    format,
    model,
    price: { version: price[0], input: price[1], cachedInput: price[2], output: price[3] },
    promptTokens,
    maxOutputTokens,
    hold,
    counts: counts && {
      inputTokens: counts[0],
      cachedInputTokens: counts[1],
      outputTokens: counts[2],
    },
    reasoningTokens: counts?.[3] ?? 0,
    lines: lines.map(([tokenClass, tokens, linePrice, lineAmount]) => ({
      class: tokenClass,
      tokens,
      price: linePrice,
      amount: lineAmount,
    })),
    amount,
    slices: slices.map(([grantId, sliceAmount]) => ({ grantId, amount: sliceAmount })),
    balanceAfter,
    finishReason,
    reason,
    deadline,
    endedAt,
    latencies: latencies && {
      queueMs: latencies[0],
      prefillMs: latencies[1],
      firstTokenMs: latencies[2],
      totalMs: latencies[3],
    },
    events: events.map(([type, revision, id, hash]) => ({ type, stream, revision, id, hash })),
  }
}
