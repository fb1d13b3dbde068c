/**
 * The ledger of the tests of the gateway: the real one over a store in memory, and somebody who
 * watches. It counts what the ledger is asked, reads what the store has recorded, and can hold up
 * an append or make it fail. It decides nothing: a balance is made by a grant, a debt by a debit.
 */

import type { AccountEventOf } from '@svc/contracts/events/account'
import { decodeEvent } from '@svc/contracts/events/codec'
import { type PicoDollars, parseDollars } from '@svc/contracts/money'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Rates } from '@svc/contracts/price'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import type { Ledger } from '@svc/ledger/ledger'
import { newKey } from '../ledger/open-ledger.ts'
import { openRunningLedger, type RunningLedger } from '../ledger/running-ledger.ts'
import { meter } from '../ledger/sample.ts'

const ACTOR = 'operator'
const POLICY = { reason: 'for a test', actor: ACTOR }
const MODEL = 'svc-beta'
/** What an account has at first, in pico-dollars. */
const CREDIT = parseDollars('5.00')

/** Of the model, in pico-dollars per token. */
export const testRates: Rates = {
  input: 1_000_000n,
  cachedInput: 100_000n,
  output: 4_000_000n,
}

/** A model that no gateway sells: at its price a request can cost any amount to the pico-dollar. */
const SPENDING = 'spending'
const spendingRates: Rates = { input: 1_000_000n, cachedInput: 1n, output: 1n }
const SPENDING_ENDS_WITHIN_MS = 60_000

type Metered = AccountEventOf<'TokensMetered'>['data']

/** One request that the gateway was let run. */
interface WatchedRequest {
  readonly accountId: string
  readonly hold: PicoDollars
  /** As it was recorded, with what the request failed of after it had made something. */
  settled?: {
    readonly input: {
      readonly meter: Metered
      readonly finishReason: Metered['finishReason']
      readonly rule: Metered['rule']
      failure: string | null
    }
  }
  debited?: PicoDollars
  /** Why it ended without a debit. */
  failed?: string
}

interface KeyHolder {
  readonly accountId: string
  readonly keyId: string
  readonly secret: string
}

export class WatchedLedger {
  /** For the gateway. */
  readonly ledger: Ledger
  readonly store: EventStore
  readonly texts: TextStore
  readonly accountId: string
  readonly secret: string
  /** A second account, to look at the first with. */
  readonly otherAccountId: string
  readonly otherSecret: string
  /** By id, from the acceptance on, until a test forgets them. */
  readonly entries = new Map<string, WatchedRequest>()
  /** What the append of an acceptance waits for; fails when this rejects. */
  durable: () => Promise<void> = () => Promise.resolve()
  /** What the append of a debit waits for; fails when this rejects. */
  beforeSettle: () => Promise<void> = () => Promise.resolve()
  acceptCalls = 0
  /** How often the ledger was asked about a key that memory did not know. */
  looksIntoStore = 0
  readonly #keyId: string
  readonly #accept: Ledger['accept']

  constructor(
    { ledger, texts }: Pick<RunningLedger, 'ledger' | 'texts'>,
    store: EventStore,
    first: KeyHolder,
    second: KeyHolder,
  ) {
    this.ledger = ledger
    this.texts = texts
    this.store = store
    this.accountId = first.accountId
    this.secret = first.secret
    this.#keyId = first.keyId
    this.otherAccountId = second.accountId
    this.otherSecret = second.secret
    this.#accept = ledger.accept.bind(ledger)
    this.#watchCalls()
    this.#watchAppends()
  }

  openHolds(): PicoDollars {
    let held = 0n
    for (const entry of this.entries.values()) if (isOpen(entry)) held += entry.hold
    return held
  }

  /** Debits so far, by request. */
  debits(): [string, PicoDollars][] {
    return [...this.entries].flatMap(([requestId, { debited }]) =>
      debited === undefined ? [] : [[requestId, debited] as [string, PicoDollars]],
    )
  }

  only(): WatchedRequest {
    const [entry, more] = this.entries.values()
    if (entry === undefined || more !== undefined) throw new Error(`${this.entries.size} requests`)
    return entry
  }

  /** By a grant or a debit. Below zero only from above it. */
  async setBalance(target: PicoDollars): Promise<void> {
    const { settled } = await this.ledger.balance(this.accountId)
    if (target > settled) await grant(this.ledger, this.accountId, target - settled)
    if (target < settled) await this.#spend(settled - target)
  }

