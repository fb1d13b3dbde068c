/** Writes made-up histories of accounts for tests and benchmarks, with exact arithmetic. */

import {
  type AccountEvent,
  accountStream,
  type FinishReason,
  type WireFormat,
} from '@svc/contracts/events/account'
import { encodeEvent } from '@svc/contracts/events/codec'
import { eventId, makeDerivedId } from '@svc/contracts/ids'
import type { EventStore, NewEvent, StreamHead } from '@svc/contracts/ports/event-store'
import { APPEND_EVENTS_MAX, NO_STREAM } from '@svc/contracts/ports/event-store'
import { costLines, type PriceVersion } from '@svc/contracts/price'
import type { TokenCounts } from '@svc/contracts/tokens'

export const START_MS = Date.UTC(2026, 10, 1)
export const PRICE: PriceVersion = {
  version: makeDerivedId('price', START_MS, 'list'),
  input: 150_000n,
  cachedInput: 15_000n,
  output: 600_000n,
}
/** In the system of the operator. */
const unnamed = { externalId: null, metadata: {} }

export const HOLD = 1_000_000_000n

/** One account's history, decided as the ledger would: balances are right by construction. */
export class AccountHistory {
  readonly accountId: string
  readonly keyId: string
  readonly grantId: string
  balance = 0n
  #head: StreamHead = NO_STREAM
  readonly #pending: NewEvent[] = []

  constructor(name: string, createdAt = START_MS) {
    this.accountId = makeDerivedId('acct', createdAt, name)
    this.keyId = makeDerivedId('key', createdAt, name)
    this.grantId = makeDerivedId('grant', createdAt, name)
  }

  /** Opens the account, with a key named `laptop` and $5. */
  open(at = START_MS, amount = 5_000_000_000_000n, name = 'Ada'): this {
    const { accountId, keyId, grantId } = this
    this.balance = amount
    return this.add(accountId, {
      type: 'AccountOpened',
      data: { accountId, name, currency: 'USD', spendPolicy: 'standard', ...unnamed, at },
    })
      .add(keyId, {
        type: 'ApiKeyCreated',
        data: {
          keyId,
          name: 'laptop',
          secretHash: 'ab'.repeat(32),
          lastFour: 'abcd',
          expiresAt: null,
          ...unnamed,
          at,
        },
      })
      .add(grantId, {
        type: 'CreditGranted',
        data: {
          grantId,
          amount,
          category: 'paid',
          priority: 100,
          expiresAt: null,
          reference: 'INV-1',
          reason: 'first payment',
          changeId: null,
          paidDebt: 0n,
          balanceAfter: amount,
          at,
        },
      })
  }

  /** One more key beside the first. */
  key(name: string, at = START_MS): string {
    const keyId = makeDerivedId('key', at, this.accountId, name)
    const secret = { secretHash: 'ab'.repeat(32), lastFour: 'abcd' }
    this.add(keyId, {
      type: 'ApiKeyCreated',
      data: { keyId, name, ...secret, expiresAt: null, ...unnamed, at },
    })
    return keyId
  }

  /** @param terms other than those of the first key, over chat completions */
  accept(
    requestId: string,
    at: number,
    terms: { readonly keyId?: string; readonly format?: WireFormat } = {},
  ): this {
    return this.add(requestId, {
      type: 'RequestAccepted',
      data: {
        requestId,
        keyId: this.keyId,
        gatewayId: 'gw_test',
        format: 'chat',
        model: 'svc-beta',
        price: PRICE,
        promptTokens: 120,
        maxOutputTokens: 256,
        hold: HOLD,
        underHeld: false,
        idempotency: null,
        deadline: at + 600_000,
        at,
        ...terms,
      },
    })
  }

  settle(
    requestId: string,
    at: number,
    counts: TokenCounts = { inputTokens: 20, cachedInputTokens: 100, outputTokens: 42 },
    finishReason: FinishReason = 'stop',
  ): this {
    const lines = [...costLines(PRICE, counts)]
    const amount = lines.reduce((sum, line) => sum + line.amount, 0n)
    this.balance -= amount
    return this.add(requestId, {
      type: 'TokensMetered',
      data: {
        requestId,
        ...counts,
        reasoningTokens: 0,
        workerId: 'wrk_test',
        cache: {
          schedule: 'any-token',
          reusedTokens: 0,
          blocks: 0,
          source: 'none',
          lastBlockHash: null,
          evaluatedTokens: counts.inputTokens,
        },
        finishReason,
        rule: finishReason === 'cancelled' ? 'metered_until_cancelled' : 'metered',
        latencies: { queueMs: 0.2, prefillMs: 12.5, firstTokenMs: 14.1, totalMs: 90.25 },
        at,
      },
    }).add(requestId, {
      type: 'CreditDebited',
      data: {
        requestId,
        amount,
        lines,
        slices: [{ grantId: this.grantId, amount }],
        debt: 0n,
        balanceAfter: this.balance,
        at,
      },
    })
  }

  fail(requestId: string, reason: string, at: number): this {
    return this.add(requestId, { type: 'RequestFailed', data: { requestId, reason, at } })
  }

  abandon(requestId: string, reason: string, at: number): this {
    return this.add(requestId, { type: 'RequestAbandoned', data: { requestId, reason, at } })
  }

  add(cause: string, event: AccountEvent): this {
    const origin = { correlationId: cause, causationId: cause, actor: 'test' }
    this.#pending.push(encodeEvent(eventId(cause, event.type), event, origin))
    return this
  }

  addRaw(event: NewEvent): this {
    this.#pending.push(event)
    return this
  }

  /** Appends what was added since the last time. */
  async writeTo(store: Pick<EventStore, 'append'>): Promise<void> {
    while (this.#pending.length > 0) {
      const outcome = await store.append({
        stream: accountStream(this.accountId),
        expected: this.#head,
        events: this.#pending.splice(0, APPEND_EVENTS_MAX),
      })
      if (outcome.kind !== 'appended') throw new Error(`the append ended with ${outcome.kind}`)
      this.#head = outcome.head
    }
  }
}

export function requestId(at: number, ...words: readonly string[]): string {
  return makeDerivedId('req', at, ...words)
}
