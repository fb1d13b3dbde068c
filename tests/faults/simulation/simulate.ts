/**
 * Plays seeded histories until one breaks an invariant, or all have held.
 *
 *     npm run simulate -- [--histories 2000] [--seed N] [--bugs] [--json]
 *
 * A history is its seed: `--histories 1 --seed N` plays one again. Every hundredth is played twice,
 * and has to come out the same. With `--bugs` each planted bug is looked for instead. It says once
 * a minute how far it is. Stopped with Ctrl-C or SIGTERM, it ends with the history that it plays,
 * and says how many those were.
 */
import { readOptions } from '@svc/testing/read-options'
import { plantedBugs } from './bugs/planted-bugs.ts'
import type { Seams } from './bugs/seams.ts'
import { type HistoryOutcome, playHistory } from './history.ts'
import { Progress } from './progress.ts'

const DEFAULT_HISTORIES = 2_000
const SEEDS = 2 ** 31
const PLAYED_TWICE_EVERY = 100
const SHOWN_PROBLEMS = 5

export interface SimulationSummary {
  /** That were played: fewer than asked for when it was stopped. */
  readonly histories: number
  readonly first_seed: number
  readonly seconds: number
  readonly histories_per_second: number
  readonly events: number
  readonly answers: number
  readonly process_deaths: number
  readonly played_twice: number
  /** Seeds that broke an invariant, and what was found. */
  readonly failures: readonly { readonly seed: number; readonly problems: readonly string[] }[]
}

export interface SimulationOptions {
  readonly histories: number
  /** Of the first history; each further one has the next. */
  readonly seed: number
  readonly onHistory?: (outcome: HistoryOutcome) => void
  /** Ends it after the history that is played. */
  readonly signal?: AbortSignal
}

export async function simulate(options: SimulationOptions): Promise<SimulationSummary> {
  const started = performance.now()
  const failures: { seed: number; problems: readonly string[] }[] = []
  let [played, events, answers, deaths, playedTwice] = [0, 0, 0, 0, 0]
  for (let nth = 0; nth < options.histories && options.signal?.aborted !== true; nth += 1) {
    const seed = (options.seed + nth) % SEEDS
    const outcome = await playHistory(seed)
    options.onHistory?.(outcome)
    played += 1
    events += outcome.events
    answers += outcome.answers
    deaths += outcome.deaths
    const problems = [...outcome.problems]
    if (nth % PLAYED_TWICE_EVERY === 0) {
      playedTwice += 1
      const again = await playHistory(seed)
      if (again.digest !== outcome.digest) problems.push('came out otherwise the second time')
    }
    if (problems.length > 0) failures.push({ seed, problems })
  }
  const seconds = (performance.now() - started) / 1_000
  return {
    histories: played,
    first_seed: options.seed,
    seconds: Math.round(seconds),
    histories_per_second: Math.round(played / seconds),
    events,
    answers,
    process_deaths: deaths,
    played_twice: playedTwice,
    failures,
  }
}

/** @returns the first of the seeds whose history shows the bug */
export async function findBug(
  bug: Seams,
  { histories, seed }: SimulationOptions,
): Promise<HistoryOutcome | undefined> {
  for (let nth = 0; nth < histories; nth += 1) {
    const outcome = await playHistory((seed + nth) % SEEDS, bug)
    if (outcome.problems.length > 0) return outcome
  }
  return undefined
}

async function main(): Promise<void> {
  const values = readOptions({
    histories: { type: 'string', default: String(DEFAULT_HISTORIES) },
    seed: { type: 'string', default: String(Date.now() % SEEDS) },
    bugs: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  })
  const options = { histories: Number(values.histories), seed: Number(values.seed) }
  const stopping = new AbortController()
  // Before the first line: whoever has read that may stop it.
  if (!values.bugs) {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort())
  }
  process.stderr.write(`seed ${options.seed}\n`)
  if (values.bugs) return lookForBugs(options)
  const progress = new Progress({
    write: (line) => process.stderr.write(line),
    nowMs: () => performance.now(),
  })
  const summary = await simulate({
    ...options,
    signal: stopping.signal,
    onHistory(outcome) {
      const { seed, problems } = outcome
      progress.note(outcome)
      const shown = problems.slice(0, SHOWN_PROBLEMS)
      for (const problem of shown) process.stderr.write(`seed ${seed}: ${problem}\n`)
    },
  })
  process.stdout.write(`${JSON.stringify(summary, null, values.json ? undefined : 2)}\n`)
  process.exitCode = summary.failures.length === 0 ? 0 : 1
}

async function lookForBugs(options: SimulationOptions): Promise<void> {
  for (const [name, bug] of Object.entries(plantedBugs)) {
    const found = await findBug(bug, options)
    const [problem = 'not found'] = found?.problems ?? []
    const place = found === undefined ? '' : `, seed ${found.seed}`
    process.stdout.write(`${name}: ${problem}${place}\n`)
    if (found === undefined) process.exitCode = 1
  }
}

if (import.meta.main) await main()
