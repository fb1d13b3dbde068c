/**
 * A view as the runner sees it.
 *
 *     catching-up ⇄ live      behind the end of the log, or at it
 *          │         │
 *          └──▶ failed ◀──┘   an event of a whole stream that it cannot fold: it stays before it
 *                             and still answers; a rebuild, or a start of a program that can fold
 *                             it, revives it. The stream of an event that nobody can read is left
 *                             out, and all others are followed
 *     stopped                 before the start and after the close
 */
import { type Position, type RecordedEvent, START } from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import type { DecodedBatch } from '../projection/decode.ts'
import type { Projection } from '../projection/projection.ts'
import { isDamage, isPassingTrouble } from './file/file-trouble.ts'
import { distrust, isDistrusted, removeDatabase } from './file/view-database.ts'
import { ViewFile, type ViewPorts, viewPath } from './file/view-file.ts'
import { foldSingly, type InspectStream } from './fold-singly.ts'
import { FILE_DAMAGED, type ProjectionLog } from './projection-log.ts'
import type { ProjectionStatus } from './projection-status.ts'

export class LiveView {
  readonly file: ViewFile
  state: ProjectionStatus['state'] = 'stopped'
  error: string | null = null
  /** How far the view is while it is built anew in threads and follows nothing here. */
  builtApart: { readonly position: Position; readonly events: number } | undefined
  /** An event up to here cannot be folded, so these are folded and committed one by one. */
  #inDoubtUntil: Position = START
  #isForeign = false

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
      log.warn({ view: projection.name, path }, FILE_DAMAGED)
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

  /** Whether the next events are to be folded one by one. */
  get isInDoubt(): boolean {
    return this.folded < this.#inDoubtUntil
  }

  /**
   * Folds what is new of the events.
   *
   * @throws {ViewRewoundError} when one cannot be folded: which one shows when they come again
   */
  fold(batch: DecodedBatch): void {
    const news = this.#newsAmong(batch)
    try {
      this.file.fold(news)
    } catch (error) {
      this.#rewound(news.recorded.at(-1)?.position ?? START, error)
    }
  }

  /**
   * Folds event by event while the view {@link isInDoubt}.
   *
   * @throws {UnfoldableEventError} with the view standing just before the event
   */
  async foldSingly(batch: DecodedBatch, inspect: InspectStream): Promise<void> {
    await foldSingly(this.file, this.#newsAmong(batch), inspect)
  }

  /** Makes what was folded visible. @throws {ViewRewoundError} when a row cannot be written */
  commit(): void {
    const { folded } = this
    try {
      this.file.commit()
    } catch (error) {
      this.#rewound(folded, error)
    }
  }

  /** Commits like {@link commit} while the view catches up, once there is enough. */
  commitIfLong(pace: Pace): Promise<void> {
    return this.#orRewind(() => this.file.commitIfLong(pace))
  }

  /**
   * Commits like {@link commit} at the end of the log. A file that was being built is then whole.
   */
  finish(pace: Pace): Promise<void> {
    return this.#orRewind(() => this.file.finish(pace))
  }

  /** A stream was found damaged: the rows may hold what is wrong in it. Between deliveries only. */
  distrust(stream: string): void {
    if (this.file.database.isOpen) distrust(this.file.database, stream)
  }

  /** Whether the rows may lack events of a stream, or hold what was wrong in it. */
  isWrongAbout(stream: string): boolean {
    return this.file.setAside.has(stream) || isDistrusted(this.file.database, stream)
  }

  /** Whether its rows are of another log: then it answers nothing. */
  get isForeign(): boolean {
    return this.#isForeign
  }

  /** Begins again with an empty file: its content is built elsewhere. */
  buildApart(): void {
    this.file.reset()
    this.builtApart = { position: START, events: 0 }
    this.state = 'catching-up'
  }

  leaveAside(why: string): void {
    this.fail(why)
    this.#isForeign = true
  }

  /** It was rebuilt. */
  revive(state: ProjectionStatus['state']): void {
    this.error = null
    this.#isForeign = false
    this.state = state
  }

  fail(error: unknown): void {
    this.state = 'failed'
    this.error = error instanceof Error ? error.message : String(error)
  }

  #newsAmong(batch: DecodedBatch): DecodedBatch {
    const position = this.folded
    const first = batch.recorded[0]
    if (first === undefined || first.position > position) return batch
    const isNew = ({ recorded }: { readonly recorded: RecordedEvent }) =>
      recorded.position > position
    return {
      recorded: batch.recorded.filter((event) => event.position > position),
      events: batch.events.filter(isNew),
      unreadable: batch.unreadable.filter(isNew),
    }
  }

  async #orRewind(write: () => Promise<void>): Promise<void> {
    const { folded } = this
    try {
      await write()
    } catch (error) {
      this.#rewound(folded, error)
    }
  }

  /** @throws always */
  #rewound(until: Position, error: unknown): never {
    if (isDamage(error) || isPassingTrouble(error)) throw error
    this.#inDoubtUntil = until
    throw new ViewRewoundError()
  }
}

/** The view is back at its last commit, and takes the events behind it again. */
export class ViewRewoundError extends Error {
  override readonly name = 'ViewRewoundError'
}
