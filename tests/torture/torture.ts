/**
 * Kills the real server, over and over, and audits its books after every restart.
 *
 *     npm run torture -- [--rounds 200] [--seed N] [--store sqlite|eventstoredb] [--model] [--json]
 *
 * The worker is a scripted one, so that a round takes a second; with `--model` it is the real one.
 * With `--store eventstoredb` the events are on a double of that server, which dies now and then
 * too.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from '@svc/testing/random'
import { readOptions } from '@svc/testing/read-options'
import { ScriptedWorker } from '@svc/testing/scripted-worker'
import { KillPlans } from './kill-plan.ts'
import { Lane, type RoundResult } from './lane.ts'
import { type StoreKind, storeKinds } from './lane-store.ts'

const LANES = 2
const DEFAULT_ROUNDS = 200
const TOKENS = 16
const TOKEN_DELAY_MS = 2

export interface TortureSummary {
  readonly rounds: number
  readonly seed: number
  readonly answers_told: number
  readonly refusals_402: number
  /** Rounds that died at the named place that they were meant to die at. */
  readonly deaths_at_points: number
  readonly points_never_reached: readonly string[]
  readonly problems: readonly string[]
}

export interface TortureOptions {
  readonly store: StoreKind
  /** More, at most twice as many, until every named place was reached. */
  readonly rounds: number
  readonly seed: number
  readonly realModel: boolean
  readonly onRound?: (result: RoundResult) => void
}

export async function torture(options: TortureOptions): Promise<TortureSummary> {
  const results: RoundResult[] = []
  const folder = mkdtempSync(join(tmpdir(), 'svc-torture-worker-'))
  const socketPath = join(folder, 'worker.sock')
  const script = { tokens: TOKENS, delayMs: TOKEN_DELAY_MS }
  const worker = new ScriptedWorker({ socketPath, script }, false)
  await worker.listen()
  const environment: Record<string, string> = options.realModel
    ? {}
    : { SVC_WORKER_URLS: `unix:${socketPath}` }
  const report = (result: RoundResult) => {
    results.push(result)
    options.onRound?.(result)
  }
  const plans = new KillPlans(options.rounds)
  let next = 0
  const runLane = async (lane: number) => {
    const random = new Random(options.seed * LANES + lane)
    const running = new Lane({ store: options.store, random, plans, environment, report })
    const isEnough = (round: number) =>
      round >= options.rounds && (plans.missed.length === 0 || round >= 2 * options.rounds)
    for (let round = next++; !isEnough(round); round = next++) await running.round(round)
    await running.finish()
  }
  try {
    await Promise.all(Array.from({ length: LANES }, (_, lane) => runLane(lane)))
  } finally {
    await worker.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return summaryOf(options, results, plans.missed)
}

function summaryOf(
  { seed }: TortureOptions,
  results: readonly RoundResult[],
  missed: readonly string[],
): TortureSummary {
  const atPoints = results.filter(({ plan, asPlanned }) => plan.kind === 'point' && asPlanned)
  return {
    rounds: results.length,
    seed,
    answers_told: results.reduce((sum, { told }) => sum + told, 0),
    refusals_402: results.reduce((sum, { statuses }) => sum + (statuses.get(402) ?? 0), 0),
    deaths_at_points: atPoints.length,
    points_never_reached: missed,
    problems: results.flatMap(({ round, problems }) =>
      problems.map((problem) => `round ${round}: ${problem}`),
    ),
  }
}

async function main(): Promise<void> {
  const values = readOptions({
    rounds: { type: 'string', default: String(DEFAULT_ROUNDS) },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    store: { type: 'string', default: 'sqlite' },
    model: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  })
  const seed = Number(values.seed)
  const store = storeKinds.find((kind) => kind === values.store)
  if (store === undefined) throw new Error(`--store: one of ${storeKinds.join(', ')}`)
  process.stderr.write(`seed ${seed}\n`)
  const summary = await torture({
    store,
    rounds: Number(values.rounds),
    seed,
    realModel: values.model,
    onRound: ({ round, plan, asPlanned, told, statuses, problems }) => {
      const place =
        plan.kind === 'point'
          ? `${plan.point}:${plan.pass}`
          : `${plan.afterMs} ms after ${plan.since}`
      const answers = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
      process.stderr.write(
        `round ${round}: killed ${asPlanned ? place : `elsewhere than ${place}`}, ` +
          `${told} answers told (${answers})\n${problems.map((problem) => `  ${problem}\n`).join('')}`,
      )
    },
  })
  process.stdout.write(`${JSON.stringify(summary, null, values.json ? undefined : 2)}\n`)
  process.exitCode = summary.problems.length === 0 ? 0 : 1
}

if (import.meta.main) await main()
