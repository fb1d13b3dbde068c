/** What a gateway without views asks for itself, and what it is told. */
import type { UsedKey } from '@svc/contracts/ports/used-keys'
import type { RunningPage, RunningPlace } from '@svc/projections/views'

export const RUNNING_ROWS_MAX = 10_000
export const USED_KEY_PATH = '/views/v1/used-key'
export const RUNNING_PATH = '/views/v1/running'

export interface UsedKeyAnswer {
  readonly used: UsedKey | null
}

export interface RunningAnswer {
  readonly rows: RunningPage['rows']
  /** Where the next page goes on; null on the last one. An older server has only one. */
  readonly next?: RunningPlace | null
}
