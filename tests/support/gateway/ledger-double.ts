/**
 * A ledger in memory, for tests of the gateway: the face and the promises of the real one, with one
 * account, `strict`, and no events. It shows what was billed and can be told to be slow or to
 * refuse.
 */
import { randomBytes } from 'node:crypto'
import { accountOfSecret, makeSecret, SECRET_RANDOM_BYTES } from '@svc/contracts/api-key'
import { boundedMeter } from '@svc/contracts/bounded-meter'
import { ServiceError } from '@svc/contracts/errors'
import { ID_RANDOM_BYTES, makeId } from '@svc/contracts/ids'
import { formatExact, type PicoDollars, parseDollars } from '@svc/contracts/money'
import type { Position } from '@svc/contracts/ports/event-store'
import { costLines, costOf, type PriceVersion, worstCase } from '@svc/contracts/price'
import type { Accepted, Balance, Caller, Ledger, Settled } from '@svc/ledger/ledger'
import type { RequestRow, Views } from '@svc/projections/views'

type AcceptInput = Parameters<Ledger['accept']>[1]
type SettleInput = Parameters<Ledger['settle']>[1]

interface Entry {
  readonly accountId: string
  readonly input: AcceptInput
  readonly acceptedAt: number
  readonly hold: PicoDollars
  settled?: { readonly input: SettleInput; readonly result: Settled }
  failed?: string
}

export const testPrice: PriceVersion = {
  version: 'price_test',
  input: 1_000_000n,
  cachedInput: 100_000n,
  output: 4_000_000n,
}

export class LedgerDouble implements Ledger {
  readonly accountId = makeId('acct', Date.now(), randomBytes(ID_RANDOM_BYTES))
  readonly secret = makeSecret(this.accountId, randomBytes(SECRET_RANDOM_BYTES))
  /** A second account, to look at the first with. */
  readonly otherAccountId = makeId('acct', Date.now(), randomBytes(ID_RANDOM_BYTES))
  readonly otherSecret = makeSecret(this.otherAccountId, randomBytes(SECRET_RANDOM_BYTES))
  readonly entries = new Map<string, Entry>()
  readonly revoked = new Set<string>()
  settledBalance: PicoDollars = parseDollars('5.00')
  /** What an acceptance waits for before it is durable; may reject. */
  durable: () => Promise<void> = () => Promise.resolve()
  /** What a settlement waits for. */
  beforeSettle: () => Promise<void> = () => Promise.resolve()
  acceptCalls = 0
  /** Whether memory holds the keys. */
  knowsKeys = true
  looksIntoStore = 0
  /** Of the last event: what a receipt waits for. */
  position: Position | undefined

  async authenticate(secret: string): Promise<Caller> {
    this.looksIntoStore += 1
    const caller = this.#callerOf(secret)
    if (caller === undefined) throw new ServiceError('invalid_api_key', 'refused by the ledger')
    return caller
  }

  knownCaller(secret: string): Caller | undefined {
    return this.knowsKeys ? this.#callerOf(secret) : undefined
  }

