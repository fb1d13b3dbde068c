/** Writes logs for the tests of the checker, true ones and such as no ledger should ever write. */

import { accountStream } from '@svc/contracts/events/account'
import { type DomainEvent, encodeEvent } from '@svc/contracts/events/codec'
import { pricingEventSchemas, pricingStream } from '@svc/contracts/events/pricing'
import { type NewEvent, NO_STREAM, type RecordedEvent } from '@svc/contracts/ports/event-store'
import { seal } from '@svc/contracts/ports/hash-chain'
import type { TokenCounts } from '@svc/contracts/tokens'

type DataOf<T extends DomainEvent['type']> = Extract<DomainEvent, { type: T }>['data']
type EventOf<T extends DomainEvent['type']> = Extract<DomainEvent, { type: T }>

export const price = { version: 'price_1', input: 10n, cachedInput: 1n, output: 20n }
/** Costs 10 × 10 + 5 × 1 + 4 × 20 = 185. */
export const counts: TokenCounts = { inputTokens: 10, cachedInputTokens: 5, outputTokens: 4 }
export const COST = 185n

const event = <T extends DomainEvent['type']>(type: T, data: DataOf<T>) =>
  ({ type, data }) as EventOf<T>

export const published = event('PricePublished', {
  model: 'm',
  priceList: 'default',
  price,
  effectiveFrom: 0,
  at: 0,
})

export const withdrawn = event('PriceWithdrawn', { version: price.version, reason: '', at: 0 })

export const opened = (spendPolicy: 'standard' | 'strict' = 'standard') =>
  event('AccountOpened', {
    accountId: 'acct_1',
    name: 'a',
    currency: 'USD',
    spendPolicy,
    externalId: null,
    metadata: {},
    at: 0,
  })

export const granted = (
  amount: bigint,
  balanceAfter: bigint,
  changes: Partial<DataOf<'CreditGranted'>> = {},
) =>
  event('CreditGranted', {
    grantId: 'grant_1',
    amount,
    category: 'paid',
    priority: 0,
    expiresAt: null,
    reference: null,
    reason: '',
    changeId: null,
    paidDebt: 0n,
    balanceAfter,
    at: 0,
    ...changes,
  })

export const accepted = (
  requestId: string,
  hold: bigint,
  changes: Partial<DataOf<'RequestAccepted'>> = {},
) =>
  event('RequestAccepted', {
    requestId,
    keyId: 'key_1',
    gatewayId: 'gw_1',
    format: 'chat',
    model: 'm',
    price,
    promptTokens: 15,
    maxOutputTokens: 10,
    hold,
    underHeld: false,
    idempotency: null,
    deadline: 0,
    at: 0,
    ...changes,
  })

export const metered = (requestId: string, changes: Partial<DataOf<'TokensMetered'>> = {}) =>
  event('TokensMetered', {
    requestId,
    ...counts,
    reasoningTokens: 0,
    workerId: 'wrk_1',
    cache: {
      schedule: 'any-token',
      reusedTokens: 0,
      blocks: 0,
      source: 'none',
      lastBlockHash: null,
      evaluatedTokens: 10,
    },
    finishReason: 'stop',
    rule: 'metered',
    latencies: { queueMs: 0, prefillMs: 0, firstTokenMs: 0, totalMs: 0 },
    at: 0,
    ...changes,
  })

/** Of the metered {@link counts}, paid by one grant as far as it reaches. */
export const debited = (
  requestId: string,
  balanceAfter: bigint,
  changes: Partial<DataOf<'CreditDebited'>> = {},
) =>
  event('CreditDebited', {
    requestId,
    amount: COST,
    lines: [
      { class: 'input', tokens: 10, price: 10n, amount: 100n },
      { class: 'cached_input', tokens: 5, price: 1n, amount: 5n },
      { class: 'output', tokens: 4, price: 20n, amount: 80n },
    ],
    slices: [{ grantId: 'grant_1', amount: COST }],
    debt: 0n,
    balanceAfter,
    at: 0,
    ...changes,
  })

export const failed = (requestId: string) =>
  event('RequestFailed', { requestId, reason: 'worker_failed', at: 0 })

export const abandoned = (requestId: string) =>
  event('RequestAbandoned', { requestId, reason: 'gateway_died', at: 0 })

export const revoked = () => event('ApiKeyRevoked', { keyId: 'key_1', reason: '', at: 0 })

export const expired = (amount: bigint, balanceAfter: bigint) =>
  event('CreditExpired', { grantId: 'grant_1', amount, balanceAfter, at: 0 })

/** The log of one account and its prices, sealed as a store would. */
export function logOf(...events: readonly DomainEvent[]): readonly RecordedEvent[] {
  const heads = new Map([[pricingStream, NO_STREAM]])
  return events.map((domainEvent, index): RecordedEvent => {
    const isPricing = Object.hasOwn(pricingEventSchemas, domainEvent.type)
    const stream = isPricing ? pricingStream : accountStream('acct_1')
    const sealed = seal({
      stream,
      expected: heads.get(stream) ?? NO_STREAM,
      events: [stored(domainEvent, index)],
    })
    heads.set(stream, sealed.head)
    return { ...(sealed.events[0] as RecordedEvent), position: BigInt(index) }
  })
}

function stored(domainEvent: DomainEvent, index: number): NewEvent {
  const origin = { correlationId: 'c', causationId: 'c', actor: 'test' }
  return encodeEvent(`event-${index}`, domainEvent, origin)
}
