/** Where the events of every request stand, which have no end yet, and what keys they used. */
import type { DecodedEvent } from '../../projection/decode.ts'
import type { TouchedRows } from '../touched-rows.ts'

/** The revisions of a request's events in the stream of its account. */
export interface RequestPlace {
  readonly requestId: string
  readonly accountId: string
  readonly accepted: number
  metered: number | null
  debited: number | null
  /** The place of the failure or the abandonment. */
  ended: number | null
  /** Who serves the request and until when; null as soon as the request has come to an end. */
  running: { readonly gatewayId: string; readonly deadline: number } | null
}

/** A request with where its refunds stand, oldest first. */
export interface RequestPlaces extends RequestPlace {
  readonly refunds: readonly number[]
}

type Step = 'metered' | 'debited' | 'ended'

/** Tells that a request used an idempotency key. */
export interface KeyUse {
  readonly accountId: string
  readonly keyHash: string
  readonly requestId: string
}

/** Tells where a refund of a request stands in the stream of the account. */
export interface RefundPlace {
  readonly requestId: string
  readonly revision: number
  readonly refundId: string
}

export interface RequestRows {
  readonly requests: TouchedRows<RequestPlace>
  readonly keys: { add(use: KeyUse): void }
  readonly refunds: { add(refund: RefundPlace): void }
}

export function projectRequests(
  { requests, keys, refunds }: RequestRows,
  { recorded, event, accountId }: DecodedEvent,
): void {
  switch (event.type) {
    case 'RequestAccepted': {
      const { requestId, gatewayId, deadline, idempotency } = event.data
      if (idempotency !== null) keys.add({ accountId, keyHash: idempotency.keyHash, requestId })
      requests.add(requestId, {
        requestId,
        accountId,
        accepted: recorded.revision,
        metered: null,
        debited: null,
        ended: null,
        running: { gatewayId, deadline },
      })
      return
    }
    case 'TokensMetered':
      take(requests.change(event.data.requestId), 'metered', recorded.revision)
      return
    case 'CreditDebited':
      take(requests.change(event.data.requestId), 'debited', recorded.revision)
      return
    case 'CreditRefunded': {
      const { requestId, refundId } = event.data
      refunds.add({ requestId, refundId, revision: recorded.revision })
      return
    }
    case 'RequestFailed':
    case 'RequestAbandoned':
      take(requests.change(event.data.requestId), 'ended', recorded.revision)
      return
    default:
  }
}

/** A second debit or end would hide the first one: no history that a ledger writes has it. */
function take(request: RequestPlace, step: Step, revision: number): void {
  if (request[step] !== null) throw new Error(`${request.requestId} was ${step} already`)
  request[step] = revision
  if (step !== 'metered') request.running = null
}
