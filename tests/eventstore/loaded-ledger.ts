/**
 * A ledger on EventStoreDB under load, with somebody who follows its log all the time; and the
 * audit of everything that they were told, once the load has ended.
 */

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { accountStream } from '@svc/contracts/events/account'
import { decodeEvent } from '@svc/contracts/events/codec'
import { formatExact, type PicoDollars } from '@svc/contracts/money'
import { type EventStore, type RecordedEvent, START } from '@svc/contracts/ports/event-store'
import { openEventStoreDb } from '@svc/infra/event-store/eventstoredb/open-eventstoredb'
import { verifyLog } from '@svc/infra/event-store/verify-log'
import type { Ledger } from '@svc/ledger/ledger'
import { check } from '@svc/testing/checker/check'
import { CountingStore } from '@svc/testing/event-store/counting-store'
import type { Customer } from '@svc/testing/ledger/open-customer'
import { openRunningLedger } from '@svc/testing/ledger/running-ledger'
import type { Random } from '@svc/testing/random'
import { AccountLoad, openCustomers } from './account-load.ts'
import { LogDigest, LogFollower } from './log-follower.ts'

const PAGE_EVENTS = 1_000
const PROGRESS_WITHIN_MS = 30_000
const FOLLOWED_WITHIN_MS = 30_000
const LOOK_AGAIN_MS = 5

export interface LoadedLedgerOptions {
  readonly url: string
  readonly accounts: number
  readonly random: Random
  /** Of an append and of a read, when not those of the product. */
  readonly timeoutMs?: number
}

export class LoadedLedger {
  readonly load: AccountLoad
  readonly follower: LogFollower
  readonly #openAnew: () => Promise<EventStore>
  readonly #store: CountingStore
  readonly #ledger: Ledger
  readonly #customers: readonly Customer[]

  private constructor(
    openAnew: () => Promise<EventStore>,
    store: CountingStore,
    ledger: Ledger,
    customers: readonly Customer[],
    random: Random,
  ) {
    this.#openAnew = openAnew
    this.#store = store
    this.#ledger = ledger
    this.#customers = customers
    this.follower = new LogFollower(store)
    this.load = new AccountLoad(ledger, customers, random)
  }

  /** Begins the load at once. */
  static async start(options: LoadedLedgerOptions): Promise<LoadedLedger> {
    const { url, accounts, random, timeoutMs } = options
    const streamPrefix = `crash-${randomUUID()}.`
    const timeouts = { appendTimeoutMs: timeoutMs, readTimeoutMs: timeoutMs }
    const store = new CountingStore(await openEventStoreDb({ url, streamPrefix, ...timeouts }))
    const openAnew = () => openEventStoreDb({ url, streamPrefix })
    const ledger = (await openRunningLedger(store)).ledger
    const customers = await openCustomers(ledger, accounts)
    return new LoadedLedger(openAnew, store, ledger, customers, random)
  }

  /** How many appends ended without an answer, and were sent again. */
  get unknownOutcomes(): number {
    return this.#store.outcomes.unknown
  }

  /** Waits until `lifecycles` more have ended than had when it was called. */
  async progress(lifecycles: number): Promise<void> {
    const goal = this.load.ended + lifecycles
    const deadline = performance.now() + PROGRESS_WITHIN_MS
    while (this.load.ended < goal) {
      if (performance.now() > deadline) {
        throw new Error(`${this.load.ended} of ${goal} lifecycles in ${PROGRESS_WITHIN_MS} ms`)
      }
      await delay(LOOK_AGAIN_MS)
    }
  }

