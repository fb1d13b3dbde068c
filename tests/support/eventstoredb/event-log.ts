/**
 * What is committed. It stands for the files of the real server: it outlives every stop and kill of
 * the double that writes it.
 */
import { randomUUID } from 'node:crypto'
import { type AppendDecision, decideAppend, type ExpectedRevision } from './append-decision.ts'
import { type ProposedEvent, recordBytes, type StoredEvent, storeEvent } from './stored-event.ts'
import { DELETED_FOR_EVER, StreamLog } from './stream-log.ts'

/** Position 0 means the start of the log and is no event's; the real log begins with an epoch. */
const FIRST_POSITION = 416

/** The type of an event in `$settings`. */
const DEFAULT_ACL = 'update-default-acl'

/** The revision that the real server gives to the event of such a deletion. */
const REVISION_OF_DELETION = 2n ** 63n - 1n

/** The ids that `any` is checked against; the real server keeps 8 MiB of them. */
const RECENT_IDS_MAX = 100_000

export type AppendOutcome =
  | { readonly kind: 'success'; readonly revision: number; readonly position: number | undefined }
  /** An empty append to a stream that is absent, and stays so. */
  | { readonly kind: 'success without a stream' }
  | { readonly kind: 'wrong expected version'; readonly last: number }
  | { readonly kind: 'stream deleted' }

export class EventLog {
  /** The server's clock. */
  readonly nowMs: () => number
  readonly #all: StoredEvent[] = []
  readonly #streams = new Map<string, StreamLog>()
  readonly #recent = new Map<string, StoredEvent>()
  readonly #listeners = new Set<() => void>()
  #end = FIRST_POSITION
  #defaultAcl: unknown
  #readable = Number.POSITIVE_INFINITY

  constructor(nowMs: () => number) {
    this.nowMs = nowMs
  }

  /** All events in the order of the log. Reads see only the first {@link readableCount}. */
  get all(): readonly StoredEvent[] {
    return this.#all
  }

  /** Who may do what with streams that say nothing themselves. */
  get defaultAcl(): unknown {
    return this.#defaultAcl
  }

