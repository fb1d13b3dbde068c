/**
 * Kills every part of a service in turn, under load, and checks all books after each round.
 *
 *     npm run torture:roles -- [--kills 2000] [--seed N] [--brokers 3] [--model] [--json]
 *
 * A round kills one of each kind, in an order of chance: gateway, projector, relay, sweeper,
 * worker, event store, Redis, Kafka. Two may be dead at once, and some die again while they start.
 * Then clients rest, and what they were told, the log, the views, the balances at both gateways and
 * the topic are held against each other. After a number of rounds all of it begins anew and empty.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Random } from '@svc/testing/random'
import { readOptions } from '@svc/testing/read-options'
import { openCustomers } from '../../torture/customers.ts'
import { type Customer, type LoadHistory, runLoad } from '../../torture/load.ts'
import { Books, type Findings } from './books.ts'
import { Service } from './service.ts'
import { drawRound, type Kill, type VictimKind, victimKinds } from './victim.ts'

const DEFAULT_KILLS = 200
const ROUNDS_PER_SERVICE = 6
const CLIENTS_PER_GATEWAY = 4
const PAUSE_MS = 60
const DOWN_MAX = 2
const SEEDS = 2 ** 31

export interface RotationOptions {
  /** Rounded up to whole rounds. */
  readonly kills: number
  readonly seed: number
  readonly brokers?: number
  readonly realModel?: boolean
  readonly tell?: (words: string) => void
}

export interface RotationSummary {
  readonly seed: number
  readonly kills: number
  /** Of these, while the victim was starting after a kill. */
  readonly kills_while_starting: number
  readonly kills_of: Readonly<Record<VictimKind, number>>
  readonly rounds: number
  readonly answers_told: number
  readonly statuses: Readonly<Record<string, number>>
  readonly events: number
  readonly feed_records: number
  readonly feed_doubled: number
  readonly seconds: number
  readonly problems: readonly string[]
}

/** Ends at the first round with a problem, or when there were enough kills. */
export async function rotateKills(options: RotationOptions): Promise<RotationSummary> {
  const totals = new Totals()
  const random = new Random(options.seed)
  while (totals.kills < options.kills && totals.problems.length === 0) {
    const { seed: _, brokers = 1, realModel = false } = options
    const service = await Service.start({ brokers, realModel, seed: random.integer(SEEDS) })
    try {
      await new Rotation(service, options, random, totals).run()
    } finally {
      await service.close()
    }
  }
  return totals.summary(options.seed)
}

/** Of all services together. */
class Totals {
  kills = 0
  killsWhileStarting = 0
  rounds = 0
  told = 0
  events = 0
  records = 0
  doubled = 0
  readonly problems: string[] = []
  readonly statuses = new Map<number | 'broken', number>()
  readonly killsOf = new Map<VictimKind, number>()
  readonly #startMs = performance.now()

  killed({ victim: { kind }, againAfterMs }: Kill): void {
    const times = againAfterMs === null ? 1 : 2
    this.kills += times
    this.killsWhileStarting += times - 1
    this.killsOf.set(kind, (this.killsOf.get(kind) ?? 0) + times)
  }

