/**
 * Which worker a run goes to. Pure: what is known of the workers in, one of them out.
 *
 * Two wishes pull apart. A worker that holds the beginning of the prompt need not compute it again,
 * which saves most of the time to the first token; but if every conversation with the same system
 * prompt went to the worker that saw it first, the others would stand idle. So the prompt goes to
 * where most of it is, until that worker has clearly more to do than the least loaded one; then it
 * goes there, which makes a second copy of the beginning, and from then on two can serve it. (This
 * is the balance rule of SGLang's router; a wrong choice costs time and never correctness.)
 */

/**
 * Runs by which the worker that holds the prefix may lead the least loaded one. A worker runs as
 * many at once by default, so one more would wait in its queue.
 */
export const BALANCE_RUNS = 4
/** The lead must also be at least this factor: under heavy load a few runs are no imbalance. */
export const BALANCE_RATIO = 1.5

/** What is known of a worker that could serve the run. */
export interface Candidate {
  /** Requests that it has taken and not ended, from all gateways, and prompts that it prepares. */
  readonly load: number
  /** How many leading blocks of the prompt it holds; 0 when nothing is known. */
  readonly blocks: number
  /** When it was last picked, as a running number: of equals, the one longest ago is chosen. */
  readonly lastPicked: number
}

/** @returns one of the candidates; undefined only when there are none */
export function chooseWorker<C extends Candidate>(candidates: readonly C[]): C | undefined {
  const holder = first(candidates, byBlocks)
  const leastLoaded = first(candidates, byLoad)
  if (holder === undefined || leastLoaded === undefined) return undefined
  return holder.blocks > 0 && !isOverloaded(holder, leastLoaded) ? holder : leastLoaded
}

function isOverloaded({ load }: Candidate, leastLoaded: Candidate): boolean {
  return load - leastLoaded.load > BALANCE_RUNS && load > leastLoaded.load * BALANCE_RATIO
}

function byBlocks(a: Candidate, b: Candidate): number {
  return b.blocks - a.blocks || a.load - b.load || a.lastPicked - b.lastPicked
}

function byLoad(a: Candidate, b: Candidate): number {
  return a.load - b.load || b.blocks - a.blocks || a.lastPicked - b.lastPicked
}

function first<C>(candidates: readonly C[], compare: (a: C, b: C) => number): C | undefined {
  return candidates.reduce<C | undefined>(
    (best, each) => (best === undefined || compare(each, best) < 0 ? each : best),
    undefined,
  )
}
