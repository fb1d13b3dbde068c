/**
 * Goes through a whole log over the port: it works for every adapter, and trusts none of them.
 *
 * It follows the hash chain of every stream at once, which shows any edit of what is there. A chain
 * alone does not show that its end was cut off, or that a whole stream is gone: what is left is a
 * sound history. That shows where something else remembers the log as it was: its positions, when
 * they have no gaps; witnesses, such as the views; and an anchor, which is the head of the log as
 * it was printed before.
 *
 * A server can also hide from the readers of a stream what its log still has, and balances are made
 * of what readers see: so where that may be, the first event that can be read of each stream is
 * compared with the log.
 *
 * It can go on from a position up to which the log was verified. The streams that go on behind it
 * are followed from their last event before it, which has to be the one that the caller knows.
 */
import {
  BrokenChainError,
  type EventStore,
  NO_STREAM,
  type Position,
  type RecordedEvent,
  START,
  type StreamHead,
} from '@svc/contracts/ports/event-store'
import { verifyChain } from '@svc/contracts/ports/hash-chain'
import { inSteps, type Pace, stepSize } from '@svc/contracts/ports/pace'
import { damageIn } from '@svc/contracts/ports/quarantine'
import { SharedPace } from '../system/shared-pace.ts'
import { LogDigest, type LogHead } from './log-head.ts'
import { type LogWitness, Witnesses } from './log-witnesses.ts'

/** How many events are read in one step and checked in the next: about a millisecond each. */
const PAGE_EVENTS = 250
const STEP_WITNESSES = 250
/** Streams whose beginnings are read at once, each by a call of its own. */
const STEP_BEGINNINGS = 16

export interface VerifyProgress {
  readonly events: number
  readonly position: Position
  /** Events of others that were passed over, where the log is shared with them. */
  readonly passedOver: number
}

export interface BrokenStream {
  readonly stream: string
  /** The first revision that does not fit; what lies behind it is not looked at. */
  readonly revision: number
  /** The cause, in words that end a sentence about the stream. */
  readonly cause: string
}

export interface VerifyResult {
  readonly streams: number
  readonly events: number
  readonly broken: readonly BrokenStream[]
  /** Streams whose chain holds, and the first event of each that nobody can read. */
  readonly unreadable: readonly BrokenStream[]
  /** Positions without an event, in a log that has none. */
  readonly missingPositions: bigint
  /** Witnesses whose event the log does not hold. */
  readonly contradicted: readonly LogWitness[]
  /** What became of the anchor; undefined when none was given. */
  readonly anchor: AnchorFinding | undefined
  /**
   * The head to be noted down: the anchor of a later verification. Undefined for an empty log, and
   * for one that was not verified from its start: the digest covers all events.
   */
  readonly head: LogHead | undefined
  /** The position of the last event that was looked at. */
  readonly position: Position
}

/**
 * What became of the anchor. `cut`: the log ends before it. `differs`: what lies before it is not
 * the same.
 */
export type AnchorFinding = 'holds' | 'cut' | 'differs'

export interface VerifyOptions {
  /** The pace of the steps. Default: a pace of its own. */
  readonly pace?: Pace
  /** Is called after each page, and while events of others are passed over. */
  readonly onProgress?: (progress: VerifyProgress) => void
  readonly signal?: AbortSignal
  /** Whether positions of this store are 0, 1, 2 … */
  readonly densePositions?: boolean
  /** Whether the store may hide events from the readers of a stream that its log still has. */
  readonly mayHideEvents?: boolean
  readonly witnesses?: Iterable<LogWitness>
  readonly anchor?: LogHead | undefined
  readonly from?: VerifiedStart | undefined
  /** Tells why an event is none of ours; undefined when it is one. Default: every event is. */
  readonly unreadableBecause?: (event: RecordedEvent) => string | undefined
}

/** The place up to which the log was verified before. */
export interface VerifiedStart {
  readonly position: Position
  /** Whether the event, which lies at the position or before it, is the one that was signed. */
  isKnown(event: RecordedEvent): boolean
}

/**
 * Keeps one head per stream in memory, about 200 bytes.
 *
 * @throws when the signal aborts
 */
