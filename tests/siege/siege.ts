/**
 * Attacks a real server with the bundled model, one attack after the other, beside a customer who
 * asks and pays at a steady pace, and holds what the customer feels against bounds.
 *
 *     npm run siege -- [--seconds 10] [--only NAME,NAME] [--workers 2] [--redis] [--json]
 *
 * Each attack has a server of its own. It is first tried how many requests in a second that server
 * answers the customer, who then asks for a quarter of them, 30 at most: half is its share beside
 * one other account. The customer is measured before the attack and beside it, in the same run. The
 * attacking process has the lowest priority, because here it shares the processor with the server.
 *
 * It exits with 1 when a bound is broken: the customer's success, its 99th percentile, memory,
 * restarts of workers, and the books, which are audited after each attack. An attack that breaks
 * the bound on time alone is made twice more, and the middle one of the three counts: a machine
 * that stands still for a moment is no attack.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readOptions } from '@svc/testing/read-options'
import { type RedisServer, startRedisServer } from '@svc/testing/redis/redis-server'
import type { Attack, AttackPlan, AttackResult } from './attack.ts'
import { attacks } from './attack-list.ts'
import { Besieged } from './besieged.ts'
import { paceOf, Victim, type VictimResult } from './victim.ts'

const DEFAULT_SECONDS = 10
const ATTACKER = fileURLToPath(new URL('attacker.ts', import.meta.url))
const VICTIMS_CREDIT = '100'
/** By then the code that answers is compiled, and so are the first plans of schemas. */
const WARM_UP_SECONDS = 3
/** Where time is not measured: more than the customer ever asks. */
const UNMEASURED_CAPACITY = 1_000
/** Attackers bring machines of their own: here they must not take the processor of the besieged. */
const LOWEST_PRIORITY = ['-n', '19']
/** The attack has begun by then. */
const HEAD_START_MS = 500

/** The bounds that are held. */
const P99_RATIO_MAX = 3
const GATEWAY_MB_MAX = 1_024
/** Runs of an attack beside which the customer was slow: an odd number has a middle. */
const RUNS_WHEN_SLOW = 3

export interface SiegeOptions {
  /** How long each attack lasts, and how long the customer is measured before it. */
  readonly seconds: number
  /** Before that; where time is not measured none is needed. */
  readonly warmUpSeconds: number
  readonly attacks: readonly Attack[]
  readonly workers: number
  /** Whether the workers share a prefix cache in a Redis that is started for it. */
  readonly redis: boolean
  /** Whether time counts, so that it is measured again beside an attack that broke its bound. */
  readonly isTimed: boolean
  /** After each run. */
  readonly onResult?: (result: AttackOutcome) => void
}

export interface AttackOutcome {
  readonly name: string
  readonly about: string
  /** Requests in a second that the server answers the customer when nobody else asks. */
  readonly capacity: number
  /** Requests in a second that the customer asks. */
  readonly pace: number
  readonly before: VictimResult
  readonly beside: VictimResult
  readonly p99Ratio: number
  readonly gatewayMb: number
  readonly workerMb: number
  readonly workerRestarts: number
  /** How the requests of the attacker ended. */
  readonly attacker: AttackResult
  /** Empty when the books are exact. */
  readonly bookProblems: readonly string[]
}

export interface SiegeSummary {
  readonly attacks: number
  readonly victim_requests: number
  readonly victim_failed: number
  readonly victim_p99_ratio_max: number
  readonly gateway_rss_mb_max: number
  readonly worker_restarts: number
  readonly books_exact: boolean
}

/** @returns what came of each attack, in their order */
export async function siege(options: SiegeOptions): Promise<readonly AttackOutcome[]> {
  const outcomes: AttackOutcome[] = []
  await using stack = new AsyncDisposableStack()
  const redis = options.redis
    ? stack.adopt(await startRedisServer(), (server) => server.close())
    : undefined
  for (const attack of options.attacks) {
    const run = async (): Promise<AttackOutcome> => {
      await redis?.flush()
      const outcome = await underAttack(attack, options, redis)
      options.onResult?.(outcome)
      return outcome
    }
    outcomes.push(options.isTimed ? await timed(run) : await run())
  }
  return outcomes
}

/** @returns the run whose time is in the middle; the first that broke any other bound */
export async function timed(run: () => Promise<AttackOutcome>): Promise<AttackOutcome> {
  const runs: AttackOutcome[] = []
  do {
    const outcome = await run()
    if (brokenBounds({ ...outcome, p99Ratio: 1 }).length > 0) return outcome
    runs.push(outcome)
  } while (runs.length < RUNS_WHEN_SLOW && brokenBounds(runs[0] as AttackOutcome).length > 0)
  const byTime = runs.toSorted((one, other) => one.p99Ratio - other.p99Ratio)
  return byTime[Math.floor(byTime.length / 2)] as AttackOutcome
}

export function summaryOf(outcomes: readonly AttackOutcome[]): SiegeSummary {
  const sum = (count: (outcome: AttackOutcome) => number) =>
    outcomes.reduce((total, outcome) => total + count(outcome), 0)
  const max = (size: (outcome: AttackOutcome) => number) => Math.max(...outcomes.map(size))
  return {
    attacks: outcomes.length,
    victim_requests: sum(({ beside }) => beside.requests),
    victim_failed: sum(({ beside }) => beside.failed),
    victim_p99_ratio_max: Math.round(max(({ p99Ratio }) => p99Ratio) * 100) / 100,
    gateway_rss_mb_max: max(({ gatewayMb }) => gatewayMb),
    worker_restarts: sum(({ workerRestarts }) => workerRestarts),
    books_exact: outcomes.every(({ bookProblems }) => bookProblems.length === 0),
  }
}

