/** Every request with its meter, its price, its charge, and the events that prove them. */
import type { RecordedEvent } from '@svc/contracts/event-store'
import type { FinishReason, WireFormat } from '@svc/contracts/events/account'
import type { TokenCounts } from '@svc/contracts/tokens'
import type { RequestStatus } from '@svc/contracts/wire/billing'
import type { DecodedEvent, StoredData } from '../../decode.ts'
import type { TouchedRows } from '../../touched-rows.ts'
import type { EventReference } from '../../views.ts'

type Debited = StoredData<'CreditDebited'>

/** A request while events change it, money as it is stored. */
export interface RequestState {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly gatewayId: string
  status: RequestStatus
  readonly format: WireFormat
  readonly model: string
  readonly price: StoredData<'RequestAccepted'>['price']
  readonly promptTokens: number
  readonly maxOutputTokens: number
  readonly hold: string
  counts: TokenCounts | null
  reasoningTokens: number
  lines: Debited['lines']
  amount: string
  slices: Debited['slices']
  balanceAfter: string | null
  finishReason: FinishReason | null
  reason: string | null
  readonly deadline: number
  readonly acceptedAt: number
  endedAt: number | null
  latencies: StoredData<'TokensMetered'>['latencies'] | null
  readonly events: EventReference[]
}

export function projectRequests(
  requests: TouchedRows<RequestState>,
  { recorded, event, accountId }: DecodedEvent,
): void {
  switch (event.type) {
    case 'RequestAccepted':
      requests.add(event.data.requestId, acceptedRequest(accountId, event.data, recorded))
      return
    case 'TokensMetered':
    case 'CreditDebited':
    case 'RequestFailed':
    case 'RequestAbandoned': {
      const request = requests.change(event.data.requestId)
      request.events.push(referenceTo(recorded))
      if (event.type === 'TokensMetered') meter(request, event.data)
      else if (event.type === 'CreditDebited') debit(request, event.data)
      else if (event.type === 'RequestFailed') end(request, 'failed', event.data)
      else end(request, 'abandoned', event.data)
      return
    }
    default:
  }
}

function acceptedRequest(
  accountId: string,
  data: StoredData<'RequestAccepted'>,
  recorded: RecordedEvent,
): RequestState {
  return {
    requestId: data.requestId,
    accountId,
    keyId: data.keyId,
    gatewayId: data.gatewayId,
    status: 'running',
    format: data.format,
    model: data.model,
    price: data.price,
    promptTokens: data.promptTokens,
    maxOutputTokens: data.maxOutputTokens,
    hold: data.hold,
    counts: null,
    reasoningTokens: 0,
    lines: [],
    amount: '0',
    slices: [],
    balanceAfter: null,
    finishReason: null,
    reason: null,
    deadline: data.deadline,
    acceptedAt: data.at,
    endedAt: null,
    latencies: null,
    events: [referenceTo(recorded)],
  }
}

/** Without the event's data: requests wait in memory for their row, and their data are as large. */
function referenceTo({ type, stream, revision, id, hash }: RecordedEvent): EventReference {
  return { type, stream, revision, id, hash }
}

function meter(request: RequestState, data: StoredData<'TokensMetered'>): void {
  const { inputTokens, cachedInputTokens, outputTokens } = data
  request.counts = { inputTokens, cachedInputTokens, outputTokens }
  request.reasoningTokens = data.reasoningTokens
  request.finishReason = data.finishReason
  request.reason = data.rule === 'metered' ? null : data.rule
  request.latencies = data.latencies
}

/** The debit ends the request: a failure that follows it in the same append only says why. */
function debit(request: RequestState, data: Debited): void {
  request.status = statusAfter(request.finishReason)
  request.lines = data.lines
  request.amount = data.amount
  request.slices = data.slices
  request.balanceAfter = data.balanceAfter
  request.endedAt = data.at
}

function statusAfter(finishReason: FinishReason | null): RequestStatus {
  if (finishReason === 'cancelled') return 'stopped'
  return finishReason === 'error' ? 'failed' : 'finished'
}

function end(
  request: RequestState,
  status: 'failed' | 'abandoned',
  { reason, at }: StoredData<'RequestFailed'>,
): void {
  request.status = status
  request.reason = request.reason === null ? reason : `${request.reason}: ${reason}`
  request.endedAt = at
}