export async function verifyLog(
  store: Pick<EventStore, 'readAll' | 'readStream'>,
  options: VerifyOptions = {},
): Promise<VerifyResult> {
  const { pace = new SharedPace(), onProgress = () => {}, signal } = options
  const witnesses = new Witnesses()
  // The witnesses are added in steps, because there may be one for each account.
  const add = (witness: LogWitness): void => witnesses.add(witness)
  await inSteps(pace, options.witnesses ?? [], STEP_WITNESSES, add, signal)
  const walk = new LogWalk(options, witnesses)
  const { from } = options
  let passedOver = 0
  const report = () => onProgress({ events: walk.events, position: walk.position, passedOver })
  const onPassedOver = (events: number) => {
    passedOver += events
    report()
  }
  for (;;) {
    signal?.throwIfAborted()
    const limit = stepSize(pace, PAGE_EVENTS)
    const request = { after: walk.position, limit, onPassedOver }
    const page = await pace.step(() => store.readAll(request))
    if (page.length === 0) {
      if (from !== undefined) await meetAtOnce(store, witnesses, { pace, signal })
      if (options.mayHideEvents === true) await compareBeginnings(store, walk, { pace, signal })
      return walk.result()
    }
    if (from !== undefined) await pace.step(() => walk.beginStreams(page, store, from))
    await pace.step(() => walk.take(page))
    report()
  }
}

interface LongWork {
  readonly pace: Pace
  readonly signal: AbortSignal | undefined
}

/** Checks witnesses whose events lie before the start: each is read by itself. */
async function meetAtOnce(
  store: Pick<EventStore, 'readStream'>,
  witnesses: Witnesses,
  { pace, signal }: LongWork,
): Promise<void> {
  for (const { stream, revision } of [...witnesses.unmet]) {
    signal?.throwIfAborted()
    const request = { stream, direction: 'forwards', from: revision, limit: 1 } as const
    const [event] = await pace.step(() => soundEvents(store.readStream(request)))
    if (event !== undefined) witnesses.compare(event)
  }
}

/**
 * Compares the beginnings of streams, which their readers see first, with the chains in the log.
 */
async function compareBeginnings(
  store: Pick<EventStore, 'readStream'>,
  walk: LogWalk,
  { pace, signal }: LongWork,
): Promise<void> {
  const streams = walk.soundStreams()
  for (let at = 0; at < streams.length; at += STEP_BEGINNINGS) {
    signal?.throwIfAborted()
    const some = streams.slice(at, at + STEP_BEGINNINGS)
    const hidden = await pace.step(() =>
      Promise.all(some.map((stream) => hidesItsBeginning(store, stream))),
    )
    for (const [index, stream] of some.entries()) if (hidden[index]) walk.noteHidden(stream)
  }
}

async function hidesItsBeginning(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
): Promise<boolean> {
  try {
    const [first] = await store.readStream({ stream, direction: 'forwards', limit: 1 })
    return first?.revision !== 0
  } catch (error) {
    // The first event that comes is not the first of the chain.
    if (error instanceof BrokenChainError) return true
    // The store knows that it hides events, and says so itself.
    if (damageIn(error) !== undefined) return false
    throw error
  }
}

/** Reads the events of a stream; none of one that cannot be relied on. */
async function soundEvents(
  reading: Promise<readonly RecordedEvent[]>,
): Promise<readonly RecordedEvent[]> {
  try {
    return await reading
  } catch (error) {
    if (damageIn(error) !== undefined) return []
    throw error
  }
}

class LogWalk {
  readonly #chains: Chains
  readonly #digest = new LogDigest()
  readonly #witnesses: Witnesses
  readonly #options: VerifyOptions
  #missingPositions = 0n
  #anchor: AnchorFinding | undefined
  events = 0
  position: Position

  constructor(options: VerifyOptions, witnesses: Witnesses) {
    this.#options = options
    this.position = options.from?.position ?? START
    this.#chains = new Chains(options.unreadableBecause ?? (() => undefined))
    this.#witnesses = witnesses
  }

