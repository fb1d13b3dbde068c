/**
 * Customers of a ledger whose store may go away at any moment, and what they were told: the
 * client's side of the books, against which the log is checked.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '@svc/contracts/errors'
import type { TokenCounts } from '@svc/contracts/tokens'
import type { Ledger } from '@svc/ledger/ledger'
import type { ClientAnswer } from '@svc/testing/checker/history'
import { type Customer, openCustomer } from '@svc/testing/ledger/open-customer'
import { meter } from '@svc/testing/ledger/sample'
import type { Random } from '@svc/testing/random'

const MODEL = 'svc-beta'
/** Two at a time, so that commands of one account share an append. */
const CLIENTS_PER_ACCOUNT = 2
const PAUSE_MS_MAX = 40
const SHARE_FAILED = 0.1
const PROMPT_TOKENS = 900
const OUTPUT_TOKENS = 500
const REQUEST_DEADLINE_MS = 600_000
/** How long an end is sent again: every fault of the tests is over before. */
const ENDED_WITHIN_MS = 60_000
const RETRY_MS = 20

const usages: readonly TokenCounts[] = [
  { inputTokens: 388, cachedInputTokens: 512, outputTokens: 200 },
  { inputTokens: 900, cachedInputTokens: 0, outputTokens: 1 },
  { inputTokens: 4, cachedInputTokens: 896, outputTokens: 500 },
]

/** Publishes a price, and opens accounts with credit that the load cannot use up. */
export async function openCustomers(ledger: Ledger, count: number): Promise<readonly Customer[]> {
  const rates = { input: 150_000n, cachedInput: 15_000n, output: 600_000n }
  await ledger.pricing.publish({ model: MODEL, rates, actor: 'test' })
  return Promise.all(Array.from({ length: count }, () => openCustomer(ledger)))
}

export class AccountLoad {
  readonly told: ClientAnswer[] = []
  /** Requests that were refused because the store was away: none of them may be in the log. */
  readonly refused = new Set<string>()
  /** Requests that were ended without a charge. */
  readonly failed = new Set<string>()
  readonly #ledger: Ledger
  readonly #random: Random
  readonly #clients: Promise<void>
  readonly #stopping = new AbortController()

  /** Begins at once. */
  constructor(ledger: Ledger, customers: readonly Customer[], random: Random) {
    this.#ledger = ledger
    this.#random = random
    const clients = customers.flatMap((customer) =>
      Array.from({ length: CLIENTS_PER_ACCOUNT }, () => this.#runClient(customer)),
    )
    this.#clients = Promise.all(clients).then(() => {})
    // It is awaited when the load is stopped; until then a client that fails ends the others.
    this.#clients.catch(() => this.#stopping.abort())
  }

  /** Lifecycles whose end was told to the client. */
  get ended(): number {
    return this.told.length + this.failed.size
  }

  /** Resolves when every client was told how its last request ended. @throws what a client threw */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#clients
  }

  async #runClient(customer: Customer): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#runRequest(customer)
      await delay(this.#random.integer(PAUSE_MS_MAX))
    }
  }

  async #runRequest({ accountId, keyId }: Customer): Promise<void> {
    const requestId = this.#ledger.newRequestId()
    try {
      const { durable } = await this.#ledger.accept(accountId, {
        requestId,
        keyId,
        format: 'chat',
        model: MODEL,
        promptTokens: PROMPT_TOKENS,
        maxOutputTokens: OUTPUT_TOKENS,
        idempotency: null,
        endsWithinMs: REQUEST_DEADLINE_MS,
      })
      await durable
    } catch (error) {
      if (!isStoreAway(error)) throw error
      this.refused.add(requestId)
      return
    }
    if (this.#random.next() < SHARE_FAILED) {
      await untilTaken(() => this.#ledger.fail(accountId, requestId, 'worker_failed'))
      this.failed.add(requestId)
      return
    }
    const usage = this.#random.pick(usages)
    await untilTaken(() => this.#settle(accountId, requestId, usage))
    this.told.push({ requestId, status: 200, usage })
  }

  #settle(accountId: string, requestId: string, usage: TokenCounts): Promise<unknown> {
    return this.#ledger.settle(accountId, {
      requestId,
      meter: meter(usage),
      finishReason: 'stop',
      rule: 'metered',
      failure: null,
    })
  }
}

async function untilTaken(end: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + ENDED_WITHIN_MS
  for (;;) {
    try {
      await end()
      return
    } catch (error) {
      if (!isStoreAway(error) || performance.now() > deadline) throw error
      await delay(RETRY_MS)
    }
  }
}

function isStoreAway(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'store_unavailable'
}
