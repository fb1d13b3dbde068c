/**
 * Moves a ledger from the file of its folder to an EventStoreDB, or back, while nobody sells on it.
 *
 *     noted ─▶ marked on the server ─▶ texts ─▶ events ─▶ all compared ─▶ put in place
 *
 * Each step can be cut off at any moment, and the next call goes on: the note in the folder says
 * how far it was, and the copy is a beginning of the original at every moment. Until all is
 * compared the original is whole and where it was, so a move can be given up.
 */
import { randomUUID } from 'node:crypto'
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import { BrokenChainError } from '@svc/contracts/ports/event-store'
import { pause, type Timer } from '@svc/contracts/ports/time'
import { copyLog } from '@svc/infra/event-store/copy-log'
import type { EventStoreDbEventStore } from '@svc/infra/event-store/eventstoredb/eventstoredb-event-store'
import { ComparedLog } from '@svc/infra/event-store/same-log'
import { verifyLog } from '@svc/infra/event-store/verify-log'
import { compareTexts, copyTexts } from '@svc/infra/text-store/copy-texts'
import { OpenResources } from '../core/open-resources.ts'
import { loggerTo } from '../core/warning-logger.ts'
import type { DataFolder } from '../data-folder/data-folder.ts'
import { DataFolderError } from '../data-folder/data-folder-error.ts'
import { halfMovedProblem, type MigrationNote } from '../data-folder/migration-note.ts'
import { type ServerPlace, serverOf } from '../settings/log-location.ts'
import { type MovedCounts, MoveReports, type ReportMove } from './move-reports.ts'
import {
  checkServerEnd,
  lockFolder,
  type MoveEnd,
  openFileEnd,
  openServerEnd,
  type ServerEndPorts,
  serverEnd,
} from './move-stores.ts'
import { movingFiles, removeFiles } from './moving-files.ts'
import { putInPlace } from './put-in-place.ts'

/**
 * After this time every gateway that runs on the server has seen that its log leaves, or has no
 * connection: they look every 10 seconds, and a look takes 5 at most.
 */
const GATEWAYS_NOTICE_MS = 16_000
/** A file writes what comes in one turn in the order of the calls. */
const APPENDS_TO_FILE = 128

const NOTHING_COPIED = {
  phase: 'texts',
  place: { source: '-1', target: '-1', events: 0 },
  feed: null,
} as const satisfies Partial<MigrationNote>

export interface LedgerMove {
  readonly folder: DataFolder
  readonly to: MigrationNote['to']
  readonly server: ServerPlace
  readonly timer: Timer
  readonly reach: ReachCrashPoint
  readonly warn: (warning: string) => void
  readonly report: ReportMove
  /** Aborted by whoever wants to go on another time. */
  readonly signal: AbortSignal
  /** How long other gateways get to notice that the log leaves the server. */
  readonly gatewaysNoticeMs?: number | undefined
}

/**
 * @returns what was moved
 * @throws {DataFolderError} when folder or server are not fit for it; nothing was changed then
 * @throws {StoreOpenError}
 * @throws {LogsDifferError} when the copy is no copy: somebody else writes there
 * @throws {TextsDifferError}
 * @throws {BrokenChainError} when the ledger was altered: it is moved whole or not at all
 */
export async function moveLedger(move: LedgerMove): Promise<MovedCounts> {
  const { folder } = move
  folder.check({ moving: true })
  const logger = loggerTo(move.warn)
  const note = new MoveNote(folder, noteOf(move))
  const parts = new OpenResources(logger)
  try {
    lockFolder(folder, parts)
    const onServer = await openServerEnd({ ...move, logger }, note.now, parts)
    if (!(await isStillLeaving(onServer, note.now))) {
      removeFiles(movingFiles(folder).copy)
      note.beginAgain()
    }
    const reports = new MoveReports(move.report)
    if (note.now.phase !== 'moved') await copyWhole({ ...move, logger }, note, onServer, reports)
    if (!(await isStillLeaving(onServer, note.now))) {
      note.change(NOTHING_COPIED)
      throw givenUpElsewhere(folder.path)
    }
    await putInPlace(move, note.now, onServer)
    return { ...reports.counts, events: note.now.place.events }
  } finally {
    await parts.close()
  }
}

async function copyWhole(
  move: LedgerMove & ServerEndPorts,
  note: MoveNote,
  onServer: EventStoreDbEventStore,
  reports: MoveReports,
): Promise<void> {
  const { folder, to, logger } = move
  const file = new OpenResources(logger)
  try {
    const ends = [openFileEnd(folder, to, file), serverEnd(onServer)] as const
    const [source, target] = to === 'sqlite' ? [ends[1], ends[0]] : ends
    const work = { ...move, note, source, target, reports }
    await begin(work, onServer)
    if (note.now.phase === 'texts') await moveTexts(work)
    await moveEvents(work)
    await compareAll(work)
  } finally {
    await file.close()
  }
}

/** The note of a move, which the folder keeps at every step. */
class MoveNote {
  readonly #folder: DataFolder
  #now: MigrationNote

  constructor(folder: DataFolder, now: MigrationNote) {
    this.#folder = folder
    this.#now = now
  }

  get now(): MigrationNote {
    return this.#now
  }

  /** Written with the first change. */
  beginAgain(): void {
    this.#now = { ...this.#now, ...NOTHING_COPIED }
  }