  take(page: readonly RecordedEvent[]): void {
    for (const event of page) {
      if (this.#options.densePositions === true) {
        this.#missingPositions += event.position - this.position - 1n
      }
      this.#chains.follow(event)
      this.#witnesses.compare(event)
      this.#digest.take(event)
      this.position = event.position
      this.events += 1
      if (event.position === this.#options.anchor?.position) this.#anchor = this.#compareAnchor()
    }
  }

  soundStreams(): readonly string[] {
    return this.#chains.sound()
  }

  noteHidden(stream: string): void {
    this.#chains.noteHidden(stream)
  }

  /** Learns what lies before the first event of each stream that is met now. */
  async beginStreams(
    page: readonly RecordedEvent[],
    store: Pick<EventStore, 'readStream'>,
    from: VerifiedStart,
  ): Promise<void> {
    const met = new Set<string>()
    for (const { stream, revision } of page) {
      if (met.has(stream) || this.#chains.has(stream)) continue
      met.add(stream)
      // A stream that has begun behind the start: its next events follow on this one.
      if (revision === 0) continue
      const request = { stream, direction: 'forwards', from: revision - 1, limit: 1 } as const
      const [before] = await soundEvents(store.readStream(request))
      const isSound =
        before !== undefined && before.position <= from.position && from.isKnown(before)
      this.#chains.begin(stream, isSound ? before : revision - 1)
    }
  }

  result(): VerifyResult {
    const { anchor, from } = this.#options
    const { position, events } = this
    const unmet = anchor !== undefined && anchor.position > position ? 'cut' : 'differs'
    return {
      streams: this.#chains.count,
      events,
      broken: this.#chains.broken,
      unreadable: [...this.#chains.unreadable.values()],
      missingPositions: this.#missingPositions,
      contradicted: this.#witnesses.contradicted,
      anchor: anchor === undefined ? undefined : (this.#anchor ?? unmet),
      head:
        events === 0 || from !== undefined ? undefined : { position, digest: this.#digest.digest },
      position,
    }
  }

  #compareAnchor(): AnchorFinding {
    return this.#digest.digest === this.#options.anchor?.digest ? 'holds' : 'differs'
  }
}

class Chains {
  readonly broken: BrokenStream[] = []
  /** The streams that cannot be read, by their names. */
  readonly unreadable = new Map<string, BrokenStream>()
  readonly #heads = new Map<string, StreamHead | 'broken'>()
  readonly #unreadableBecause: NonNullable<VerifyOptions['unreadableBecause']>

  constructor(unreadableBecause: NonNullable<VerifyOptions['unreadableBecause']>) {
    this.#unreadableBecause = unreadableBecause
  }

  get count(): number {
    return this.#heads.size
  }

  has(stream: string): boolean {
    return this.#heads.has(stream)
  }

  /** The streams whose chain holds. */
  sound(): readonly string[] {
    return [...this.#heads].flatMap(([stream, head]) => (head === 'broken' ? [] : [stream]))
  }

  noteHidden(stream: string): void {
    this.#heads.set(stream, 'broken')
    this.unreadable.delete(stream)
    const cause =
      'the log has the event, and the event store hides it from the readers of the stream'
    this.broken.push({ stream, revision: 0, cause })
  }

  /** @param head the event before the next one, or the revision of one that is not sound */
  begin(stream: string, head: StreamHead | number): void {
    if (typeof head === 'number') {
      this.#heads.set(stream, 'broken')
      const cause = 'the event is not the one that was signed'
      this.broken.push({ stream, revision: head, cause })
    } else this.#heads.set(stream, { revision: head.revision, hash: head.hash })
  }

  follow(event: RecordedEvent): void {
    const { stream, revision } = event
    const head = this.#heads.get(stream) ?? NO_STREAM
    if (head === 'broken') return
    const unreadable = this.#unreadableBecause(event)
    try {
      this.#heads.set(stream, verifyChain(head, [event]))
    } catch (error) {
      if (!(error instanceof BrokenChainError)) throw error
      this.#heads.set(stream, 'broken')
      this.unreadable.delete(stream)
      const cause = causeOf(event, head, unreadable)
      this.broken.push({ stream, revision: error.revision, cause })
      return
    }
    if (unreadable === undefined || this.unreadable.has(stream)) return
    this.unreadable.set(stream, { stream, revision, cause: `event ${event.type}: ${unreadable}` })
  }
}

function causeOf(
  { revision, type }: RecordedEvent,
  head: StreamHead,
  unreadable: string | undefined,
): string {
  if (revision !== head.revision + 1)
    return `the event is missing, and revision ${revision} follows`
  if (unreadable !== undefined) return `event ${type}: ${unreadable}`
  return `event ${type} does not fit the chain: it was altered, or is none of ours`
}
