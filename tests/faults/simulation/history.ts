/**
 * One simulated history: gateways, their customers, an operator and the relay on one event store,
 * all drawn from one seed.
 *
 *     accounts opened → all live, with faults → the faults end → everything comes to rest → checked
 */
import { createHash } from 'node:crypto'
import { MemoryCluster } from '@svc/infra/bus/memory/memory-cluster'
import { MemoryExpiringStore } from '@svc/infra/expiring-store/memory/memory-expiring-store'
import { MemorySnapshotStore } from '@svc/infra/snapshot-store/memory/memory-snapshot-store'
import { createLedger } from '@svc/ledger/create-ledger'
import type { Ledger } from '@svc/ledger/ledger'
import { check } from '@svc/testing/checker/check'
import { payment } from '@svc/testing/ledger/open-ledger'
import { START_MS } from '@svc/testing/manual-time'
import { Random } from '@svc/testing/random'
import { Customer } from './actors/customers.ts'
import { FeedPlace } from './actors/feed-place.ts'
import { bytesFrom, GatewayPlace, seededIds } from './actors/gateway-place.ts'
import { Operator } from './actors/operator.ts'
import type { Seams } from './bugs/seams.ts'
import { drawPlan, type HistoryPlan } from './plan.ts'
import { Network } from './surroundings/network.ts'
import { PlainTexts } from './surroundings/plain-texts.ts'
import { RunningRows } from './surroundings/running-rows.ts'
import { SimulatedProcess } from './surroundings/simulated-process.ts'
import { StoreServer } from './surroundings/store-server.ts'
import { VirtualTime } from './surroundings/virtual-time.ts'
import {
  FEED_TOPIC,
  MODEL,
  type Notes,
  recordsOf,
  type SimulatedAccount,
  TOP_UP_GROUP,
  TOP_UP_TOPIC,
  type World,
} from './world.ts'

/** After the end of the faults, in virtual time: by then nothing may be under way. */
const REST_WITHIN_MS = 120_000
/** As long as a message can be on its way. */
const LATEST_MESSAGE_MS = 9_000
const OUTAGE_MS = 1_500

export interface HistoryOutcome {
  readonly seed: number
  /** What is wrong, a line each. */
  readonly problems: readonly string[]
  /** Of the log, the feed and everything that clients were told: equal when two runs were. */
  readonly digest: string
  readonly events: number
  readonly answers: number
  readonly deaths: number
}

export async function playHistory(seed: number, seams: Seams = {}): Promise<HistoryOutcome> {
  const history = new History(seed, seams)
  try {
    await history.live()
    return history.outcome(seed)
  } finally {
    history.end()
  }
}