/** @returns the bounds that an attack broke, in words */
export function brokenBounds(outcome: AttackOutcome): readonly string[] {
  const { before, beside, p99Ratio, gatewayMb, workerRestarts, bookProblems } = outcome
  const broken: string[] = []
  if (before.failed > 0) broken.push(`${before.failed} failed before it: ${before.failure}`)
  if (beside.failed > 0) broken.push(`${beside.failed} failed: ${beside.failure}`)
  if (!(p99Ratio <= P99_RATIO_MAX)) broken.push(`p99 is ${p99Ratio.toFixed(1)} times as long`)
  if (gatewayMb > GATEWAY_MB_MAX) broken.push(`the gateway takes ${gatewayMb} MB`)
  if (workerRestarts > 0) broken.push(`${workerRestarts} restarts of workers`)
  return [...broken, ...bookProblems]
}

async function underAttack(
  attack: Attack,
  { seconds, warmUpSeconds, workers }: SiegeOptions,
  redis: RedisServer | undefined,
): Promise<AttackOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-siege-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const besieged = stack.adopt(
    await Besieged.start(join(folder, 'data'), {
      SVC_WORKERS: String(workers),
      ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
    }),
    (server) => server.close(),
  )
  const { baseUrl } = besieged
  const [victimsKey = ''] = (await besieged.openCustomer('victim', VICTIMS_CREDIT, 1)).keys
  const { keys } = await besieged.openCustomer('attacker', attack.credit, attack.keys)
  const victim = stack.adopt(new Victim(baseUrl, victimsKey), (customer) => customer.close())
  const capacity = await capacityOf(victim, warmUpSeconds)
  const pace = paceOf(capacity)
  const before = await victim.load(seconds, pace)
  const lasting = seconds + HEAD_START_MS / 1000
  const attacking = runAttacker({ attack: attack.name, baseUrl, keys, seconds: lasting })
  await delay(HEAD_START_MS)
  const beside = await victim.load(seconds, pace)
  const attacker = await attacking
  const bookProblems = await besieged.audit(victim.told)
  return {
    name: attack.name,
    about: attack.about,
    capacity,
    pace,
    before,
    beside,
    p99Ratio: beside.p99Ms / before.p99Ms,
    ...besieged.sizes,
    workerRestarts: await besieged.workerRestarts(),
    attacker,
    bookProblems,
  }
}

/** @returns requests that the server answers in a second when nobody else asks */
async function capacityOf(victim: Victim, warmUpSeconds: number): Promise<number> {
  if (warmUpSeconds === 0) return UNMEASURED_CAPACITY
  await victim.press(warmUpSeconds)
  return await victim.press(warmUpSeconds)
}

async function runAttacker(plan: AttackPlan): Promise<AttackResult> {
  const attacker = [process.execPath, ATTACKER, JSON.stringify(plan)]
  // Set from outside, so that it holds for all threads of the process.
  const child = spawn('nice', [...LOWEST_PRIORITY, ...attacker], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const output = await text(child.stdout)
  await ended
  return JSON.parse(output) as AttackResult
}

function row(outcome: AttackOutcome): string {
  const { name, capacity, pace, before, beside, p99Ratio } = outcome
  const { gatewayMb, workerMb, attacker } = outcome
  const { failed, requests } = beside
  const statuses = Object.entries(attacker).map(([status, count]) => `${count} × ${status}`)
  const broken = brokenBounds(outcome)
  return [
    `${name}: ${requests - failed} of ${requests} answered, ${pace} of ${capacity.toFixed(0)} a second`,
    `p99 ${before.p99Ms.toFixed(0)} → ${beside.p99Ms.toFixed(0)} ms (${p99Ratio.toFixed(1)} ×)`,
    `gateway ${gatewayMb} MB, worker ${workerMb} MB`,
    `attacker ${statuses.join(', ') || 'heard nothing'}`,
    broken.length === 0 ? 'held' : `BROKEN: ${broken.join('; ')}`,
  ].join(' · ')
}

async function main(): Promise<void> {
  const values = readOptions({
    seconds: { type: 'string', default: String(DEFAULT_SECONDS) },
    only: { type: 'string' },
    workers: { type: 'string', default: '1' },
    redis: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  })
  const named = values.only?.split(',')
  const chosen = attacks.filter(({ name }) => named?.includes(name) ?? true)
  if (named !== undefined && chosen.length < named.length) {
    throw new Error(`--only: of ${attacks.map(({ name }) => name).join(', ')}`)
  }
  const outcomes = await siege({
    seconds: Number(values.seconds),
    warmUpSeconds: WARM_UP_SECONDS,
    attacks: chosen,
    workers: Number(values.workers),
    redis: values.redis,
    isTimed: true,
    onResult: (outcome) => process.stderr.write(`${row(outcome)}\n`),
  })
  const summary = summaryOf(outcomes)
  process.stdout.write(`${JSON.stringify(summary, null, values.json ? undefined : 2)}\n`)
  process.exitCode = outcomes.some((outcome) => brokenBounds(outcome).length > 0) ? 1 : 0
}

if (import.meta.main) await main()
