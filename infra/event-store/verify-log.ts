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
  type Position,
  type RecordedEvent,
  START,
} from '@svc/contracts/ports/event-store'
import { inSteps, type Pace, stepSize } from '@svc/contracts/ports/pace'
import { damageIn } from '@svc/contracts/ports/quarantine'
import { SharedPace } from '../system/shared-pace.ts'
import { LogDigest, type LogHead } from './log-head.ts'
import { type LogWitness, Witnesses } from './log-witnesses.ts'
import { type BrokenStream, StreamChains, type UnreadableBecause } from './stream-chains.ts'

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
  /** Default: every event is one of ours. */
  readonly unreadableBecause?: UnreadableBecause
}

/** The place up to which the log was verified before. */
export interface VerifiedStart {
  readonly position: Position
  /** Whether the event, which lies at the position or before it, is the one that was signed. */
  isKnown(event: RecordedEvent): boolean
}

/**
 * Verifies the log from its start, or from the place up to which it was verified before, to its
 * end.
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
  readonly #chains: StreamChains
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
    this.#chains = new StreamChains(options.unreadableBecause ?? (() => undefined))
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
