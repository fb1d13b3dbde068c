/** Tries again until it succeeds, for what a machine that does much else is late with. */
import { vi } from 'vitest'

/** Far from what is usual, as for every other wait of the tests. */
const WITHIN_MS = 60_000
const TRY_AGAIN_MS = 20

/** @returns what the attempt gave; fails as its last try did, when none succeeds in time */
export function eventually<Given>(attempt: () => Given | Promise<Given>): Promise<Given> {
  return vi.waitFor(attempt, { timeout: WITHIN_MS, interval: TRY_AGAIN_MS })
}
