/** How long requests took, of a sample of them, by the steps of time of the page. */
import type { DashboardInput, DashboardOutput } from '@svc/contracts/dashboard/operations'
import { queryOptions } from '@tanstack/react-query'
import type { ApiError } from '../../../api/api-error.ts'
import { call } from '../../../api/call.ts'

type Request = DashboardOutput<'requests'>['data'][number]
type Measured = Pick<Request, 'created_at' | 'first_token_ms' | 'total_ms'>

const PAGE = 100
const PAGES_MAX = 5
/** The newest requests of the period that are looked at. */
export const SAMPLE_MAX = PAGE * PAGES_MAX
const MEDIAN = 0.5
const SLOW = 0.95

export interface StepLatencies {
  /** The full name of the step. */
  readonly step: string
  readonly requests: number
  /** Milliseconds until the first token; null where no request has the figure. */
  readonly firstToken: Quantiles
  readonly total: Quantiles
}

export interface Quantiles {
  readonly median: number | null
  /** Nineteen of twenty were as fast. */
  readonly slow: number | null
}

/** The newest requests of the period that were finished. */
export function newestRequests(asked: Omit<DashboardInput<'requests'>, 'cursor' | 'limit'>) {
  return queryOptions<readonly Request[], ApiError>({
    queryKey: ['requests sample', asked],
    queryFn: async ({ signal }) => {
      const found: Request[] = []
      let cursor: string | null | undefined
      for (let pages = 0; pages < PAGES_MAX && cursor !== null; pages += 1) {
        const page = await call('requests', { ...asked, limit: PAGE, cursor }, signal)
        found.push(...page.data)
        cursor = page.next_cursor
      }
      return found
    },
  })
}

/** How long requests took in a step of time; null where it has none. */
export interface DrawnLatencies {
  readonly step: string
  readonly measured: StepLatencies | null
}

/**
 * Gives each step of an axis what was measured in it: the axis goes on where nothing was.
 *
 * @param axis the full names of its steps, in their order
 */
export function onAxis(
  axis: readonly string[],
  latencies: readonly StepLatencies[],
): readonly DrawnLatencies[] {
  const known = new Map(latencies.map((each) => [each.step, each]))
  const isWhole = new Set(axis).isSupersetOf(known)
  // Requests that were charged nothing may stand beyond a long axis, which is where use was.
  const steps = isWhole ? axis : [...new Set([...axis, ...known.keys()])].toSorted()
  return steps.map((step) => ({ step, measured: known.get(step) ?? null }))
}

/**
 * @param stepOf names the step of time of a moment
 * @returns the oldest step first; steps without a request are left out
 */
export function latenciesOf(
  requests: readonly Measured[],
  stepOf: (at: string) => string,
): readonly StepLatencies[] {
  const steps = Map.groupBy(requests.toReversed(), (request) => stepOf(request.created_at))
  return [...steps].map(([step, some]) => ({
    step,
    requests: some.length,
    firstToken: quantilesOf(some.map((request) => request.first_token_ms)),
    total: quantilesOf(some.map((request) => request.total_ms)),
  }))
}

function quantilesOf(values: readonly (number | null)[]): Quantiles {
  const sorted = values.filter((value) => value !== null).toSorted((a, b) => a - b)
  return { median: quantile(sorted, MEDIAN), slow: quantile(sorted, SLOW) }
}

/** The least of the values that the part of them does not exceed. */
function quantile(sorted: readonly number[], part: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null
}
