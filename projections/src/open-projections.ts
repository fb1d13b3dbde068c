/** The door of the read models: opens them, has them follow the log, and rebuilds them. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { noCrashPoints, type ReachCrashPoint } from '@svc/contracts/crash-points'
import { ServiceError } from '@svc/contracts/errors'
import {
  type EventStore,
  type Position,
  type RecordedEvent,
  START,
} from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import { noQuarantine, type Quarantine } from '@svc/contracts/ports/quarantine'
import type { Timer } from '@svc/contracts/ports/time'
import { projectionsOn } from './followed/followed-projections.ts'
import { type OperatorViews, operatorViews } from './operator-views.ts'
import type { DecodedBatch } from './projection/decode.ts'
import type { Projection } from './projection/projection.ts'
import type { ViewComparison } from './runner/beside/views-beside.ts'
import { everyTurn } from './runner/every-turn.ts'
import type { KeepFile } from './runner/file/view-database.ts'
import { type ViewPorts, viewPath } from './runner/file/view-file.ts'
import type { InspectStream } from './runner/fold-singly.ts'
import { type OlderLogRule, resetForeignViews } from './runner/foreign-views.ts'
import { LiveView } from './runner/live-view.ts'
import type { ProjectionLog } from './runner/projection-log.ts'
import type { ProjectionDetails } from './runner/projection-status.ts'
import { LongBuilds } from './runner/rebuilding/long-builds.ts'
import {
  type CompareProgress,
  compareViews,
  type RebuildProgress,
  type RebuildSummary,
  type RebuildTrial,
} from './runner/rebuilding/rebuild.ts'
import { Rebuilds } from './runner/rebuilding/rebuilds.ts'
import { ViewBuilds } from './runner/rebuilding/view-builds.ts'
import { ReplayedViews } from './runner/replayed-views.ts'
import { type LongViewBuilds, Runner } from './runner/runner.ts'
import type { BuildThreads } from './runner/threads/threaded-build.ts'
import { accountsProjection } from './views/accounts/accounts.ts'
import { accountsQueries } from './views/accounts/queries.ts'
import { statementQueries } from './views/statement/queries.ts'
import { statementProjection } from './views/statement/statement.ts'
import { UsageQueries } from './views/usage/queries.ts'
import { usageProjection } from './views/usage/usage.ts'
import type { Views } from './views/views.ts'

const OWNER_ONLY_FOLDER = 0o700

export interface OpenProjections {
  /**
   * The folder of the views. It is made when it is missing, and other files in it that look like
   * views are removed.
   */
  readonly folder: string
  readonly store: EventStore
  readonly reach?: ReachCrashPoint
  /** The pace of builds and rebuilds. Default: a step in every turn of the event loop. */
  readonly pace?: Pace | undefined
  readonly timer: Timer
  readonly keepFile: KeepFile
  readonly log: ProjectionLog
  /** What to do with views that hold events which the log lacks. Default: `rebuild`. */
  readonly olderLog?: OlderLogRule
  /** Notes every stream that a view leaves out, or that is found damaged by who reads a request. */
  readonly quarantine?: Pick<Quarantine, 'note'> | undefined
  /**
   * Tells whether a stream is whole. Default: every stream is, and a view that cannot fold an event
   * is at fault.
   */
  readonly inspect?: InspectStream | undefined
  /**
   * The threads that build views of a long log. Default: the calling thread builds them.
   */
  readonly threads?: BuildThreads | undefined
}

export interface ViewCheckpoint extends Pick<RecordedEvent, 'stream' | 'revision' | 'hash'> {
  readonly name: string
  readonly position: Position
}