  #callerOf(secret: string): Caller | undefined {
    const accountId = accountOfSecret(secret)
    const known = secret === this.secret || secret === this.otherSecret
    if (accountId === undefined || !known || this.revoked.has(secret)) return undefined
    return { accountId, keyId: `key_of_${accountId}` }
  }

  async balance(): Promise<Balance> {
    const held = this.openHolds()
    return { settled: this.settledBalance, held, available: this.settledBalance - held }
  }

  recentBalance(): Promise<Balance> {
    return this.balance()
  }

  openHolds(): PicoDollars {
    let held = 0n
    for (const entry of this.entries.values()) if (isOpen(entry)) held += entry.hold
    return held
  }

  /** Debits so far, by request. */
  debits(): [string, PicoDollars][] {
    return [...this.entries].flatMap(([requestId, { settled }]) =>
      settled === undefined ? [] : [[requestId, settled.result.amount] as [string, PicoDollars]],
    )
  }

  only(): Entry {
    const [entry, more] = this.entries.values()
    if (entry === undefined || more !== undefined) throw new Error(`${this.entries.size} requests`)
    return entry
  }

  newRequestId(): string {
    return makeId('req', Date.now(), randomBytes(ID_RANDOM_BYTES))
  }

  async accept(accountId: string, input: AcceptInput): Promise<Accepted> {
    this.acceptCalls += 1
    const { available } = await this.balance()
    const { promptTokens, maxOutputTokens: asked } = input
    const room = (available - BigInt(promptTokens) * testPrice.input) / testPrice.output
    const lowered = room < BigInt(asked)
    const maxOutputTokens = lowered ? Number(room) : asked
    const needed = worstCase(testPrice, promptTokens, asked)
    if (maxOutputTokens < 1) {
      const message = `Needed $${formatExact(needed)}, available $${formatExact(available)}.`
      throw new ServiceError('insufficient_quota', message)
    }
    this.#refuseUsedKey(accountId, input)
    const hold = worstCase(testPrice, promptTokens, maxOutputTokens)
    const acceptedAt = Date.now()
    this.entries.set(input.requestId, { accountId, input, acceptedAt, hold })
    const durable = this.durable().catch((cause) => {
      this.entries.delete(input.requestId)
      throw cause
    })
    durable.catch(() => {})
    const { requestId, endsWithinMs } = input
    const deadline = acceptedAt + endsWithinMs
    return { requestId, price: testPrice, hold, maxOutputTokens, lowered, deadline, durable }
  }

  async settle(_accountId: string, input: SettleInput): Promise<Settled> {
    await this.beforeSettle()
    const entry = this.#open(input.requestId)
    const meter = boundedMeter(input.meter, entry.input)
    const amount = costOf(testPrice, meter)
    this.settledBalance -= amount
    const result: Settled = {
      amount,
      lines: costLines(testPrice, meter),
      slices: [],
      balanceAfter: this.settledBalance,
    }
    entry.settled = { input: { ...input, meter }, result }
    return result
  }

  async fail(_accountId: string, requestId: string, reason: string): Promise<void> {
    this.#open(requestId).failed = reason
  }

  async idempotent(accountId: string, keyHash: string) {
    for (const [requestId, entry] of this.entries) {
      const { idempotency } = entry.input
      if (entry.accountId !== accountId || idempotency?.keyHash !== keyHash) continue
      if (entry.failed !== undefined) continue
      return { requestId, bodyHash: idempotency.bodyHash, running: isOpen(entry) }
    }
    return undefined
  }

  get views(): Pick<Views, 'request'> {
    return { request: async (requestId) => this.#row(requestId) }
  }

  lastPosition(): Position | undefined {
    return this.position
  }

  isRunning(requestId: string): boolean {
    const entry = this.entries.get(requestId)
    return entry !== undefined && isOpen(entry)
  }

  currentPrice() {
    return { ...testPrice, model: 'svc-beta', isDemo: false, effectiveFrom: 0, publishedAt: 0 }
  }

  prices() {
    return [this.currentPrice()]
  }

  async lookForPrices(): Promise<void> {}

  async close(): Promise<void> {}

  // The gateway asks none of these.
  account = notPlayed
  openAccount = notPlayed
  setSpendPolicy = notPlayed
  grant = notPlayed
  createKey = notPlayed
  revokeKey = notPlayed
  publishPrice = notPlayed
  abandon = notPlayed

  #refuseUsedKey(accountId: string, { idempotency }: AcceptInput): void {
    for (const entry of this.entries.values()) {
      const used = entry.input.idempotency?.keyHash
      if (idempotency === null || entry.accountId !== accountId || entry.failed) continue
      if (used === idempotency.keyHash) {
        throw new ServiceError('idempotency_key_in_use', 'used at the same time')
      }
    }
  }

  #open(requestId: string): Entry {
    const entry = this.entries.get(requestId)
    if (entry === undefined || !isOpen(entry)) throw new Error(`${requestId} is not open`)
    return entry
  }

  #row(requestId: string): RequestRow | undefined {
    const entry = this.entries.get(requestId)
    if (entry === undefined) return undefined
    const { accountId, input, acceptedAt, hold, settled, failed } = entry
    const deadline = acceptedAt + input.endsWithinMs
    const meter = settled?.input.meter ?? null
    return {
      requestId,
      accountId,
      keyId: input.keyId,
      gatewayId: 'gw_test',
      status: settled ? 'finished' : failed ? 'failed' : 'running',
      format: input.format,
      model: input.model,
      price: testPrice,
      promptTokens: input.promptTokens,
      maxOutputTokens: input.maxOutputTokens,
      hold,
      idempotency: input.idempotency,
      counts: meter,
      reasoningTokens: meter?.reasoningTokens ?? 0,
      lines: settled?.result.lines ?? [],
      amount: settled?.result.amount ?? 0n,
      slices: [],
      balanceAfter: settled?.result.balanceAfter ?? null,
      finishReason: settled?.input.finishReason ?? null,
      reason: failed ?? null,
      deadline,
      acceptedAt,
      endedAt: settled ? acceptedAt : null,
      latencies: meter?.latencies ?? null,
      cache: meter === null ? null : { ...meter.cache, workerId: meter.workerId },
      events: [],
    }
  }
}

function isOpen(entry: Entry): boolean {
  return entry.settled === undefined && entry.failed === undefined
}

function notPlayed(): never {
  throw new Error('the ledger double does not play this')
}
