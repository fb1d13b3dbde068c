/** Accounts with a past, written straight into the event log before the server opens it. */
import { randomBytes } from 'node:crypto'
import { makeSecret } from '@svc/contracts/api-key'
import { hashSecret, lastFour, SECRET_RANDOM_BYTES } from '@svc/contracts/checked-secret'
import { accountStream } from '@svc/contracts/events/account'
import { type DomainEvent, encodeEvent } from '@svc/contracts/events/codec'
import { pricingStream } from '@svc/contracts/events/pricing'
import { eventId, ID_RANDOM_BYTES, type IdKind, makeId } from '@svc/contracts/ids'
import { parseDollars } from '@svc/contracts/money'
import {
  type EventStore,
  type NewEvent,
  NO_STREAM,
  type StreamHead,
} from '@svc/contracts/ports/event-store'
import { costLines, DEFAULT_PRICE_LIST, type PriceVersion } from '@svc/contracts/price'
import { MODEL } from '@svc/contracts/wire/models'

export interface SeededAccount {
  readonly accountId: string
  readonly apiKey: string
  readonly events: number
}

const EVENTS_PER_REQUEST = 3
const EVENTS_PER_APPEND = 300
/** Never used up by any benchmark. */
export const SEEDED_CREDIT = parseDollars('1000000')
const COUNTS = { inputTokens: 12, cachedInputTokens: 0, outputTokens: 8 }
const ACTOR = 'bench'

const now = Date.now()
const nextId = (kind: IdKind) => makeId(kind, now, randomBytes(ID_RANDOM_BYTES))

export async function seedPrice(store: EventStore): Promise<PriceVersion> {
  const price = {
    version: nextId('price'),
    input: 150_000n,
    cachedInput: 15_000n,
    output: 600_000n,
  }
  const data = { model: MODEL, priceList: DEFAULT_PRICE_LIST, price, effectiveFrom: now, at: now }
  await append(store, pricingStream, NO_STREAM, [
    stored(price.version, { type: 'PricePublished', data }),
  ])
  return price
}

/** An account that has settled requests until it has about `events` events. */
export async function seedAccount(
  store: EventStore,
  price: PriceVersion,
  events: number,
): Promise<SeededAccount> {
  const accountId = nextId('acct')
  const grantId = nextId('grant')
  const stream = accountStream(accountId)
  const apiKey = makeSecret(accountId, randomBytes(SECRET_RANDOM_BYTES))
  const keyId = nextId('key')
  let head = await append(store, stream, NO_STREAM, opening(accountId, grantId, keyId, apiKey))
  let balance = SEEDED_CREDIT
  let pending: NewEvent[] = []
  for (let written = 0; written < events; written += EVENTS_PER_REQUEST) {
    const past = pastRequest(price, keyId, grantId, balance)
    balance = past.balance
    pending.push(...past.events)
    if (pending.length < EVENTS_PER_APPEND) continue
    head = await append(store, stream, head, pending)
    pending = []
  }
  if (pending.length > 0) head = await append(store, stream, head, pending)
  return { accountId, apiKey, events: head.revision + 1 }
}

function opening(
  accountId: string,
  grantId: string,
  keyId: string,
  apiKey: string,
): readonly NewEvent[] {
  const secretHash = hashSecret(apiKey)
  return [
    stored(accountId, {
      type: 'AccountOpened',
      data: {
        accountId,
        name: 'bench',
        currency: 'USD',
        spendPolicy: 'standard',
        externalId: null,
        metadata: {},
        at: now,
      },
    }),
    stored(grantId, {
      type: 'CreditGranted',
      data: {
        grantId,
        amount: SEEDED_CREDIT,
        category: 'paid',
        priority: 100,
        expiresAt: null,
        reference: null,
        reason: 'bench',
        changeId: null,
        paidDebt: 0n,
        balanceAfter: SEEDED_CREDIT,
        at: now,
      },
    }),
    stored(keyId, {
      type: 'ApiKeyCreated',
      data: {
        keyId,
        name: 'bench',
        secretHash,
        lastFour: lastFour(apiKey),
        expiresAt: null,
        externalId: null,
        metadata: {},
        at: now,
      },
    }),
  ]
}

function pastRequest(
  price: PriceVersion,
  keyId: string,
  grantId: string,
  before: bigint,
): { readonly events: readonly NewEvent[]; readonly balance: bigint } {
  const requestId = nextId('req')
  const lines = [...costLines(price, COUNTS)]
  const amount = lines.reduce((sum, line) => sum + line.amount, 0n)
  const balance = before - amount
  const events: readonly DomainEvent[] = [
    {
      type: 'RequestAccepted',
      data: {
        requestId,
        keyId,
        gatewayId: 'gw_bench',
        format: 'chat',
        model: MODEL,
        price,
        promptTokens: COUNTS.inputTokens,
        maxOutputTokens: COUNTS.outputTokens,
        hold: amount,
        underHeld: false,
        idempotency: null,
        deadline: now,
        at: now,
      },
    },
    {
      type: 'TokensMetered',
      data: {
        requestId,
        ...COUNTS,
        reasoningTokens: 0,
        workerId: 'wrk_bench',
        cache: {
          schedule: 'any-token',
          reusedTokens: 0,
          blocks: 0,
          source: 'none',
          lastBlockHash: null,
          evaluatedTokens: 12,
        },
        finishReason: 'stop',
        rule: 'metered',
        latencies: { queueMs: 0, prefillMs: 1, firstTokenMs: 2, totalMs: 3 },
        at: now,
      },
    },
    {
      type: 'CreditDebited',
      data: {
        requestId,
        amount,
        lines,
        slices: [{ grantId, amount }],
        debt: 0n,
        balanceAfter: balance,
        at: now,
      },
    },
  ]
  return { events: events.map((event) => stored(requestId, event)), balance }
}

function stored(cause: string, event: DomainEvent): NewEvent {
  const origin = { correlationId: cause, causationId: cause, actor: ACTOR }
  return encodeEvent(eventId(cause, event.type), event, origin)
}

async function append(
  store: EventStore,
  stream: string,
  expected: StreamHead,
  events: readonly NewEvent[],
): Promise<StreamHead> {
  const outcome = await store.append({ stream, expected, events })
  if (outcome.kind !== 'appended') {
    throw new Error(`seeding ended in "${outcome.kind}"`)
  }
  return outcome.head
}