export interface Projections {
  readonly views: OperatorViews
  /** Begins to follow the log. Returns at once. */
  start(): void
  /**
   * Waits until a view, or without a name every view, has the event at the position: reads after
   * that include it.
   *
   * @returns false when the time is over, or at once when a view has failed before it
   */
  reached(position: Position, timeoutMs: number, name?: string): Promise<boolean>
  status(): Promise<readonly ProjectionDetails[]>
  /**
   * The same as {@link status} without asking the log, for when it is away: the furthest event of
   * any view counts as the end of the log.
   */
  lastStatus(): readonly ProjectionDetails[]
  /** The last event in the rows of each view that has any. */
  checkpoints(): readonly ViewCheckpoint[]
  /**
   * To be called when a stream was found damaged: every view may hold rows that are wrong because
   * of it, until it is rebuilt. Resolves when that is recorded in the files of the views.
   */
  distrust(stream: string): Promise<void>
  /**
   * Names of the views that leave events of a stream out, or may hold wrong rows because of it. A
   * rebuild mends them.
   */
  wrongAbout(stream: string): readonly string[]
  /**
   * Builds a view anew beside the live one, compares the two, and puts the new one in its place.
   *
   * @throws {ServiceError} `not_found` for a name that is none, `conflict` when it is being rebuilt
   */
  rebuild(
    name: string,
    onProgress: (progress: RebuildProgress) => void,
    signal?: AbortSignal,
  ): Promise<RebuildSummary>
  /**
   * Estimates a rebuild by building from the beginning of the log. Changes nothing.
   *
   * @throws {ServiceError} as {@link rebuild}
   */
  tryRebuild(name: string, signal?: AbortSignal): Promise<RebuildTrial>
  /**
   * Cancels a rebuild, whoever began it. The live view stays as it is.
   *
   * @returns whether one was running
   * @throws {ServiceError} `not_found`
   */
  cancelRebuild(name: string): boolean
  /**
   * Builds all views anew beside the live ones, reading the log once, and compares. Changes
   * nothing, whatever it finds.
   *
   * @param onBatch is given what is read, from the start of the log to where the views stand
   * @throws {ServiceError} `conflict` when one is being rebuilt
   */
  compare(
    onProgress: (progress: CompareProgress) => void,
    signal?: AbortSignal,
    onBatch?: (batch: DecodedBatch) => Promise<void>,
  ): Promise<readonly ViewComparison[]>
  /**
   * Makes views of events that the caller folds into them: the balances of many accounts, or
   * everything about one. The caller closes them.
   */
  replay(of: 'balances' | 'account'): Replay
  /** Cancels rebuilds, finishes the batch in hand, closes the files. Idempotent. */
  close(): Promise<void>
}

/** Views of the events that were folded into them. */
export interface Replay {
  fold(batch: readonly RecordedEvent[]): Promise<void>
  /** Makes the views ready to be asked. To be called after the last event. */
  finish(): Promise<Pick<Views, 'accounts' | 'account' | 'statement' | 'keys'>>
  close(): Promise<void>
}

/**
 * Opens the views. They can be asked at once, and follow the log from {@link Projections.start} on.
 *
 * @throws {OlderLogError} when the log lacks events that the views hold, and `olderLog` refuses it
 */
export async function openProjections({
  folder,
  store,
  reach = noCrashPoints,
  pace = everyTurn,
  timer,
  keepFile,
  log,
  olderLog = 'rebuild',
  quarantine = noQuarantine,
  inspect = async () => undefined,
  threads,
}: OpenProjections): Promise<Projections> {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER })
  const followed = projectionsOn(store)
  removeLeftovers(folder, followed)
  const ports: ViewPorts = {
    keepFile,
    beforeCommit: () => reach('view.before-commit'),
    afterCommit: () => reach('view.after-commit'),
  }
  const live = followed.map((projection) => LiveView.open(folder, projection, ports, log))
  if (olderLog !== 'rebuild') {
    // This comes before anybody can read them, so that nobody sees rows of another log.
    await resetForeignViews(live, store, log, olderLog).catch((error) => {
      for (const view of live) view.file.close()
      throw error
    })
  }
  const longBuilds: LongViewBuilds = {
    isLong: (view) => long.isLong(view),
    build: (views) => long.build(views),
  }
  const following = { store, log, olderLog, inspect, quarantine, pace, timer, longBuilds }
  const runner = new Runner({ ...following, views: live })
  for (const view of live) runner.noteSetAside(view)
  const builds = new ViewBuilds({ store, runner, ports, pace, inspect, log, timer, threads })
  const long = new LongBuilds(builds, threads)
  const rebuilds = new Rebuilds(builds)
  let replays = 0

  return {
    views: operatorViews(live, store, runner, quarantine),
    start: () => runner.start(),
    reached: (position, timeoutMs, name) => runner.reached(position, timeoutMs, name),
    checkpoints: () => live.flatMap(checkpointOf),
    distrust: (stream) =>
      runner.betweenDeliveries(async () => {
        for (const view of live) view.distrust(stream)
      }),
    wrongAbout: (stream) =>
      live.filter((view) => view.isWrongAbout(stream)).map(({ name }) => name),
    status: async () => statusOf(live, rebuilds, await store.lastPosition()),
    lastStatus: () => statusOf(live, rebuilds, furthestOf(live)),
    ...rebuildsByName(live, rebuilds),
    compare: (onProgress, signal, onBatch) =>
      builds.run(live, (build) => compareViews(live, build, onProgress, onBatch), signal),
    replay(of) {
      replays += 1
      const ofAccount = of === 'account' ? [statementProjection, usageProjection] : []
      const replayed = [accountsProjection, ...ofAccount]
      return openReplay(replayed, folder, `replay-${replays}`, { ports, pace })
    },
    async close() {
      await builds.close()
      await runner.close()
      for (const view of live) view.file.close()
    },
  }
}

