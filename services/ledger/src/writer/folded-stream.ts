/**
 * A short stream that many processes read and write, such as the list of admin tokens: folded in
 * memory up to its head, and appended to at exactly that head.
 *
 *     append ─▶ decide against what is folded ─▶ append at the head ─▶ fold it
 *                        ▲                              │conflict
 *                        └──── read what others wrote ◀─┘
 */
import type { ServiceError } from '@svc/contracts/errors'
import { readStored } from '@svc/contracts/events/stored-event'
import {
  BrokenChainError,
  type EventStore,
  type NewEvent,
  NO_STREAM,
  type RecordedEvent,
  StoreUnavailableError,
  type StreamHead,
} from '@svc/contracts/ports/event-store'
import { damagedAt, damageIn, type Quarantine } from '@svc/contracts/ports/quarantine'
import type { Timer } from '@svc/contracts/ports/time'
import { defaultLimits, type LedgerLimits } from './ledger-limits.ts'
import { defect, isDamage, outcomeUnknown, recordsDamaged, storeUnavailable } from './refusals.ts'
import { appendUntilKnown, type KnownOutcome } from './settled-append.ts'

export interface FoldedStreamPorts {
  readonly store: EventStore
  readonly timer: Timer
  readonly limits?: Pick<LedgerLimits, 'conflictsInARow' | 'unknownOutcomeMs' | 'replayPageEvents'>
  /** The stream notes here that it cannot be relied on. */
  readonly quarantine?: Pick<Quarantine, 'note'> | undefined
}

/** The events of an append, which may need texts kept first. */
export type Decide = () => readonly NewEvent[] | Promise<readonly NewEvent[]>

export interface StreamFold {
  readonly stream: string
  /** `end` for a stream that is only appended to: what is in it already is not folded. */
  readonly from: 'start' | 'end'
  /**
   * The stream calls this once for each event, in order, with its revision. An event for which it
   * throws is none of ours.
   */
  fold(event: NewEvent, revision: number): void
}

export class FoldedStream {
  readonly #ports: FoldedStreamPorts
  readonly #fold: StreamFold
  #head: StreamHead = NO_STREAM
  #isAtEnd = false
  /** Reading and appending happen one after the other. */
  #last: Promise<unknown> = Promise.resolve()
  /** One look serves all who ask for it meanwhile. */
  #looking: Promise<void> | undefined

  constructor(ports: FoldedStreamPorts, fold: StreamFold) {
    this.#ports = ports
    this.#fold = fold
  }

  /**
   * Folds what other processes have appended by now. What stands before damage is folded.
   *
   * @throws {StoreUnavailableError} when the store is away
   * @throws {BrokenChainError}
   * @throws {DamagedStreamError}
   */
  readNewest(): Promise<void> {
    return this.#inTurn(() => this.#readOn())
  }

  /** Does the same for whoever can do with a look that has begun already. */
  catchUp(): Promise<void> {
    this.#looking ??= this.readNewest().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  /**
   * Resolves when the events are durable and folded.
   *
   * @param decide the events, from what is folded, or none; called again when others were first.
   *   What it throws refuses the append. Nothing is folded while it waits for something
   * @throws {ServiceError} `store_unavailable`
   */
  append(decide: Decide): Promise<void> {
    return this.#inTurn(() => this.#append(decide))
  }

  /** The last event that was folded or appended. */
  get head(): StreamHead {
    return this.#head
  }

  /** Resolves when all that was asked for so far has its outcome. */
  async settled(): Promise<void> {
    await this.#last
  }

  get #limits(): NonNullable<FoldedStreamPorts['limits']> {
    return this.#ports.limits ?? defaultLimits
  }

  async #append(decide: Decide): Promise<void> {
    if (!this.#isAtEnd) await this.#readOn().catch(refuse)
    for (let attempt = 0; attempt <= this.#limits.conflictsInARow; attempt += 1) {
      const events = await decided(decide)
      if (events.length === 0) return
      const outcome = await this.#send(events)
      if (outcome.kind === 'appended') {
        const first = this.#head.revision + 1
        this.#head = outcome.head
        for (const [index, event] of events.entries()) this.#fold.fold(event, first + index)
        return
      }
      // What is there under these ids may be what another process meant by the same.
      await this.#readOn().catch(refuse)
      if (outcome.kind === 'duplicate') return
    }
    throw storeUnavailable()
  }

  async #send(events: readonly NewEvent[]): Promise<KnownOutcome> {
    const { store, timer } = this.#ports
    const overdue = Promise.withResolvers<never>()
    const request = { stream: this.#fold.stream, expected: this.#head, events }
    const known = appendUntilKnown(request, {
      store,
      timer,
      boundMs: this.#limits.unknownOutcomeMs,
      onOverdue: (cause) => overdue.reject(outcomeUnknown(cause)),
      // Whatever becomes of it, the next append at this revision tells.
      isStopping: () => true,
    }).catch((cause) => {
      throw cause instanceof RangeError ? defect(cause) : refusalOf(cause)
    })
    known.catch(() => {})
    return Promise.race([known, overdue.promise])
  }

  async #readOn(): Promise<void> {
    this.#isAtEnd = false
    try {
      if (this.#fold.from === 'end') await this.#goToEnd()
      else await this.#readPages()
    } catch (error) {
      const damage = damageIn(error)
      if (damage !== undefined) this.#ports.quarantine?.note(damage)
      throw error
    }
    this.#isAtEnd = true
  }

  async #goToEnd(): Promise<void> {
    const { store } = this.#ports
    const { stream } = this.#fold
    const [last] = await store.readStream({ stream, direction: 'backwards', limit: 1 })
    if (last !== undefined) this.#head = { revision: last.revision, hash: last.hash }
  }

  async #readPages(): Promise<void> {
    const limit = this.#limits.replayPageEvents
    for (;;) {
      const page = await this.#readPage(limit).catch(async (error) => {
        // What stands before the break is sound.
        const isBehind = error instanceof BrokenChainError && error.revision > this.#nextRevision
        if (isBehind) this.#foldPage(await this.#readPage(error.revision - this.#nextRevision))
        throw error
      })
      this.#foldPage(page)
      if (page.length < limit) return
    }
  }

  get #nextRevision(): number {
    return this.#head.revision + 1
  }

  #readPage(limit: number): Promise<readonly RecordedEvent[]> {
    const { stream } = this.#fold
    const from = this.#nextRevision
    return this.#ports.store.readStream({ stream, direction: 'forwards', from, limit })
  }

  #foldPage(page: readonly RecordedEvent[]): void {
    for (const recorded of page) {
      const { revision, hash } = recorded
      try {
        readStored(recorded)
        this.#fold.fold(recorded, revision)
      } catch (cause) {
        throw damagedAt(recorded, cause)
      }
      this.#head = { revision, hash }
    }
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }
}

async function decided(decide: Decide): Promise<readonly NewEvent[]> {
  try {
    return await decide()
  } catch (error) {
    throw error instanceof StoreUnavailableError ? storeUnavailable(error) : error
  }
}

function refuse(cause: unknown): never {
  throw refusalOf(cause)
}

function refusalOf(cause: unknown): ServiceError {
  return isDamage(cause) ? recordsDamaged(cause) : storeUnavailable(cause)
}
