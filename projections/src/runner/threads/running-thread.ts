/** One thread that builds views, as the one that has the log and the requests sees it. */
import { Worker } from 'node:worker_threads'
import type { InspectStream } from '../fold-singly.ts'
import type { FoldedPlace } from '../live-view.ts'
import type { PageReader } from './log-pages.ts'
import { type CallPort, ThreadCalls } from './thread-calls.ts'
import type { ThreadSignals } from './thread-pace.ts'
import type {
  BuilderHandlers,
  BuildThreadData,
  FoldOrder,
  FoldOutcome,
  LogHandlers,
} from './view-builder.ts'

/**
 * Megabytes of a thread's memory: rows of 20,000 events wait in it to be written. Room for young
 * objects is cheaper than their collection, which here holds up nobody.
 */
const THREAD_MEMORY = { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 64 }

/** The thread has ended by itself: by an error that it did not expect, or for want of memory. */
export class ThreadLostError extends Error {
  override readonly name = 'ThreadLostError'
}

export interface ThreadPorts {
  readonly environment: NodeJS.ProcessEnv
  readonly signals: ThreadSignals
  readonly reader: PageReader
  readonly inspect: InspectStream
  /** Is called before each page that the thread takes. */
  readonly onFolded: (folded: FoldedPlace) => void
}

export class RunningThread {
  readonly calls: ThreadCalls<BuilderHandlers>
  readonly #worker: Worker
  readonly #reader: PageReader

  constructor({ environment, signals, reader, inspect, onFolded }: ThreadPorts) {
    const data: BuildThreadData = { signals }
    this.#reader = reader
    this.#worker = new Worker(new URL('build-thread.ts', import.meta.url), {
      workerData: data,
      resourceLimits: THREAD_MEMORY,
      name: 'views',
      env: environment,
      argv: [],
      execArgv: [],
      stdin: false,
    })
    const handlers: LogHandlers = {
      readPage({ after, folded }) {
        onFolded(folded)
        return reader.packedBehind(after)
      },
      inspect: ({ stream }) => inspect(stream),
    }
    this.calls = new ThreadCalls(this.#worker as CallPort, handlers)
    this.#worker.on('error', (error) => this.#lose(`: ${String(error)}`))
    this.#worker.on('exit', () => this.#lose(''))
  }

  async fold(order: FoldOrder): Promise<FoldOutcome> {
    this.#reader.isReading = true
    try {
      return await this.calls.call('fold', order)
    } finally {
      this.#reader.isReading = false
    }
  }

  /** Ends it wherever it is: what it has not closed is worth nothing. */
  async end(why: Error): Promise<void> {
    this.calls.end(why)
    this.#reader.isReading = false
    await this.#worker.terminate()
  }

  #lose(why: string): void {
    this.calls.end(new ThreadLostError(`a thread that builds views has ended${why}`))
    this.#reader.isReading = false
  }
}