  /** Does something while the account has the balance, and makes it what it was before. */
  async withBalance<Result>(target: PicoDollars, act: () => Promise<Result>): Promise<Result> {
    const { settled } = await this.ledger.balance(this.accountId)
    await this.setBalance(target)
    try {
      return await act()
    } finally {
      await this.setBalance(settled)
    }
  }

  async #spend(amount: PicoDollars): Promise<void> {
    const { ledger, accountId } = this
    const requestId = ledger.newRequestId()
    const inputTokens = Number(amount / spendingRates.input)
    const outputTokens = Number(amount % spendingRates.input)
    await ledger.administration.setSpendPolicy(accountId, { ...POLICY, spendPolicy: 'standard' })
    const { durable } = await this.#accept(accountId, {
      requestId,
      keyId: this.#keyId,
      format: 'chat',
      model: SPENDING,
      promptTokens: inputTokens,
      maxOutputTokens: outputTokens,
      idempotency: null,
      endsWithinMs: SPENDING_ENDS_WITHIN_MS,
    })
    await durable
    await ledger.settle(accountId, {
      requestId,
      meter: meter({ inputTokens, outputTokens }),
      finishReason: 'stop',
      rule: 'metered',
      failure: null,
    })
    await ledger.administration.setSpendPolicy(accountId, { ...POLICY, spendPolicy: 'strict' })
  }

  #watchCalls(): void {
    const { ledger, entries } = this
    const authenticate = ledger.authenticate.bind(ledger)
    ledger.authenticate = (secret) => {
      this.looksIntoStore += 1
      return authenticate(secret)
    }
    ledger.accept = async (accountId, request, signal) => {
      this.acceptCalls += 1
      const accepted = await this.#accept(accountId, request, signal)
      const { requestId, hold, durable } = accepted
      entries.set(requestId, { accountId, hold })
      durable.catch(() => entries.delete(requestId))
      return accepted
    }
  }

  #watchAppends(): void {
    const { store } = this
    const append = store.append.bind(store)
    store.append = async (request) => {
      const types = new Set(request.events.map(({ type }) => type))
      if (types.has('RequestAccepted')) await this.durable()
      if (types.has('CreditDebited')) await this.beforeSettle()
      const outcome = await append(request)
      const { stream, expected, events } = request
      const from = expected.revision + 1
      const limit = events.length
      const recorded = await store.readStream({ stream, direction: 'forwards', from, limit })
      for (const event of recorded) this.#note(decodeEvent(event))
      return outcome
    }
  }

  #note({ type, data }: ReturnType<typeof decodeEvent>): void {
    const entry = 'requestId' in data ? this.entries.get(data.requestId) : undefined
    if (entry === undefined) return
    if (type === 'TokensMetered') {
      const { finishReason, rule } = data
      entry.settled = { input: { meter: data, finishReason, rule, failure: null } }
    }
    if (type === 'CreditDebited') entry.debited = data.amount
    if (type === 'RequestFailed') {
      if (entry.settled === undefined) entry.failed = data.reason
      else entry.settled.input.failure = data.reason
    }
  }
}

/** @returns the ledger with two accounts that have credit and a key; whoever opens it closes it */
export async function openWatchedLedger(): Promise<WatchedLedger> {
  const store = new MemoryEventStore()
  const running = await openRunningLedger(store)
  const { ledger } = running
  await ledger.pricing.publish({ model: MODEL, rates: testRates })
  await ledger.pricing.publish({ model: SPENDING, rates: spendingRates })
  return new WatchedLedger(running, store, await openKeyHolder(ledger), await openKeyHolder(ledger))
}

async function openKeyHolder(ledger: Ledger): Promise<KeyHolder> {
  const account = { name: 'test', spendPolicy: 'strict', actor: ACTOR } as const
  const { accountId } = await ledger.administration.openAccount(account)
  await grant(ledger, accountId, CREDIT)
  return {
    accountId,
    ...(await newKey(ledger, accountId, { name: 'test', actor: ACTOR })),
  }
}

async function grant(ledger: Ledger, accountId: string, amount: PicoDollars): Promise<void> {
  await ledger.administration.grant(accountId, {
    amount,
    category: 'paid',
    priority: 100,
    expiresAt: null,
    reference: null,
    reason: 'test',
    actor: ACTOR,
  })
}

function isOpen({ settled, failed }: WatchedRequest): boolean {
  return settled === undefined && failed === undefined
}
