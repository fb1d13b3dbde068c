/**
 * Reads back from the stream how a request ended and what it was charged: for a gateway that missed
 * the answer, and for the operator.
 *
 * The state of an account forgets a request when it ends, so that the state stays small. The stream
 * keeps it: reading backwards, everything about the request comes before its acceptance.
 */
import type { RecordedCharge, RecordedRefund } from '@svc/contracts/commands'
import {
  type AccountEvent,
  type AccountEventOf,
  accountStream,
} from '@svc/contracts/events/account'
import { decodeEvent } from '@svc/contracts/events/codec'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { pause, type Timer } from '@svc/contracts/ports/time'
import type { RecordedCharges } from '@svc/contracts/recorded-charges'
import type { TokenCounts } from '@svc/contracts/tokens'

/** The search ends here: more events than an account has while a gateway retries an end. */
const EVENTS_READ_MAX = 1_000_000

export interface RecordedEnd {
  /** Null when it ended without a charge. */
  readonly debit: AccountEventOf<'CreditDebited'>['data'] | null
}

export interface ReadingPorts {
  readonly store: EventStore
  readonly timer: Timer
  readonly pageEvents: number
}

/** @returns undefined when the request runs, was never accepted, or lies too far back */
export async function findRecordedEnd(
  ports: ReadingPorts,
  accountId: string,
  requestId: string,
): Promise<RecordedEnd | undefined> {
  let hasEnded = false
  for await (const { type, data } of eventsOfRequest(ports, accountId, requestId)) {
    if (type === 'CreditDebited') return { debit: data }
    if (type === 'RequestFailed' || type === 'RequestAbandoned') hasEnded = true
    if (type === 'RequestAccepted') break
  }
  return hasEnded ? { debit: null } : undefined
}

/** Finds the charge of a request and its refunds by reading the stream backwards. */
export function chargesInStream(ports: ReadingPorts): RecordedCharges {
  return {
    async find(accountId, requestId) {
      let debit: AccountEventOf<'CreditDebited'>['data'] | undefined
      const refunds: RecordedRefund[] = []
      for await (const { type, data } of eventsOfRequest(ports, accountId, requestId)) {
        if (type === 'CreditDebited') debit = data
        if (type === 'CreditRefunded') refunds.unshift(data)
        if (type !== 'RequestAccepted') continue
        return debit === undefined ? 'not_charged' : chargeOf(data, debit, refunds)
      }
      return undefined
    },
  }
}

function chargeOf(
  { price, at }: AccountEventOf<'RequestAccepted'>['data'],
  { amount, slices, debt, lines }: AccountEventOf<'CreditDebited'>['data'],
  refunds: readonly RecordedRefund[],
): RecordedCharge {
  const [inputTokens, cachedInputTokens, outputTokens] = lines.map(({ tokens }) => tokens)
  const counts = { inputTokens, cachedInputTokens, outputTokens } as TokenCounts
  const made = refunds.map(({ refundId, amount: refunded }) => ({ refundId, amount: refunded }))
  return { amount, slices, debt, version: price.version, acceptedAt: at, counts, refunds: made }
}

/** Newest first. */
async function* eventsOfRequest(
  { store, timer, pageEvents }: ReadingPorts,
  accountId: string,
  requestId: string,
): AsyncGenerator<AccountEvent> {
  const stream = accountStream(accountId)
  const request = { stream, direction: 'backwards', limit: pageEvents } as const
  let page = await store.readStream(request)
  for (let read = page.length; page.length > 0; read += page.length) {
    for (const recorded of page) {
      // Most events are about other requests, and this is cheaper than decoding them.
      if (!recorded.data.includes(requestId)) continue
      const event = decodeEvent(recorded) as AccountEvent
      if ('requestId' in event.data && event.data.requestId === requestId) yield event
    }
    const oldest = page.at(-1)?.revision ?? 0
    if (oldest === 0 || read >= EVENTS_READ_MAX) return
    // A long history must not keep the process from its other work.
    await pause(timer, 0)
    page = await store.readStream({ ...request, from: oldest - 1 })
  }
}