class History {
  readonly #world: World
  readonly #places: GatewayPlace[] = []
  readonly #notes: Notes = {
    answers: [],
    payments: [],
    balances: [],
    revocations: [],
    computed: new Map(),
    defects: [],
  }
  readonly #ends: (() => void)[] = []
  #feed: FeedPlace | undefined
  #areFaultsOver = false
  #starts = 0
  #isAtRest = false

  constructor(seed: number, seams: Seams) {
    const random = new Random(seed)
    const plan = drawPlan(random)
    const time = new VirtualTime(random)
    const network = new Network(random, plan.network)
    const rows = new RunningRows(time, plan.viewLagMs)
    const server = new StoreServer({
      time,
      random,
      network,
      diskMs: plan.diskMs,
      answersEarly: seams.serverAnswersEarly === true,
      onCommit: (events) => {
        rows.take(events)
        seams.onCommit?.(this.#world.surroundings)
      },
    })
    const priceOfNow = () =>
      this.#places.map(({ gateway }) => gateway?.ledger.pricing.current(MODEL)).find(Boolean) ??
      null
    this.#world = {
      plan,
      time,
      random,
      network,
      server,
      rows,
      seams,
      notes: this.#notes,
      texts: new PlainTexts(),
      cluster: new MemoryCluster(),
      recordedAnswers: { current: new MemoryExpiringStore() },
      surroundings: { random, time, server, priceOfNow },
      nextFate: () => this.#drawFate(plan),
      atEnd: (end) => {
        this.#ends.push(end)
      },
    }
  }

  async live(): Promise<void> {
    const { plan, time, random } = this.#world
    const accounts = await this.#prepare()
    for (let nth = 0; nth < plan.gateways; nth += 1) {
      this.#places.push(new GatewayPlace(this.#world))
    }
    this.#feed = new FeedPlace(this.#world)
    const operator = new Operator(this.#world, this.#places, accounts)
    const customers = Array.from({ length: plan.customers }, (_, index) => {
      return new Customer(this.#world, this.#places, random.pick(accounts), index)
    })
    let isDone = false
    void Promise.all([operator.work(), ...customers.map((customer) => customer.live())]).then(
      () => {
        isDone = true
      },
    )
    this.#planFaults()
    const endMs = START_MS + plan.lengthMs
    await time.run(() => false, endMs)
    this.#heal()
    const isQuiet = (): boolean =>
      isDone && this.#isQuiet && time.nowMs() >= endMs + LATEST_MESSAGE_MS
    await time.run(isQuiet, endMs + REST_WITHIN_MS)
    this.#isAtRest = isQuiet()
  }

  outcome(seed: number): HistoryOutcome {
    const { server, cluster } = this.#world
    const { answers, defects, ...seen } = this.#notes
    const { events } = server
    const feed = recordsOf(cluster, FEED_TOPIC)
    const violations = check(answers, events, { ...seen, feed })
    const problems = violations.map(
      ({ invariant, subject, problem }) => `${invariant} ${subject} ${problem}`,
    )
    if (!this.#isAtRest) problems.push('I5 the history did not come to rest')
    const digest = createHash('sha256')
    for (const { hash } of events) digest.update(hash)
    digest.update(JSON.stringify([answers, feed, seen.balances], withMoney))
    return {
      seed,
      problems: [...problems, ...defects],
      digest: digest.digest('hex'),
      events: events.length,
      answers: answers.filter(({ usage }) => usage !== null).length,
      deaths: this.#starts - this.#places.length - 1,
    }
  }

  /** Nothing of it is kept then but its outcome. */
  end(): void {
    for (const end of this.#ends.splice(0)) end()
  }

  /** Accounts, their credit and keys, and a price: written before anything can go wrong. */
  async #prepare(): Promise<readonly SimulatedAccount[]> {
    const { plan, time, random, server, texts } = this.#world
    const process = new SimulatedProcess(time, { steps: Number.POSITIVE_INFINITY, skewMs: 0 })
    const ids = seededIds(this.#world, process)
    const ledger = await createLedger({
      store: server.setting,
      snapshots: new MemorySnapshotStore(),
      texts: texts.connect(process),
      clock: time,
      steadyClock: time,
      timer: process.timer,
      ids,
      randomBytes: (count) => bytesFrom(random, count),
      gatewayId: ids.next('gw'),
    })
    await ledger.pricing.publish({
      model: MODEL,
      rates: { input: 2n, cachedInput: 1n, output: 3n },
    })
    const accounts: SimulatedAccount[] = []
    for (const account of plan.accounts) accounts.push(await openAccount(ledger, account))
    await ledger.close()
    return accounts
  }

  #drawFate({ stepsToDeath, skewMs }: HistoryPlan) {
    const { random } = this.#world
    const isSpared = this.#areFaultsOver || !Number.isFinite(stepsToDeath)
    const steps = isSpared ? stepsToDeath : 1 + random.integer(2 * stepsToDeath)
    this.#starts += 1
    return {
      steps: isSpared ? Number.POSITIVE_INFINITY : steps,
      skewMs: Math.round((random.next() * 2 - 1) * skewMs),
    }
  }

  #planFaults(): void {
    const { plan, random, server, cluster, recordedAnswers } = this.#world
    const { storeRestart, freeze, busOutage, busLoss, cacheLoss } = plan.everyMs
    const outage = (): number => random.integer(OUTAGE_MS)
    this.#repeat(storeRestart, () => server.restart(outage()))
    this.#repeat(freeze, () => random.pick([...this.#places, this.#relayPlace]).freeze(outage()))
    this.#repeat(busLoss, () => this.#relayPlace.lose())
    this.#repeat(cacheLoss, () => {
      recordedAnswers.current = new MemoryExpiringStore()
    })
    this.#repeat(busOutage, () => {
      if (cluster.isAway) return
      cluster.goAway()
      this.#world.time.after(outage(), () => cluster.comeBack())
    })
  }

  /** Until the faults end, by chance and so often on average. */
  #repeat(everyMs: number, fault: () => void): void {
    const { time, random } = this.#world
    if (!Number.isFinite(everyMs)) return
    time.after(2 * everyMs * random.next(), () => {
      if (this.#areFaultsOver) return
      fault()
      this.#repeat(everyMs, fault)
    })
  }

  get #relayPlace(): FeedPlace {
    if (this.#feed === undefined) throw new Error('the relay comes after the accounts')
    return this.#feed
  }

  /** What is down comes back, what runs lives on, and messages arrive. */
  #heal(): void {
    this.#areFaultsOver = true
    this.#world.network.heal()
    for (const place of [...this.#places, this.#relayPlace]) place.spare()
  }

  get #isQuiet(): boolean {
    const { rows, cluster } = this.#world
    const { taken } = cluster.group({ topic: TOP_UP_TOPIC, group: TOP_UP_GROUP })
    const payments = cluster.topics.get(TOP_UP_TOPIC) ?? []
    const areTaken = payments.every(
      ({ length }, partition) => (taken.get(partition) ?? 0) === length,
    )
    return rows.isEmpty && !cluster.isAway && areTaken && this.#relayPlace.isCaughtUp
  }
}

async function openAccount(
  ledger: Ledger,
  { spendPolicy, credit }: HistoryPlan['accounts'][number],
): Promise<SimulatedAccount> {
  const actor = 'operator'
  const { accountId } = await ledger.administration.openAccount({
    name: 'an account',
    spendPolicy,
    actor,
  })
  await ledger.administration.grant(accountId, payment(credit))
  const first = await ledger.administration.createKey(accountId, { name: 'first', actor })
  const second = await ledger.administration.createKey(accountId, { name: 'second', actor })
  return { accountId, keyIds: [first.keyId, second.keyId] }
}

function withMoney(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value
}