  get readableCount(): number {
    return Math.min(this.#readable, this.#all.length)
  }

  /** The stream with this name; one without events, if there is none. */
  stream(name: string): StreamLog {
    const known = this.#streams.get(name)
    if (known !== undefined) return known
    const made = new StreamLog(name)
    this.#streams.set(name, made)
    return made
  }

  /** Writes all of the events or none, unless they are written already. */
  append(
    name: string,
    expected: ExpectedRevision,
    events: readonly ProposedEvent[],
  ): AppendOutcome {
    const stream = this.stream(name)
    if (stream.isTombstoned) return { kind: 'stream deleted' }
    const decision = this.#decide(stream, expected, events)
    if (decision === 'wrong expected version') return { kind: decision, last: stream.last }
    if (decision === 'write') return this.#write(stream, events)
    const original = stream.eventAt(decision.writtenAt)
    const isHidden = decision.writtenAt < stream.firstReadable
    const position = isHidden ? undefined : original?.position
    return { kind: 'success', revision: decision.writtenAt, position }
  }

  /** Sets a stream's metadata as the real server keeps it: as an event of another stream. */
  setMetadata(name: string, metadata: object): StoredEvent {
    const stream = this.stream(`$$${name}`)
    this.#write(stream, [jsonEvent('$metadata', metadata)])
    return this.#lastOf(stream)
  }

  /** Deletes a stream for ever. */
  tombstone(name: string): StoredEvent {
    const stream = this.stream(name)
    const nothing = Buffer.alloc(0)
    this.#write(stream, [{ ...jsonEvent(DELETED_FOR_EVER, {}), data: nothing, metadata: nothing }])
    return this.#lastOf(stream)
  }

  /** An event that the server writes by itself, such as the epoch that each start begins. */
  writeSystemEvent(stream: string, type: string, data: object): void {
    this.#write(this.stream(stream), [jsonEvent(type, data)])
  }

  /** Hides what is written from here on from reads until {@link showAll}: the index lags. */
  hideFromHere(): void {
    this.#readable = Math.min(this.#readable, this.#all.length)
  }

  showAll(): void {
    if (this.#readable === Number.POSITIVE_INFINITY) return
    this.#readable = Number.POSITIVE_INFINITY
    this.#notify()
  }

  /**
   * As an older copy of the files: only the first events are there.
   *
   * @returns puts the files back as they were
   */
  cutBack(count: number): () => void {
    const [end, all] = [this.#end, [...this.#all]]
    const undo = [...this.#streams.values()].map((stream) => stream.cutBack(count))
    this.#end = this.#all[count]?.position ?? this.#end
    this.#all.length = Math.min(count, this.#all.length)
    this.#recent.clear()
    return () => {
      this.#end = end
      this.#all.splice(0, this.#all.length, ...all)
      for (const putBack of undo) putBack()
      this.#recent.clear()
    }
  }

  /** A restart forgets the ids that `any` is checked against. */
  forgetRecentIds(): void {
    this.#recent.clear()
  }

  /** @returns what ends the listening */
  onGrowth(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * How many events stand before a position. `undefined` when it lies inside a record; all of them
   * when it lies beyond the end.
   */
  indexAt(position: bigint): number | undefined {
    const wanted = Number(position)
    if (wanted === 0) return 0
    let low = 0
    let high = this.#all.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#all[middle]?.position ?? 0) < wanted) low = middle + 1
      else high = middle
    }
    if (low < this.#all.length) return this.#all[low]?.position === wanted ? low : undefined
    return wanted >= this.#end ? low : undefined
  }

  #decide(
    stream: StreamLog,
    expected: ExpectedRevision,
    events: readonly ProposedEvent[],
  ): AppendDecision {
    return decideAppend(
      expected,
      events.map(({ id }) => id),
      {
        last: stream.last,
        isSoftDeleted: stream.isSoftDeleted,
        eventAt: (revision) => stream.eventAt(revision),
        recent: (id) => {
          const event = this.#recent.get(id)
          return event?.stream === stream.name ? event : undefined
        },
      },
    )
  }

  #write(stream: StreamLog, events: readonly ProposedEvent[]): AppendOutcome {
    if (stream.isSoftDeleted && events.length > 0) this.#revive(stream)
    const revived: StreamLog[] = []
    for (const event of events) {
      const stored = storeEvent(event, {
        stream: stream.name,
        revision: stream.last + 1,
        position: this.#end,
        index: this.#all.length,
        createdMs: this.nowMs(),
        shownRevision: event.type === DELETED_FOR_EVER ? REVISION_OF_DELETION : undefined,
      })
      this.#end += recordBytes(stream.name, event)
      this.#all.push(stored)
      stream.events.push(stored)
      this.#remember(stored)
      if (event.type === DEFAULT_ACL) this.#defaultAcl = jsonIn(event)
      const described = this.#streamDescribed(stream.name, event)
      const wasDeleted = described?.isSoftDeleted
      described?.describe(event.data, stored.index)
      if (described !== undefined && wasDeleted && !described.isSoftDeleted) revived.push(described)
    }
    const outcome = this.#outcomeOf(stream)
    for (const described of revived) this.#hideWhatWasDeleted(described)
    if (events.length > 0) this.#notify()
    return outcome
  }

  #outcomeOf(stream: StreamLog): AppendOutcome {
    if (stream.last < 0) return { kind: 'success without a stream' }
    return { kind: 'success', revision: stream.last, position: this.#lastOf(stream).position }
  }

  /** The stream whose settings an event holds, if it does. */
  #streamDescribed(stream: string, { type }: ProposedEvent): StreamLog | undefined {
    const isDescription = stream.startsWith('$$') && type === '$metadata'
    return isDescription ? this.stream(stream.slice(2)) : undefined
  }

  /** What was before the deletion stays hidden when a deleted stream goes on. */
  #revive(stream: StreamLog): void {
    this.setMetadata(stream.name, { ...stream.metadata, $tb: stream.last + 1 })
  }

  /** So does the server itself when somebody takes a deletion back; a second time it does not. */
  #hideWhatWasDeleted(stream: StreamLog): void {
    const $tb = stream.last + 1
    if (stream.metadata.$tb !== $tb) this.setMetadata(stream.name, { ...stream.metadata, $tb })
  }

  #remember(event: StoredEvent): void {
    this.#recent.delete(event.id)
    this.#recent.set(event.id, event)
    if (this.#recent.size <= RECENT_IDS_MAX) return
    const [oldest] = this.#recent.keys()
    if (oldest !== undefined) this.#recent.delete(oldest)
  }

  #lastOf(stream: StreamLog): StoredEvent {
    const event = stream.eventAt(stream.last)
    if (event === undefined) throw new Error(`the stream ${stream.name} has no event`)
    return event
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}

function jsonIn({ data }: ProposedEvent): unknown {
  return JSON.parse(Buffer.from(data).toString())
}

function jsonEvent(type: string, data: object): ProposedEvent {
  return {
    id: randomUUID(),
    type,
    contentType: 'application/json',
    data: Buffer.from(JSON.stringify(data)),
    metadata: Buffer.alloc(0),
  }
}
