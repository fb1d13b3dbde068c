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
 *
 * In each state it may be built apart, in threads: then it follows nothing here, and shows how far
 * the build is.
 *
 * What goes wrong with it is dealt with here: it falls behind, and is given the events behind its
 * {@link LiveView.folded} again, or it fails. Thrown is only what concerns all views, such as a
 * full disk: then the same is tried again later.
 */
import { messageOf } from '@svc/contracts/error-message'
import { type Position, type RecordedEvent, START } from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import type { DecodedBatch } from '../projection/decode.ts'
import type { Projection } from '../projection/projection.ts'
import { isDamage, isPassingTrouble } from './file/file-trouble.ts'
import { distrust, isDistrusted, removeDatabase } from './file/view-database.ts'
import { ViewFile, type ViewPorts, viewPath } from './file/view-file.ts'
import { foldSingly, type InspectStream, UnfoldableEventError } from './fold-singly.ts'
import { FILE_DAMAGED, type ProjectionLog } from './projection-log.ts'
import type { ProjectionStatus } from './projection-status.ts'

/** How far a view is. */
export interface FoldedPlace {
  /** The position of the last event. */
  readonly position: Position
  /** How many events were folded up to that place. */
  readonly events: number
}

/** Where a build begins. */
export const AT_START: FoldedPlace = { position: START, events: 0 }

export class LiveView {
  readonly file: ViewFile
  state: ProjectionStatus['state'] = 'stopped'
  error: string | null = null
  readonly #log: ProjectionLog
  /** How far the build is; undefined while the view is not built apart. */
  #apart: FoldedPlace | undefined
  /** An event up to here cannot be folded, so these are folded and committed one by one. */
  #inDoubtUntil: Position = START
  #isForeign = false

  constructor(file: ViewFile, log: ProjectionLog) {
    this.file = file
    this.#log = log
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
      return new LiveView(new ViewFile(projection, path, ports), log)
    } catch (error) {
      if (!isDamage(error)) throw error
      log.warn({ view: projection.name, path }, FILE_DAMAGED)
      removeDatabase(path)
      return new LiveView(new ViewFile(projection, path, ports), log)
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

  /** Whether it takes events here. */
  get follows(): boolean {
    return this.state !== 'failed' && !this.isApart
  }

  get isApart(): boolean {
    return this.#apart !== undefined
  }

  /** How far it is, for whoever watches. */
  get shownPlace(): FoldedPlace {
    return this.#apart ?? this.file.committed
  }

  /** Whether the next events are to be folded one by one. */
  get isInDoubt(): boolean {
    return this.folded < this.#inDoubtUntil
  }

  /**
   * Folds what is new of the events. Where one cannot be folded it falls behind all that are not
   * committed, and which one it is shows when they come again.
   */
  fold(batch: DecodedBatch): void {
    const news = this.#newsAmong(batch)
    try {
      this.file.fold(news)
    } catch (error) {
      this.#fallBehind(error, news.recorded.at(-1)?.position ?? START)
    }
  }

  /**
   * Folds event by event while the view {@link isInDoubt}. It fails just before one that it cannot
   * fold.
   */
  async foldSingly(batch: DecodedBatch, inspect: InspectStream): Promise<void> {
    try {
      await foldSingly(this.file, this.#newsAmong(batch), inspect)
    } catch (error) {
      if (error instanceof UnfoldableEventError) this.stop(error)
      else this.#resetIfDamaged(error)
    }
  }

  /** Makes what was folded visible. It falls behind when a row cannot be written. */
  commit(): void {
    const { folded } = this
    try {
      this.file.commit()
    } catch (error) {
      this.#fallBehind(error, folded)
    }
  }

  /** Commits like {@link commit} while the view catches up, once there is enough. */
  commitIfLong(pace: Pace): Promise<void> {
    return this.#orFallBehind(() => this.file.commitIfLong(pace))
  }

  /**
   * Commits like {@link commit} at the end of the log. A file that was being built is then whole.
   */
  finish(pace: Pace): Promise<void> {
    return this.#orFallBehind(() => this.file.finish(pace))
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
    this.state = 'catching-up'
    this.#apart = AT_START
  }

  /** Shows how far the build apart is. */
  showBuilt(place: FoldedPlace): void {
    this.#apart = place
  }

  /** Is not built apart after all: it follows from the start of the log. */
  buildHere(): void {
    this.#apart = undefined
  }

  leaveAside(why: string): void {
    this.#fail(why)
    this.#isForeign = true
  }

  /** It was built anew, and has all that the others have. */
  revive(state: ProjectionStatus['state']): void {
    this.#apart = undefined
    this.error = null
    this.#isForeign = false
    this.state = state
  }

  /** It stays before an event that it cannot fold. */
  stop(error: unknown): void {
    this.#apart = undefined
    this.#fail(error)
    const fields = { view: this.name, reason: this.error ?? '' }
    this.#log.error(fields, 'view stopped before an event it cannot fold, needs a rebuild')
  }

  #fail(error: unknown): void {
    this.state = 'failed'
    this.error = messageOf(error)
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

  async #orFallBehind(write: () => Promise<void>): Promise<void> {
    const { folded } = this
    try {
      await write()
    } catch (error) {
      this.#fallBehind(error, folded)
    }
  }

  /** The file is back at its last commit. @param until the last event that may be at fault */
  #fallBehind(error: unknown, until: Position): void {
    if (isDamage(error) || isPassingTrouble(error)) this.#resetIfDamaged(error)
    else this.#inDoubtUntil = until
  }

  /** @throws what is no damage */
  #resetIfDamaged(error: unknown): void {
    if (!isDamage(error)) throw error
    this.#log.warn({ view: this.name, path: this.file.path }, FILE_DAMAGED)
    this.file.reset()
  }
}
