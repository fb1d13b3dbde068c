/**
 * A view as the runner sees it.
 *
 *     catching-up ⇄ live      behind the end of the log, or at it
 *          │         │
 *          └──▶ failed ◀──┘   an event that it cannot fold: it stays before it and still answers;
 *                             a rebuild, or a start of a program that can fold it, revives it
 *     stopped                 before the start and after the close
 */
import { type Position, START } from '@svc/contracts/ports/event-store'
import type { DecodedEvent } from '../projection/decode.ts'
import type { Projection } from '../projection/projection.ts'
import type { ProjectionStatus } from '../views/views.ts'
import { isDamage, isPassingTrouble } from './file-trouble.ts'
import type { ProjectionLog } from './projection-log.ts'
import { removeDatabase } from './view-database.ts'
import { ViewFile, type ViewPorts, viewPath } from './view-file.ts'

export class LiveView {
  readonly file: ViewFile
  state: ProjectionStatus['state'] = 'stopped'
  error: string | null = null
  /** Among the events up to here one cannot be folded: they are folded and committed one by one. */
  #inDoubtUntil: Position = START

  constructor(file: ViewFile) {
    this.file = file
  }

  /** Opens a view's file; a damaged one is replaced by an empty one. */
  static open(
    folder: string,
    projection: Projection,
    ports: ViewPorts,
    log: ProjectionLog,
  ): LiveView {
    const path = viewPath(folder, projection)
    try {
      return new LiveView(new ViewFile(projection, path, ports))
    } catch (error) {
      if (!isDamage(error)) throw error
      log.warn(`view ${projection.name}: ${path} is damaged, rebuilding from the event log`)
      removeDatabase(path)
      return new LiveView(new ViewFile(projection, path, ports))
    }
  }

  get name(): string {
    return this.file.projection.name
  }

  /** The last event in the rows that readers see. */
  get position(): Position {
    return this.file.committed.position
  }

  /** The last event that it was given and took. */
  get folded(): Position {
    return this.file.folded.position
  }

  /**
   * Folds what is new of the events.
   *
   * @throws {ViewRewoundError} when one cannot be folded: which one shows when they come again
   * @throws {UnfoldableEventError} with the view standing just before the event
   */
  fold(events: readonly DecodedEvent[]): void {
    const news = this.#newsAmong(events)
    if (this.folded < this.#inDoubtUntil) this.#foldOneByOne(news)
    else this.#orRewind(news.at(-1)?.recorded.position ?? START, () => this.file.fold(news))
  }

  /** Makes what was folded visible. @throws {ViewRewoundError} when a row cannot be written */
  commit(): void {
    this.#orRewind(this.folded, () => this.file.commit())
  }

  /** As {@link commit}, at the end of the log: a file that was being built is then whole. */
  async finish(): Promise<void> {
    this.commit()
    await this.file.finish()
  }

  fail(error: unknown): void {
    this.state = 'failed'
    this.error = error instanceof Error ? error.message : String(error)
  }

  #newsAmong(events: readonly DecodedEvent[]): readonly DecodedEvent[] {
    const position = this.folded
    const first = events[0]
    if (first === undefined || first.recorded.position > position) return events
    return events.filter(({ recorded }) => recorded.position > position)
  }

  #orRewind(until: Position, step: () => void): void {
    try {
      step()
    } catch (error) {
      if (isDamage(error) || isPassingTrouble(error)) throw error
      this.#inDoubtUntil = until
      throw new ViewRewoundError()
    }
  }

  #foldOneByOne(events: readonly DecodedEvent[]): void {
    for (const event of events) {
      try {
        this.file.fold([event])
        this.file.commit()
      } catch (error) {
        if (isDamage(error) || isPassingTrouble(error)) throw error
        throw new UnfoldableEventError(event, error)
      }
    }
  }
}

/** The view is back at its last commit, and takes the events behind it again. */
export class ViewRewoundError extends Error {
  override readonly name = 'ViewRewoundError'
}

/** An event that does not fit the rows: history that a view cannot follow. */
class UnfoldableEventError extends Error {
  override readonly name = 'UnfoldableEventError'

  constructor({ recorded }: DecodedEvent, cause: unknown) {
    const { type, position, stream, revision } = recorded
    const why = cause instanceof Error ? cause.message : String(cause)
    super(`event ${type} at position ${position} (${stream}, revision ${revision}): ${why}`, {
      cause,
    })
  }
}