  summary(seed: number): RotationSummary {
    const ofKinds = victimKinds.map((kind) => [kind, this.killsOf.get(kind) ?? 0])
    return {
      seed,
      kills: this.kills,
      kills_while_starting: this.killsWhileStarting,
      kills_of: Object.fromEntries(ofKinds),
      rounds: this.rounds,
      answers_told: this.told,
      statuses: Object.fromEntries(this.statuses),
      events: this.events,
      feed_records: this.records,
      feed_doubled: this.doubled,
      seconds: Math.round((performance.now() - this.#startMs) / 1_000),
      problems: this.problems,
    }
  }
}

/** The rounds of one service. */
class Rotation {
  readonly #service: Service
  readonly #options: RotationOptions
  readonly #random: Random
  readonly #totals: Totals
  readonly #books: Books
  readonly #history: LoadHistory
  readonly #down = new Map<string, Promise<void>>()
  /** Of starts after a kill. */
  readonly #failures: string[] = []
  #customers: readonly Customer[] = []

  constructor(service: Service, options: RotationOptions, random: Random, totals: Totals) {
    this.#service = service
    this.#options = options
    this.#random = random
    this.#totals = totals
    this.#books = new Books(service)
    this.#history = { told: [], unanswered: [], statuses: totals.statuses }
  }

  async run(): Promise<void> {
    let found: Findings = { problems: [], events: 0, records: 0, doubled: 0 }
    const isEnough = () =>
      this.#totals.kills >= this.#options.kills || this.#totals.problems.length > 0
    for (let round = 0; round < ROUNDS_PER_SERVICE && !isEnough(); round += 1) {
      try {
        found = await this.#round()
        this.#totals.problems.push(...found.problems)
      } catch (error) {
        this.#totals.problems.push(String(error))
      }
      if (this.#totals.problems.length > 0) this.#tell(this.#service.said)
    }
    this.#totals.told += this.#history.told.length
    this.#totals.events += found.events
    this.#totals.records += found.records
    this.#totals.doubled += found.doubled
  }

  async #round(): Promise<Findings> {
    const [gateway] = this.#service.gateways
    const kills = drawRound(this.#service.victims, this.#random)
    // Those who run dry are new each round; one who is rich stays a customer.
    const newcomers = await openCustomers(gateway.operations)
    this.#customers = [...this.#customers.slice(0, 1), ...newcomers]
    const ending = new AbortController()
    const loading = this.#load(ending.signal)
    try {
      for (const kill of kills) await this.#kill(kill)
      await Promise.all(this.#down.values())
    } finally {
      ending.abort()
      await loading
    }
    if (this.#failures.length > 0) throw new Error(this.#failures.join('\n'))
    const found = await this.#books.check(this.#customers, this.#history.told)
    this.#totals.rounds += 1
    this.#tell(
      `round ${this.#totals.rounds}: ${this.#totals.kills} kills so far, ` +
        `${this.#history.told.length} answers of this service told, ${found.events} events, ` +
        `${found.problems.length} problems`,
    )
    return found
  }

  /** Clients of both gateways, who send a key again that got no answer, wherever it was sent. */
  async #load(signal: AbortSignal): Promise<void> {
    const loads = this.#service.gateways.map(({ url }) =>
      runLoad({
        baseUrl: url,
        customers: this.#customers,
        clients: CLIENTS_PER_GATEWAY,
        random: new Random(this.#random.integer(SEEDS)),
        history: this.#history,
        signal,
        pauseMs: PAUSE_MS,
      }),
    )
    await Promise.all(loads)
  }

  /** Resolves when it is dead; whoever is up again by then makes room for the next. */
  async #kill(kill: Kill): Promise<void> {
    const { victim, afterMs, awayMs, againAfterMs } = kill
    await delay(afterMs)
    await this.#down.get(victim.name)
    while (this.#down.size >= DOWN_MAX) await Promise.race(this.#down.values())
    const words = victim.lastWords()
    if (words !== undefined) throw new Error(`${victim.name} had ended by itself: ${words}`)
    await victim.kill()
    this.#totals.killed(kill)
    const again = againAfterMs === null ? '' : `, again ${againAfterMs} ms after its start`
    this.#tell(`kill ${this.#totals.kills}: ${victim.name}, away for ${awayMs} ms${again}`)
    const revived = this.#revive(kill)
      .catch((error: unknown) => void this.#failures.push(`${victim.name}: ${error}`))
      .finally(() => this.#down.delete(victim.name))
    this.#down.set(victim.name, revived)
  }

  async #revive({ victim, awayMs, againAfterMs }: Kill): Promise<void> {
    await delay(awayMs)
    if (againAfterMs !== null) {
      const starting = victim.start().catch(() => {})
      await delay(againAfterMs)
      await victim.kill()
      await starting
    }
    await victim.start()
  }

  #tell(words: string): void {
    this.#options.tell?.(words)
  }
}

async function main(): Promise<void> {
  const values = readOptions({
    kills: { type: 'string', default: String(DEFAULT_KILLS) },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    brokers: { type: 'string', default: '1' },
    model: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  })
  const seed = Number(values.seed)
  // So that what it started ends with it.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  process.stderr.write(`seed ${seed}\n`)
  const summary = await rotateKills({
    kills: Number(values.kills),
    seed,
    brokers: Number(values.brokers),
    realModel: values.model,
    tell: (words) => void process.stderr.write(`${words}\n`),
  })
  process.stdout.write(`${JSON.stringify(summary, null, values.json ? undefined : 2)}\n`)
  process.exitCode = summary.problems.length === 0 ? 0 : 1
}

if (import.meta.main) await main()
