/**
 * What this folder remembers of the log, so that a verification finds out when its end is gone: the
 * checkpoints of the views and the heads of the snapshots, as they were found, and the furthest
 * event that was ever seen, noted in a file beside the log.
 *
 * A view that has seen more than the log holds is built anew when it is opened. The note is not: it
 * stays at an event that the log has lost until the operator removes it.
 */
import {
  BrokenChainError,
  DamagedStreamError,
  type EventStore,
} from '@svc/contracts/ports/event-store'
import type { KnownHead, SnapshotStore } from '@svc/contracts/ports/snapshot-store'
import type { LogWitness } from '@svc/infra/event-store/log-witnesses'
import type { Projections } from '@svc/projections/open-projections'
import type { Logger } from 'pino'
import type { DataFolder } from '../data-folder/data-folder.ts'
import type { LogHeadRecord } from '../data-folder/note-shapes.ts'

/** What is written in this time and then cut off is remembered by the views alone. */
const NOTE_EVERY_MS = 60_000
const PAGE_SNAPSHOTS = 250

export interface LogMemoryPorts {
  readonly folder: DataFolder
  readonly store: Pick<EventStore, 'readStream'>
  readonly snapshots: Pick<SnapshotStore, 'heads'>
  readonly projections: Pick<Projections, 'checkpoints'>
  readonly logger: Logger
}

export class LogMemory {
  readonly #ports: LogMemoryPorts
  readonly #found: readonly LogWitness[]
  readonly #mayNote: boolean
  #noted: LogHeadRecord | undefined
  #timer: NodeJS.Timeout | undefined

  private constructor(ports: LogMemoryPorts, noted: LogHeadRecord | undefined, holds: boolean) {
    this.#ports = ports
    this.#noted = noted
    this.#mayNote = holds
    const views = ports.projections.checkpoints().map(({ name, ...checkpoint }) => {
      return { source: `the view ${name}`, ...checkpoint }
    })
    const note = noted === undefined ? [] : [{ source: 'log-head.json', ...noted }]
    this.#found = [...views, ...note]
  }

  /** Opens the memory. This has to come before the views follow the log. */
  static async open(ports: LogMemoryPorts): Promise<LogMemory> {
    const noted = ports.folder.readLogHead()
    const holds = noted === undefined || (await isInLog(ports.store, noted))
    if (noted !== undefined && !holds) {
      const { stream, revision } = noted
      ports.logger.warn(
        { stream, revision },
        'event log does not hold what it held, see svc verify, and erase again what was erased since',
      )
    }
    return new LogMemory(ports, noted, holds)
  }

  start(): void {
    this.#timer = setInterval(() => this.#note(), NOTE_EVERY_MS)
    this.#timer.unref()
  }

  /** The views must be at their last checkpoint. */
  close(): void {
    clearInterval(this.#timer)
    this.#note()
  }

  *witnesses(): Generator<LogWitness> {
    yield* this.#found
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page: readonly KnownHead[] = this.#ports.snapshots.heads(after, PAGE_SNAPSHOTS)
      for (const { stream, head } of page) {
        if (head === undefined) continue
        yield { source: 'a snapshot', stream, ...head, onlyIfStreamExists: true }
      }
      after = page.at(-1)?.stream
    }
  }

  #note(): void {
    if (!this.#mayNote) return
    const furthest = this.#ports.projections
      .checkpoints()
      .reduce<({ position: bigint } & LogHeadRecord) | undefined>(
        (far, checkpoint) =>
          far === undefined || checkpoint.position > far.position ? checkpoint : far,
        undefined,
      )
    if (furthest === undefined || furthest.hash === this.#noted?.hash) return
    const { stream, revision, hash } = furthest
    this.#noted = { stream, revision, hash }
    try {
      this.#ports.folder.writeLogHead(this.#noted)
    } catch (error) {
      // A full disk: the views and the snapshots remember too.
      this.#ports.logger.warn({ err: error }, 'failed to note the head of the log')
    }
  }
}

async function isInLog(
  store: Pick<EventStore, 'readStream'>,
  { stream, revision, hash }: LogHeadRecord,
): Promise<boolean> {
  const request = { stream, direction: 'forwards', from: revision, limit: 1 } as const
  try {
    const [event] = await store.readStream(request)
    return event?.hash === hash
  } catch (error) {
    if (error instanceof BrokenChainError) return false
    // The error is about this stream, and says nothing about the rest of the log.
    if (error instanceof DamagedStreamError) return true
    throw error
  }
}
