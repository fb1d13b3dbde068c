/**
 * A view as the runner sees it.
 *
 *     catching-up ⇄ live      behind the end of the log, or at it
 *          │         │
 *          └──▶ failed ◀──┘   an event that it cannot fold: it stays before it and still answers;
 *                             a rebuild, or a start of a program that can fold it, revives it
 *     stopped                 before the start and after the close
 */
import type { Position } from '@svc/contracts/event-store'
import type { DecodedEvent } from './decode.ts'
import type { Projection } from './projection.ts'
import type { ProjectionLog } from './runner.ts'
import { type CommitSteps, isDamage, removeDatabase, ViewFile, viewPath } from './view-file.ts'
import type { ProjectionStatus } from './views.ts'

export class LiveView {
  readonly file: ViewFile
  state: ProjectionStatus['state'] = 'stopped'
  error: string | null = null

  constructor(file: ViewFile) {
    this.file = file
  }

  /** Opens a view's file; a damaged one is replaced by an empty one. */
  static open(
    folder: string,
    projection: Projection,
    steps: CommitSteps,
    log: ProjectionLog,
  ): LiveView {
    const path = viewPath(folder, projection)
    try {
      return new LiveView(ViewFile.open(projection, path, steps))
    } catch (error) {
      if (!isDamage(error)) throw error
      log.warn(`view ${projection.name}: ${path} is damaged; it is rebuilt from the event log`)
      removeDatabase(path)
      return new LiveView(ViewFile.open(projection, path, steps))
    }
  }

  get name(): string {
    return this.file.projection.name
  }

  get position(): Position {
    return this.file.checkpoint.position
  }

  /**
   * Folds what is new of the events. When one cannot be folded, those before it are, and it is
   * named.
   *
   * @throws {UnfoldableEventError} with the view standing just before the event
   */
  apply(events: readonly DecodedEvent[]): void {
    const news = this.#newsAmong(events)
    try {
      this.file.apply(news)
    } catch (error) {
      if (isDamage(error)) throw error
      this.#applyOneByOne(news)
    }
  }

  fail(error: unknown): void {
    this.state = 'failed'
    this.error = error instanceof Error ? error.message : String(error)
  }

  #newsAmong(events: readonly DecodedEvent[]): readonly DecodedEvent[] {
    const { position } = this
    const first = events[0]
    if (first === undefined || first.recorded.position > position) return events
    return events.filter(({ recorded }) => recorded.position > position)
  }

  #applyOneByOne(events: readonly DecodedEvent[]): void {
    for (const event of events) {
      try {
        this.file.apply([event])
      } catch (error) {
        if (isDamage(error)) throw error
        throw new UnfoldableEventError(event, error)
      }
    }
  }
}

/** An event that does not fit the rows: history that a view cannot follow. */
export class UnfoldableEventError extends Error {
  override readonly name = 'UnfoldableEventError'

  constructor({ recorded }: DecodedEvent, cause: unknown) {
    const { type, position, stream, revision } = recorded
    const why = cause instanceof Error ? cause.message : String(cause)
    super(`event ${type} at position ${position} (${stream}, revision ${revision}): ${why}`, {
      cause,
    })
  }
}