function rebuildsByName(
  live: readonly LiveView[],
  rebuilds: Rebuilds,
): Pick<Projections, 'rebuild' | 'tryRebuild' | 'cancelRebuild'> {
  return {
    async rebuild(name, onProgress, signal) {
      return rebuilds.run(namedView(live, name), onProgress, signal)
    },
    async tryRebuild(name, signal) {
      return rebuilds.try(namedView(live, name), signal)
    },
    cancelRebuild: (name) => rebuilds.cancel(namedView(live, name).name),
  }
}

/** Opens a replay in files of this name. */
function openReplay(
  replayed: readonly Projection[],
  folder: string,
  name: string,
  build: { readonly ports: ViewPorts; readonly pace: Pace },
): Replay {
  const views = new ReplayedViews(replayed, folder, name, build)
  return {
    fold: (batch) => views.fold(batch),
    async finish() {
      await views.finish()
      const { accounts, account } = accountsQueries(views.databaseOf(accountsProjection))
      return {
        accounts,
        account,
        statement: (query) =>
          statementQueries(views.databaseOf(statementProjection)).statement(query),
        keys: (accountId) => new UsageQueries(views.databaseOf(usageProjection)).keys(accountId),
      }
    },
    close: () => views.close(),
  }
}

/** @throws {ServiceError} `not_found` */
function namedView(live: readonly LiveView[], name: string): LiveView {
  const view = live.find((candidate) => candidate.name === name)
  if (view !== undefined) return view
  const names = live.map((candidate) => candidate.name).join(', ')
  const message = `There is no view "${name}": the views are ${names}.`
  throw new ServiceError('not_found', message, { param: 'name' })
}

/** Removes what a crash left of a rebuild or a replay, and views of other versions. */
function removeLeftovers(folder: string, followed: readonly Projection[]): void {
  const current = new Set(followed.map((projection) => viewPath(folder, projection)))
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    const main = file.replace(/-(wal|shm)$/, '')
    if (/\.db(\.rebuild|\.replaced)?$/.test(main) && !current.has(main))
      rmSync(file, { force: true })
  }
}

function checkpointOf({ name, file }: LiveView): readonly ViewCheckpoint[] {
  const { position, stream, revision, hash } = file.committed
  return position === START ? [] : [{ name, position, stream, revision, hash }]
}

function furthestOf(live: readonly LiveView[]): Position {
  let furthest = START
  for (const { position } of live) if (position > furthest) furthest = position
  return furthest
}

function statusOf(
  live: readonly LiveView[],
  rebuilds: Rebuilds,
  head: Position,
): readonly ProjectionDetails[] {
  return live.map((view) => ({
    name: view.name,
    version: view.file.projection.version,
    position: view.shownPlace.position,
    head,
    events: view.shownPlace.events,
    state: view.state,
    error: view.error,
    rebuild: rebuilds.last(view.name) ?? null,
  }))
}
