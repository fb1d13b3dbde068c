/**
 * Follows the hash chains of a whole log, of every stream at once, over the port: it works for
 * every adapter, and trusts none of them.
 *
 * What it cannot see is a tail that was cut off, or a stream that is gone altogether: what is left
 * is a sound history. That needs a head that was noted down elsewhere.
 */
import {
  BrokenChainError,
  type EventStore,
  NO_STREAM,
  type Position,
  type RecordedEvent,
  START,
  type StreamHead,
} from '@svc/contracts/event-store'
import { verifyChain } from '@svc/contracts/hash-chain'
import type { Pace } from '@svc/contracts/pace'
import { SharedPace } from '../system/shared-pace.ts'

/** Read in one step and checked in the next: about a millisecond each. */
const PAGE_EVENTS = 250

export interface VerifyProgress {
  readonly events: number
  readonly position: Position
}

export interface BrokenStream {
  readonly stream: string
  /** The first revision that does not fit; what lies behind it is not looked at. */
  readonly revision: number
}

export interface VerifyResult {
  readonly streams: number
  readonly events: number
  readonly broken: readonly BrokenStream[]
  /**
   * Position of the last event that was looked at: the end of the log when it started its last
   * page.
   */
  readonly position: Position
}

export interface VerifyOptions {
  /** Default: a pace of its own. */
  readonly pace?: Pace
  /** Called after each page. */
  readonly onProgress?: (progress: VerifyProgress) => void
  readonly signal?: AbortSignal
}

/**
 * Keeps one head per stream in memory, about 200 bytes.
 *
 * @throws when the signal aborts
 */
export async function verifyLog(
  store: Pick<EventStore, 'readAll'>,
  { pace = new SharedPace(), onProgress = () => {}, signal }: VerifyOptions = {},
): Promise<VerifyResult> {
  const chains = new Chains()
  let events = 0
  for (let position = START; ; ) {
    signal?.throwIfAborted()
    const request = { after: position, limit: PAGE_EVENTS }
    const page = await pace.step(() => store.readAll(request))
    const last = page.at(-1)
    if (last === undefined) {
      return { streams: chains.count, events, broken: chains.broken, position }
    }
    await pace.step(() => chains.follow(page))
    events += page.length
    position = last.position
    onProgress({ events, position })
  }
}

class Chains {
  readonly broken: BrokenStream[] = []
  readonly #heads = new Map<string, StreamHead | 'broken'>()

  get count(): number {
    return this.#heads.size
  }

  follow(page: readonly RecordedEvent[]): void {
    for (const event of page) this.#followOne(event)
  }

  #followOne(event: RecordedEvent): void {
    const head = this.#heads.get(event.stream) ?? NO_STREAM
    if (head === 'broken') return
    try {
      this.#heads.set(event.stream, verifyChain(head, [event]))
    } catch (error) {
      if (!(error instanceof BrokenChainError)) throw error
      this.#heads.set(event.stream, 'broken')
      this.broken.push({ stream: error.stream, revision: error.revision })
    }
  }
}