  change(change: Partial<MigrationNote>): void {
    this.#now = { ...this.#now, ...change }
    this.#folder.migration.write(this.#now)
  }
}

interface MoveWork extends LedgerMove, ServerEndPorts {
  readonly note: MoveNote
  readonly source: MoveEnd
  readonly target: MoveEnd
  readonly reports: MoveReports
}

/** What was begun, or the note of a move that begins now. @throws {DataFolderError} */
function noteOf({ folder, to, server }: LedgerMove): MigrationNote {
  const place = serverOf(server)
  const known = folder.migration.read()
  if (known === undefined) {
    const problem = beginProblem(folder, to)
    if (problem !== undefined) throw new DataFolderError(problem)
    return { id: randomUUID(), to, ...place, ...NOTHING_COPIED }
  }
  if (known.to !== to) throw new DataFolderError(halfMovedProblem(folder.path, known))
  if (known.server === place.server && known.streamPrefix === place.streamPrefix) return known
  throw new DataFolderError(
    `${halfMovedProblem(folder.path, known)}: for that EVENTSTORE_URL names ${known.server}, and ` +
      `SVC_EVENTSTORE_PREFIX is ${known.streamPrefix}`,
  )
}

/**
 * A move away from a server can be given up by any folder, and gateways sell on there from then on:
 * what was copied before says nothing of what they have written.
 */
export async function isStillLeaving(
  { marks }: Pick<EventStoreDbEventStore, 'marks'>,
  { id, to }: MigrationNote,
): Promise<boolean> {
  if (to === 'eventstoredb') return true
  const mark = await marks.read()
  return mark?.id === id && mark.state !== 'whole'
}

function givenUpElsewhere(path: string): DataFolderError {
  return new DataFolderError(
    `${path}: the move of its ledger was given up from another data folder, and gateways may sell ` +
      'on the server again. Stop them and begin anew with svc migrate --to sqlite, or give it up ' +
      'here too with svc migrate --to sqlite --give-up',
  )
}

function beginProblem(folder: DataFolder, to: MigrationNote['to']): string | undefined {
  const { path } = folder
  if (to === 'sqlite') {
    if (!folder.holdsLedger()) return undefined
    return `${path} holds a ledger.db already: move it away, or name another folder`
  }
  if (folder.readLog() !== undefined) return `the ledger of ${path} is on an EventStoreDB already`
  return folder.holdsLedger() ? undefined : folder.whyNoLedger()
}

async function begin(work: MoveWork, onServer: EventStoreDbEventStore): Promise<void> {
  const { to, timer, reach, note, gatewaysNoticeMs = GATEWAYS_NOTICE_MS, signal } = work
  const mark = await onServer.marks.read()
  const isMarked = mark?.id === note.now.id && mark.state !== 'whole'
  if (!isMarked) await checkServerEnd(work, note.now, onServer)
  // The note is written before the mark, so that whoever finds the mark finds the way to go on.
  note.change({})
  reach('migrate.begun')
  const state = to === 'sqlite' ? 'leaving' : 'filling'
  if (!isMarked) await onServer.marks.write({ id: note.now.id, state })
  reach('migrate.marked')
  if (to === 'sqlite' && note.now.phase === 'texts') await pause(timer, gatewaysNoticeMs, signal)
  signal.throwIfAborted()
}

async function moveTexts(work: MoveWork): Promise<void> {
  const { source, target, note, reports, reach, signal } = work
  for await (const { texts } of copyTexts(source.texts, target.texts)) {
    reach('migrate.texts-copied')
    signal.throwIfAborted()
    reports.texts(texts)
  }
  note.change({ phase: 'events' })
}

async function moveEvents(work: MoveWork): Promise<void> {
  const { folder, to, timer, source, target, note, reports, reach, signal } = work
  const end = await source.store.lastPosition()
  const sent = folder.feed.read()?.position
  const { place } = note.now
  const from = {
    source: BigInt(place.source),
    target: BigInt(place.target),
    events: place.events,
  }
  const pages = copyLog({
    source: source.store,
    target: target.store,
    from,
    timer,
    appendsAtOnce: to === 'sqlite' ? APPENDS_TO_FILE : 1,
  })
  for await (const { source: position, target: copied, events } of pages) {
    reach('migrate.copied')
    // What the feed has sent behind this page it sends again: at least once is what it promises.
    const isSent = sent !== undefined && position <= sent
    note.change({
      place: { source: `${position}`, target: `${copied}`, events },
      ...(isSent ? { feed: `${copied}` } : {}),
    })
    reports.events(events - from.events, { position, end })
    signal.throwIfAborted()
  }
}

/** The copy is read from its start to its end: its chains, and whether it is the original. */
async function compareAll(work: MoveWork): Promise<void> {
  const { source, target, note, reports, reach, signal } = work
  for await (const { texts } of compareTexts(source.texts, target.texts)) {
    signal.throwIfAborted()
    reports.comparedTexts(texts)
  }
  const end = await target.store.lastPosition()
  const { streams, broken } = await verifyLog(new ComparedLog(source.store, target.store), {
    signal,
    onProgress: ({ events, position }) => reports.comparedEvents(events, { position, end }),
  })
  const [first] = broken
  if (first !== undefined) throw new BrokenChainError(first.stream, first.revision)
  reports.compared(streams)
  note.change({ phase: 'moved' })
  reach('migrate.compared')
}
