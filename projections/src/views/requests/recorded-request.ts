/** A request as its own events tell it: its meter, its price, its charge. Pure. */

import type { FinishReason } from '@svc/contracts/events/account'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import type { DecodedEvent, StoredData } from '../../projection/decode.ts'
import type { EventReference, RequestRow } from '../rows/request-rows.ts'

/** @throws when they are not the events of one request, from its acceptance on */
export function requestOf(
  requestId: string,
  [first, ...rest]: readonly DecodedEvent[],
): RequestRow {
  if (first?.event.type !== 'RequestAccepted' || first.event.data.requestId !== requestId) {
    throw new Error(`the event log holds no acceptance of ${requestId} where it should be`)
  }
  return rest.reduce(afterEvent, acceptedRequest(first.accountId, first.event.data, first.recorded))
}

function afterEvent(before: RequestRow, { recorded, event }: DecodedEvent): RequestRow {
  const request = { ...before, events: [...before.events, referenceTo(recorded)] }
  switch (event.type) {
    case 'TokensMetered':
      checkRequest(before, event.data)
      return metered(request, event.data)
    case 'CreditDebited':
      checkRequest(before, event.data)
      return debited(request, event.data)
    case 'CreditRefunded':
      checkRequest(before, event.data)
      return refunded(request, event.data)
    case 'RequestFailed':
      checkRequest(before, event.data)
      return ended(request, 'failed', event.data)
    case 'RequestAbandoned':
      checkRequest(before, event.data)
      return ended(request, 'abandoned', event.data)
    default:
      throw new Error(`the event log holds ${event.type} where ${before.requestId} goes on`)
  }
}

function acceptedRequest(
  accountId: string,
  { at, underHeld: _, price, hold, ...terms }: StoredData<'RequestAccepted'>,
  recorded: RecordedEvent,
): RequestRow {
  return {
    ...terms,
    accountId,
    status: 'running',
    price: {
      version: price.version,
      input: BigInt(price.input),
      cachedInput: BigInt(price.cachedInput),
      output: BigInt(price.output),
    },
    hold: BigInt(hold),
    counts: null,
    reasoningTokens: 0,
    lines: [],
    amount: 0n,
    slices: [],
    balanceAfter: null,
    refunds: [],
    finishReason: null,
    reason: null,
    acceptedAt: at,
    endedAt: null,
    latencies: null,
    cache: null,
    events: [referenceTo(recorded)],
  }
}

function metered(request: RequestRow, data: StoredData<'TokensMetered'>): RequestRow {
  const { inputTokens, cachedInputTokens, outputTokens } = data
  return {
    ...request,
    counts: { inputTokens, cachedInputTokens, outputTokens },
    reasoningTokens: data.reasoningTokens,
    finishReason: data.finishReason,
    reason: data.rule === 'metered' ? null : data.rule,
    latencies: data.latencies,
    cache: { ...data.cache, workerId: data.workerId },
  }
}

/** The debit ends the request: a failure that follows it in the same append only says why. */
function debited(request: RequestRow, data: StoredData<'CreditDebited'>): RequestRow {
  return {
    ...request,
    status: statusAfter(request.finishReason),
    lines: data.lines.map((line) => ({
      ...line,
      price: BigInt(line.price),
      amount: BigInt(line.amount),
    })),
    amount: BigInt(data.amount),
    slices: data.slices.map(({ grantId, amount }) => ({ grantId, amount: BigInt(amount) })),
    balanceAfter: BigInt(data.balanceAfter),
    endedAt: data.at,
  }
}

function refunded(request: RequestRow, data: StoredData<'CreditRefunded'>): RequestRow {
  const { refundId, amount, reason, reference, at } = data
  const refund = { refundId, amount: BigInt(amount), reason, reference, at }
  return { ...request, refunds: [...request.refunds, refund] }
}

export function statusAfter(finishReason: FinishReason | null): 'finished' | 'stopped' | 'failed' {
  if (finishReason === 'cancelled') return 'stopped'
  return finishReason === 'error' ? 'failed' : 'finished'
}

function ended(
  request: RequestRow,
  status: 'failed' | 'abandoned',
  { reason, at }: StoredData<'RequestFailed'>,
): RequestRow {
  return {
    ...request,
    status,
    reason: request.reason === null ? reason : `${request.reason}: ${reason}`,
    endedAt: at,
  }
}

function checkRequest({ requestId }: RequestRow, data: { readonly requestId: string }): void {
  if (data.requestId === requestId) return
  throw new Error(`the event log holds an event of ${data.requestId} where ${requestId} goes on`)
}

function referenceTo({ type, stream, revision, id, hash }: RecordedEvent): EventReference {
  return { type, stream, revision, id, hash }
}
