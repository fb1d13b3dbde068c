/** How far a view is, and how its rebuild goes. */
import { type ServiceError, viewBehind } from '@svc/contracts/errors'
import type { Position } from '@svc/contracts/ports/event-store'

export interface ProjectionStatus {
  readonly name: string
  readonly version: number
  /** Position of the last event in the view. */
  readonly position: Position
  /** Position of the last event in the log. */
  readonly head: Position
  readonly state: 'catching-up' | 'live' | 'stopped' | 'failed'
  /** The error that stopped it, in one line. */
  readonly error: string | null
}

/**
 * Says why a view does not answer an operator, whose questions are never answered stale.
 *
 * @param head position of the last event in the log
 */
export function viewBehindLog(
  { name, position, error }: Pick<ProjectionStatus, 'name' | 'position' | 'error'>,
  head: Position,
): ServiceError {
  const why = error ?? `it stands at position ${position}, and the log at ${head}`
  return viewBehind(`The view "${name}" is behind the event log: ${why}`)
}

export interface ProjectionDetails extends ProjectionStatus {
  /** Events that are in its rows. */
  readonly events: number
  /** The last rebuild since the start of the process; null: none. */
  readonly rebuild: RebuildState | null
}

/** A rebuild of a view while it runs, and how it ended. */
export interface RebuildState {
  readonly state: 'running' | 'done' | 'failed' | 'cancelled'
  /** Events folded, of those that are folded until the comparison: fixed at the start. */
  readonly done: number
  readonly total: number
  /** Rows in which the old view and the new one differed; null until it is done. */
  readonly differences: number | null
  /** Why the rebuild failed, in one line. */
  readonly error: string | null
}
