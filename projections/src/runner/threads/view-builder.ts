/** What a thread does for the one that has started it: builds the files of some views. */
import { DatabaseSync } from 'node:sqlite'
import { type Position, START } from '@svc/contracts/ports/event-store'
import type { StreamDamage } from '@svc/contracts/ports/quarantine'
import { projectionNamed } from '../../followed/followed-projections.ts'
import { type Differences, findDifferences } from '../beside/compare.ts'
import { readCheckpoint } from '../file/view-database.ts'
import { ViewFile, type ViewPorts, type ViewSnapshot } from '../file/view-file.ts'
import { type FoldLog, foldLog } from '../fold-log.ts'
import type { FoldedPlace } from '../live-view.ts'
import { type EventPage, unpackEvents } from './event-page.ts'
import { RemoteLog } from './remote-log.ts'
import type { ThreadCalls } from './thread-calls.ts'
import { ThreadPace, type ThreadSignals } from './thread-pace.ts'

/** The questions that the thread asks of the one that has the log. */
export type LogHandlers = {
  /** @param asked.folded how far the thread is, for whoever looks at the progress */
  readPage(asked: { after: Position; folded: FoldedPlace }): Promise<EventPage>
  inspect(asked: { stream: string }): Promise<StreamDamage | undefined>
}

export interface FoldOrder {
  readonly names: readonly string[]
  readonly until: Position
  /** Whether a view that cannot fold an event stays before it, while the others go on. */
  readonly isLenient: boolean
}

export interface FoldOutcome {
  readonly folded: FoldedPlace
  /** Why views stopped before the end, by their names. */
  readonly stopped: Readonly<Record<string, string>>
}

export type BuilderHandlers = {
  open(asked: { views: readonly { name: string; path: string }[] }): void
  fold(asked: FoldOrder): Promise<FoldOutcome>
  /** Opens the rows of the live view, as they are now, to be compared. */
  openLive(asked: { name: string; path: string }): FoldedPlace
  /** Compares them with what was folded. */
  compare(asked: { name: string }): Promise<Differences>
  prepare(asked: { name: string }): Promise<void>
  complete(asked: { name: string }): Promise<void>
}

export interface BuildThreadData {
  readonly signals: ThreadSignals
}

/** Files that are built here are closed before anybody keeps them. */
const ports: ViewPorts = {
  keepFile() {
    throw new Error('a file that is built in a thread is kept by the one that takes it over')
  },
  beforeCommit() {},
  afterCommit() {},
}

/** The thread is ended as it is: nothing here waits for a signal. */
const neverAborted = new AbortController().signal

export class ViewBuilder {
  readonly #files = new Map<string, ViewFile>()
  readonly #snapshots = new Map<string, ViewSnapshot>()
  readonly #pace: ThreadPace
  readonly #log: () => ThreadCalls<LogHandlers>
  readonly #store: RemoteLog
  #folded: FoldedPlace = { position: START, events: 0 }

  /** @param log answers what is asked of the log */
  constructor({ signals }: BuildThreadData, log: () => ThreadCalls<LogHandlers>) {
    this.#pace = new ThreadPace(signals)
    this.#log = log
    this.#store = new RemoteLog(async (after) => {
      const page = await log().call('readPage', { after, folded: this.#folded })
      return unpackEvents(page)
    })
  }

  get handlers(): BuilderHandlers {
    return {
      open: ({ views }) => {
        for (const { name, path } of views) {
          this.#files.set(name, new ViewFile(projectionNamed(name), path, ports))
        }
      },
      fold: (order) => this.#fold(order),
      openLive: ({ name, path }) => this.#openLive(name, path),
      compare: ({ name }) => this.#compare(name),
      prepare: ({ name }) => this.#file(name).prepare(this.#pace),
      complete: ({ name }) => this.#file(name).complete(),
    }
  }

  async #fold({ names, until, isLenient }: FoldOrder): Promise<FoldOutcome> {
    const files = names.map((name) => this.#file(name))
    const stopped: Record<string, string> = {}
    const going = () => files.filter(({ projection: { name } }) => stopped[name] === undefined)
    const foldTo = (some: readonly ViewFile[], position: Position) =>
      foldLog(some, position, this.#foldingFor(isLenient ? stopped : undefined), (file) => {
        this.#folded = placeOf(file)
      })
    // After a trouble in between, some files have gone back to their last commit.
    const furthest = furthestOf(files)
    for (const file of files) await foldTo([file], furthest)
    await foldTo(going(), until)
    const [last] = going()
    return { folded: last === undefined ? this.#folded : placeOf(last), stopped }
  }

  /** @param stopped gets the views that stay before an event. Default: that is thrown */
  #foldingFor(stopped: Record<string, string> | undefined): FoldLog {
    return {
      store: this.#store,
      pace: this.#pace,
      signal: neverAborted,
      inspect: (stream) => this.#log().call('inspect', { stream }),
      ...(stopped && {
        onUnfoldable: ({ projection }, { message }) => {
          stopped[projection.name] = message
        },
      }),
    }
  }

  #openLive(name: string, path: string): FoldedPlace {
    const database = new DatabaseSync(path, { readOnly: true })
    // The reader sees from then on what its first reading finds.
    database.exec('BEGIN')
    const checkpoint = readCheckpoint(database)
    this.#snapshots.set(name, { database, checkpoint, close: () => database.close() })
    const { position, events } = checkpoint
    return { position, events }
  }

  async #compare(name: string): Promise<Differences> {
    const snapshot = this.#snapshots.get(name)
    if (snapshot === undefined) throw new Error(`the live view ${name} is not open`)
    const built = this.#file(name)
    try {
      built.commit()
      const build = { pace: this.#pace, signal: neverAborted }
      return await findDifferences(built.projection, snapshot.database, built.database, build)
    } finally {
      snapshot.close()
      this.#snapshots.delete(name)
    }
  }

  #file(name: string): ViewFile {
    const file = this.#files.get(name)
    if (file === undefined) throw new Error(`the view ${name} is not built here`)
    return file
  }
}

function placeOf({ folded: { position, events } }: ViewFile): FoldedPlace {
  return { position, events }
}

function furthestOf(files: readonly ViewFile[]): Position {
  let furthest = START
  for (const { folded } of files) if (folded.position > furthest) furthest = folded.position
  return furthest
}