  /** Ends the load, and reads the whole log anew. @returns what is wrong, a line each */
  async audit(): Promise<readonly string[]> {
    await this.load.stop()
    const balances = await balancesOf(this.#ledger, this.#customers)
    await this.#ledger.close()
    // With the time limits of the product: those of the load are too short for a busy machine.
    const store = await this.#openAnew()
    const log = await readLog(store)
    const problems = [...(await this.#followerProblems(log)), ...this.#toldProblems(log)]
    await this.#store.close()
    const { broken } = await verifyLog(store)
    problems.push(...broken.map(({ stream, revision }) => `${stream} is broken at ${revision}`))
    problems.push(...balanceProblems('the ledger', balances, log))
    problems.push(...(await this.#replayProblems(store, log)))
    await store.close()
    return problems
  }

  async #followerProblems(log: readonly RecordedEvent[]): Promise<string[]> {
    const last = log.at(-1)?.position ?? START
    const deadline = performance.now() + FOLLOWED_WITHIN_MS
    while (this.follower.position < last && performance.now() < deadline) await delay(LOOK_AGAIN_MS)
    await this.follower.stop()
    const there = new LogDigest()
    there.take(log)
    const [seen, written] = [String(this.follower.seen), String(there)]
    return seen === written ? [] : [`the subscription saw ${seen}, and the log has ${written}`]
  }

  #toldProblems(log: readonly RecordedEvent[]): string[] {
    const violations = check(this.load.told, log).map(
      ({ invariant, subject, problem }) => `${invariant} ${subject} ${problem}`,
    )
    const ends = endsOf(log)
    const refused = [...this.load.refused].filter((requestId) => ends.has(requestId))
    const unfailed = [...this.load.failed].filter((requestId) => ends.get(requestId) !== 'failed')
    return [
      ...violations,
      ...refused.map((requestId) => `${requestId} was refused, and is in the log`),
      ...unfailed.map((requestId) => `${requestId} was failed: it is ${ends.get(requestId)}`),
    ]
  }

  /** What a process that starts anew, without snapshots, makes of the same log. */
  async #replayProblems(store: EventStore, log: readonly RecordedEvent[]): Promise<string[]> {
    const ledger = (await openRunningLedger(store)).ledger
    const balances = await balancesOf(ledger, this.#customers)
    await ledger.close()
    return balanceProblems('a new ledger', balances, log)
  }
}

async function balancesOf(
  ledger: Ledger,
  customers: readonly Customer[],
): Promise<ReadonlyMap<string, PicoDollars>> {
  const balances = customers.map(async ({ accountId }) => {
    const { settled } = await ledger.balance(accountId)
    return [accountStream(accountId), settled] as const
  })
  return new Map(await Promise.all(balances))
}

async function readLog(store: EventStore): Promise<readonly RecordedEvent[]> {
  const log: RecordedEvent[] = []
  for (;;) {
    const page = await store.readAll({ after: log.at(-1)?.position ?? START, limit: PAGE_EVENTS })
    if (page.length === 0) return log
    log.push(...page)
  }
}

/** Of each accepted request, how it stands in the log. */
function endsOf(log: readonly RecordedEvent[]): ReadonlyMap<string, string> {
  const ends = new Map<string, string>()
  for (const recorded of log) {
    const { type, data } = decodeEvent(recorded)
    if (type === 'RequestAccepted') ends.set(data.requestId, 'open')
    else if (type === 'CreditDebited') ends.set(data.requestId, 'debited')
    else if (type === 'RequestFailed') ends.set(data.requestId, 'failed')
  }
  return ends
}

/** Against grants less debits, added up anew: no balance that an event claims is believed. */
function balanceProblems(
  whose: string,
  balances: ReadonlyMap<string, PicoDollars>,
  log: readonly RecordedEvent[],
): string[] {
  const sums = new Map<string, PicoDollars>()
  for (const recorded of log) {
    const { type, data } = decodeEvent(recorded)
    if (type !== 'CreditGranted' && type !== 'CreditDebited') continue
    const amount = type === 'CreditGranted' ? data.amount : -data.amount
    sums.set(recorded.stream, (sums.get(recorded.stream) ?? 0n) + amount)
  }
  return [...balances].flatMap(([stream, settled]) => {
    const sum = sums.get(stream) ?? 0n
    if (sum === settled) return []
    return [`${whose} has ${formatExact(settled)} on ${stream}: the log adds up to ${sum}`]
  })
}
