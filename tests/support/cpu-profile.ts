/**
 * For benchmarks: where the processor time of this thread goes, by stage and by function.
 *
 * The time of a function is its own, without those that it calls. What Node and V8 do in native
 * code for a function (`JSON.parse`, a hash, a statement of SQLite) counts as that function's.
 */
import type { Profiler } from 'node:inspector'
import { Session } from 'node:inspector/promises'

const SAMPLE_EVERY_US = 250
const SHOWN_FUNCTIONS = 40
const MICROSECONDS_DIGITS = 2

/** A stage takes the functions whose place in the source fits; the first that fits counts. */
export interface Stage {
  readonly name: string
  readonly place: RegExp
}

export interface ProfileTable {
  /** Microseconds of each piece of work, by stage, the largest first. */
  readonly stages: readonly (readonly [stage: string, us: number])[]
  readonly functions: readonly (readonly [name: string, us: number])[]
}

/** Work that was done while a thread was sampled. */
export interface SampledWork {
  /** How many pieces of it. */
  readonly count: number
  /** When it began and ended, on the clock of {@link nowUs}; left out: it is the whole profile. */
  readonly fromUs?: number
  readonly untilUs?: number
}

/** The clock of all profiles on this machine, in microseconds. */
export function nowUs(): number {
  return Number(process.hrtime.bigint() / 1_000n)
}

/** Runs the work while this thread is sampled. */
export async function sampled(work: () => Promise<void>): Promise<Profiler.Profile> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US })
  await session.post('Profiler.start')
  await work()
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  return profile
}

/** How a process is started whose profile is written to the folder when it ends. */
export function profilingOptions(folder: string): readonly string[] {
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${SAMPLE_EVERY_US}`]
}

export function tableOf(
  { nodes, samples = [], timeDeltas = [], startTime }: Profiler.Profile,
  stages: readonly Stage[],
  { count, fromUs = 0, untilUs = Number.POSITIVE_INFINITY }: SampledWork,
): ProfileTable {
  const places = placesOf(nodes)
  const byStage = new Map<string, number>()
  const byFunction = new Map<string, number>()
  let at = startTime
  for (const [index, id] of samples.entries()) {
    const deltaUs = timeDeltas[index] ?? 0
    at += deltaUs
    const place = places.get(id) ?? ''
    if (at < fromUs || at > untilUs || NO_WORK.test(place)) continue
    const us = deltaUs / count
    const stage = stages.find((known) => known.place.test(place))?.name ?? 'other'
    byStage.set(stage, (byStage.get(stage) ?? 0) + us)
    byFunction.set(place, (byFunction.get(place) ?? 0) + us)
  }
  return {
    stages: largestFirst(byStage),
    functions: largestFirst(byFunction).slice(0, SHOWN_FUNCTIONS),
  }
}

export function linesOf({ stages, functions }: ProfileTable): string[] {
  const total = stages.reduce((sum, [, us]) => sum + us, 0)
  const line = ([name, us]: readonly [string, number]) => {
    const percent = ((us / total) * 100).toFixed(1).padStart(5)
    return `${us.toFixed(MICROSECONDS_DIGITS).padStart(9)} ${percent} %  ${name}`
  }
  return [line(['all', total]), ...stages.map(line), '', ...functions.map(line)]
}

/** Resting, and looking on. */
const NO_WORK = /^\(idle\)|^node:inspector/

/** `file:line function` of each node; of what has no file, that of its caller. */
function placesOf(nodes: readonly Profiler.ProfileNode[]): ReadonlyMap<number, string> {
  const parents = new Map<number, Profiler.ProfileNode>()
  const byId = new Map(nodes.map((node) => [node.id, node]))
  for (const node of nodes) {
    for (const child of node.children ?? []) parents.set(child, node)
  }
  const placeOf = (node: Profiler.ProfileNode): string => {
    const { url, lineNumber, functionName } = node.callFrame
    const parent = parents.get(node.id)
    if (url !== '') return `${shortOf(url)}:${lineNumber + 1} ${functionName}`
    const isRoot = parent === undefined || parent.callFrame.functionName === '(root)'
    return isRoot || parent === undefined ? functionName : placeOf(parent)
  }
  return new Map([...byId].map(([id, node]) => [id, placeOf(node)]))
}

function shortOf(url: string): string {
  return url
    .replace(/^.*\/node_modules\//, 'node_modules/')
    .replace(/^file:\/\/.*?\/(?=(?:contracts|infra|projections|services|tests)\/)/, '')
}

function largestFirst(us: ReadonlyMap<string, number>): [string, number][] {
  return [...us].sort(([, one], [, other]) => other - one)
}
