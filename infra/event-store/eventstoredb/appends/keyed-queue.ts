/**
 * Lets appends through to the server: one at a time for each stream, a bounded number in all.
 *
 *     waits for its stream ──▶ waits for a place ──▶ at work ──▶ settled: the place is free again
 *           └───────── waited too long ─────────┴──▶ refused: nothing of it was sent
 *
 * The work may end before the server has answered, when its timer runs out. The stream is then
 * free, because a repetition is what settles such an append, but the place stays taken until the
 * client has let go of it: otherwise a server that stands still would fill the memory.
 */
import { StoreAwayError, StoreBusyError, StoreClosedError } from '@svc/contracts/ports/event-store'
import { systemTimer } from '../../../system/system-timer.ts'

/**
 * The most appends that are under way. More would only add latency: this many already share each
 * fsync of the server.
 */
export const APPENDS_AT_WORK_MAX = 64
const WAITING_APPENDS_MAX = 4_096
/** Bytes of data and metadata that may wait, in all streams together. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024

/** Keeps the place of an append taken until the promise has settled. */
export type HoldPlace = (settled: Promise<unknown>) => void

interface Entry {
  readonly stream: string
  readonly bytes: number
  readonly since: number
  readonly start: () => void
  cancelTimer: () => void
}

export interface KeyedQueueOptions {
  readonly waitMs: number
  /** An append has waited too long for a place. @param since of `performance.now()` */
  readonly onStarved: (since: number) => void
}

export class KeyedQueue {
  readonly #options: KeyedQueueOptions
  /** The entries that wait for the append under way of their stream, by stream. */
  readonly #queues = new Map<string, Set<Entry>>()
  /** The entries that may begin, in their order. Each has the queue of its stream. */
  readonly #ready = new Set<Entry>()
  readonly #underWay = new Set<Promise<unknown>>()
  #atWork = 0
  #waiting = 0
  #waitingBytes = 0
  #isClosed = false

  constructor(options: KeyedQueueOptions) {
    this.#options = options
  }

  /** How many places are taken. */
  get atWork(): number {
    return this.#atWork
  }

  /**
   * @throws {StoreClosedError}
   * @throws {StoreBusyError} when too many wait already
   * @throws {StoreAwayError} when it has waited too long
   */
  async run<Result>(
    stream: string,
    bytes: number,
    work: (hold: HoldPlace) => Promise<Result>,
  ): Promise<Result> {
    if (this.#isClosed) throw new StoreClosedError()
    if (this.#waiting >= WAITING_APPENDS_MAX || this.#waitingBytes + bytes > WAITING_BYTES_MAX) {
      throw new StoreBusyError()
    }
    const running = this.#wait(stream, bytes).then(() => this.#work(stream, work))
    this.#underWay.add(running)
    try {
      return await running
    } finally {
      this.#underWay.delete(running)
    }
  }

  /** Refuses new appends and resolves when none is under way; places may still be taken. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#underWay)
  }

  #wait(stream: string, bytes: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const since = performance.now()
    const entry: Entry = { stream, bytes, since, start: resolve, cancelTimer: () => {} }
    entry.cancelTimer = systemTimer.after(this.#options.waitMs, () => this.#giveUp(entry, reject))
    this.#waiting += 1
    this.#waitingBytes += bytes
    const queue = this.#queues.get(stream)
    if (queue !== undefined) {
      queue.add(entry)
    } else {
      this.#queues.set(stream, new Set())
      this.#ready.add(entry)
      this.#startReady()
    }
    return promise
  }

  async #work<Result>(stream: string, work: (hold: HoldPlace) => Promise<Result>): Promise<Result> {
    const held: Promise<unknown>[] = []
    try {
      return await work((settled) => held.push(settled))
    } finally {
      this.#passQueueOn(stream)
      if (held.length === 0) this.#freePlace()
      else void Promise.allSettled(held).then(() => this.#freePlace())
    }
  }

  #startReady(): void {
    for (const entry of this.#ready) {
      if (this.#atWork >= APPENDS_AT_WORK_MAX) return
      this.#ready.delete(entry)
      this.#stopWaiting(entry)
      this.#atWork += 1
      entry.start()
    }
  }

  #freePlace(): void {
    this.#atWork -= 1
    this.#startReady()
  }

  #passQueueOn(stream: string): void {
    const queue = this.#queues.get(stream)
    const [next] = queue ?? []
    if (next === undefined) {
      this.#queues.delete(stream)
      return
    }
    queue?.delete(next)
    this.#ready.add(next)
    this.#startReady()
  }

  #giveUp(entry: Entry, reject: (error: Error) => void): void {
    this.#stopWaiting(entry)
    reject(new StoreAwayError('the event store is too slow: an append waited too long'))
    if (this.#ready.delete(entry)) {
      this.#passQueueOn(entry.stream)
      this.#options.onStarved(entry.since)
    } else {
      this.#queues.get(entry.stream)?.delete(entry)
    }
  }

  #stopWaiting(entry: Entry): void {
    entry.cancelTimer()
    this.#waiting -= 1
    this.#waitingBytes -= entry.bytes
  }
}
