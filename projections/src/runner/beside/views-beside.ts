/**
 * Views that are built beside the live ones, in files of their own: on the thread that serves
 * (`views-beside-here.ts`), or in others (`threads/threaded-build.ts`).
 */
import type { EventStore, PassedOver, Position } from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import type { ViewFile, ViewPorts } from '../file/view-file.ts'
import type { FoldLog } from '../fold-log.ts'
import type { InspectStream } from '../fold-singly.ts'
import type { FoldedPlace, LiveView } from '../live-view.ts'
import type { ProjectionLog } from '../projection-log.ts'
import type { Runner } from '../runner.ts'
import type { Differences } from './compare.ts'

export interface BuildPorts {
  readonly store: EventStore
  readonly runner: Runner
  readonly ports: ViewPorts
  readonly pace: Pace
  readonly signal: AbortSignal
  readonly inspect: InspectStream
  readonly log: ProjectionLog
}

export interface ViewComparison {
  readonly name: string
  readonly events: number
  /** The differences between the live rows and those that the log makes. */
  readonly differences: Differences
}

export interface FoldBeside {
  /** The position of the last event. */
  readonly until: Position
  /** The names of views that are at the same place of the log. Default: all. */
  readonly names?: readonly string[]
  /** Is given what is read too: only from the start of the log on. */
  readonly onBatch?: FoldLog['onBatch']
  readonly onFolded?: ((folded: FoldedPlace, names: readonly string[]) => void) | undefined
  /** Is told of events of others, in a log that is shared with them. */
  readonly onPassedOver?: PassedOver | undefined
  /**
   * Is told of a view that stays before an event which it cannot fold; the others go on. Default:
   * the error is thrown.
   */
  readonly onStopped?: (name: string, why: string) => void
}

export interface ViewsBeside {
  /** @throws when the signal of the build aborts, or an event of a whole stream cannot be folded */
  fold(asked: FoldBeside): Promise<void>
  /** Folds on to where the live view stands, and compares the rows. */
  compare(view: LiveView): Promise<ViewComparison>
  /** Brings to the disk what was folded, so that {@link replace} takes no longer than it must. */
  prepare(name: string): Promise<void>
  /**
   * Takes the place of the live view's content by what was folded. Nothing may be delivered to it
   * until that has resolved.
   *
   * @returns what resolves when the old content is gone
   */
  replace(view: LiveView): Promise<{ readonly freed: Promise<void> }>
  /** Closes the views, and throws away those that have replaced no live view. */
  close(): Promise<void>
}

/**
 * Names the file of a view that is built beside. Left behind by a crash, it is removed at the next
 * start.
 */
export function besidePath({ path }: Pick<ViewFile, 'path'>): string {
  return `${path}.rebuild`
}
