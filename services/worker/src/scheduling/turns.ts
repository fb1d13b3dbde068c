/**
 * The turns of runs on the model's sequences: who waits, who has one, and who gives it up.
 *
 *     waiting ──a sequence is free──▶ holding ──asked, between two steps──▶ put aside
 *        ▲                               │                                      │
 *        │                               └──ends──▶                             │
 *        └──────────────────────when its client has read all────────────────────┘
 *
 * One run at a time gives way. The trade: moving what its sequence holds stops all runs for a few
 * milliseconds, and in return nobody waits for the end of somebody else's long answer.
 */
import { systemTimer } from '@svc/infra/system/system-timer'
import { RecentTenants } from '@svc/infra/turns/recent-tenants'
import { StopRequest } from './batches/stop-request.ts'
import { firstToGiveWay, type Holder, sequencesByTenant, TURN_MS } from './giving-way.ts'
import type { Loan } from './sequences/loan.ts'
import type { PutAside } from './sequences/put-aside-copies.ts'
import type { SequencePool } from './sequences/sequence-pool.ts'
import { TenantQueue } from './tenant-queue.ts'

/** Something that waits for a sequence. */
interface Waiting {
  /** Takes an idle sequence at once. */
  readonly start: () => void
  /** It was taken out of the queue before its turn. */
  readonly cancel: () => void
  /** See {@link Beginning}. What was put aside has been computed, and never has to go. */
  readonly makeRoom?: (() => void) | undefined
}

/** What wants a first sequence. */
export interface Beginning {
  readonly tenant: string
  readonly weight: number
  /** Aborted when the run is interrupted. */
  readonly signal: AbortSignal
  /** Takes an idle sequence of the pool at once. */
  readonly start: (turn: Turn) => void
  /** It was taken out of the queue before its turn. */
  readonly cancel: () => void
  /** Leaves the full queue for who comes; absent where it may not be asked to. */
  readonly makeRoom?: () => void
}

/** One run's turns. */
export interface Turn extends Holder {
  /** When it got the sequence that it has; never, while it cannot give it up. */
  sinceMs: number
  readonly stop: StopRequest
  /** What waits in the queue for it. */
  waiting: Waiting | null
}

export interface TurnsOptions {
  readonly pool: SequencePool
  /** Runs that may wait at once, of all tenants and of one. */
  readonly queueLimit: number
  readonly tenantQueueLimit: number
  /** Milliseconds of a clock that only goes forward. */
  readonly nowMs: () => number
}

const NOT_YET = Number.POSITIVE_INFINITY
/** While several tenants come, one of this many sequences is kept for whoever comes next. */
const SEQUENCES_PER_SPARE = 4

export class Turns {
  readonly #pool: SequencePool
  readonly #nowMs: () => number
  readonly #queue: TenantQueue<Waiting>
  /** The turns that have a sequence, in the order in which they got it. */
  readonly #holders = new Set<Turn>()
  /** The one that was asked to give way, until it has. */
  #leaving: Turn | null = null
  #cancelLook: () => void = () => {}
  #unread = 0
  readonly #recent: RecentTenants

  constructor({ pool, queueLimit, tenantQueueLimit, nowMs }: TurnsOptions) {
    this.#pool = pool
    this.#nowMs = nowMs
    this.#recent = new RecentTenants(nowMs)
    this.#queue = new TenantQueue(queueLimit, tenantQueueLimit)
  }

  /** Runs without a sequence. */
  get waiting(): number {
    return this.#queue.length + this.#unread
  }

  /**
   * Waits for a first sequence. In a full queue the newest of the longest line makes room for it.
   *
   * @returns the turn; null, and nothing waits, when there is no room
   */
  begin({ tenant, weight, signal, start, cancel, makeRoom }: Beginning): Turn | null {
    this.#recent.came(tenant)
    const stop = new StopRequest(signal)
    const turn: Turn = { tenant, weight, stop, waiting: null, sinceMs: NOT_YET }
    turn.waiting = {
      start: () => {
        turn.waiting = null
        this.#holders.add(turn)
        start(turn)
      },
      cancel,
      makeRoom,
    }
    if (this.#queue.isFullFor(tenant)) this.#startOnSpare(tenant)
    this.#queue.toMakeRoomFor(tenant, (item) => item.makeRoom !== undefined)?.makeRoom?.()
    if (!this.#queue.push(tenant, turn.waiting, weight)) return null
    this.#startWaiting()
    return turn
  }

  /** Takes it out of the queue, where it is cancelled; without effect while it has a sequence. */
  interrupt({ tenant, waiting }: Turn): void {
    if (waiting !== null && this.#queue.remove(tenant, waiting)) waiting.cancel()
  }

  /** It can give up its sequence from now on. */
  hold(turn: Turn): void {
    turn.sinceMs = this.#nowMs()
    this.#makeRoom()
  }

  /** It has given back its sequence for good. */
  end(turn: Turn): void {
    this.#release(turn)
    this.#startWaiting()
  }

  /**
   * Gives the sequence to others and waits for the next turn.
   *
   * @param held leading prompt tokens that the sequence holds
   * @param unread resolves when the client has read what it was sent, or the run is interrupted
   * @returns the loan to go on with, the same one when there is no room to put anything aside; null
   *   when the run was interrupted
   */
  async putAside(
    turn: Turn,
    loan: Loan,
    held: number,
    unread: Promise<void>,
  ): Promise<Loan | null> {
    turn.sinceMs = NOT_YET
    const aside = await this.#pool.putAside(loan, held)
    this.#release(turn)
    if (aside === null) {
      // It is not asked again at once: there would still be no room.
      this.#holders.add(turn)
      turn.sinceMs = this.#nowMs() + TURN_MS
      this.#makeRoom()
      return this.#pool.goOn(loan, held)
    }
    this.#startWaiting()
    // A sequence is of no use to a run whose client does not read.
    this.#unread += 1
    await unread
    this.#unread -= 1
    const next = await this.#nextTurn(turn, aside)
    if (next === null) await this.#pool.copies.drop(aside)
    else this.hold(turn)
    return next
  }

  #nextTurn(turn: Turn, aside: PutAside): Promise<Loan | null> {
    const next = Promise.withResolvers<Loan | null>()
    if (turn.stop.reason === 'interrupted') return Promise.resolve(null)
    const start = () => {
      turn.waiting = null
      this.#holders.add(turn)
      next.resolve(this.#pool.resume(aside))
    }
    turn.waiting = { start, cancel: () => next.resolve(null) }
    this.#queue.putBack(turn.tenant, turn.waiting, turn.weight)
    this.#startWaiting()
    return next.promise
  }

  #release(turn: Turn): void {
    this.#holders.delete(turn)
    turn.sinceMs = NOT_YET
    turn.stop.reset()
    if (this.#leaving === turn) this.#leaving = null
  }

  #startWaiting(): void {
    while (this.#pool.idle > 0) {
      const next = this.#queue.shift(this.#heldBy())
      if (next === undefined) break
      next.start()
    }
    this.#makeRoom()
  }

  /**
   * Starts a request on a spare sequence, so that nobody is refused for a full queue while one is
   * kept for newcomers.
   */
  #startOnSpare(tenant: string): void {
    if (this.#pool.idle === 0) return
    const held = sequencesByTenant([...this.#holders])
    const mayStart = (other: string) => this.#queue.isFull || other === tenant
    this.#queue
      .shift((other) => (mayStart(other) ? (held.get(other) ?? 0) : Number.POSITIVE_INFINITY))
      ?.start()
  }

  /**
   * How many sequences a tenant has; infinitely many where the last ones are kept for others, and
   * nobody has more. Who comes need not wait then until somebody has given way.
   */
  #heldBy(): (tenant: string) => number {
    const held = sequencesByTenant([...this.#holders])
    const most = Math.max(0, ...held.values())
    const isSpare = this.#pool.idle <= sparesOf(this.#pool.size)
    return (tenant) => {
      const own = held.get(tenant) ?? 0
      const isKept = isSpare && own > 0 && own === most && this.#recent.othersThan(tenant)
      return isKept ? Number.POSITIVE_INFINITY : own
    }
  }

  /** Asks a run to give way, now or when it has kept its sequence for long enough. */
  #makeRoom(): void {
    this.#cancelLook()
    if (this.#leaving !== null || this.#pool.idle > 0 || !this.#pool.canPutAside) return
    const nowMs = this.#nowMs()
    const due = firstToGiveWay([...this.#holders], this.#queue.tenants(), nowMs)
    if (due === undefined) return
    if (due.fromMs > nowMs) {
      this.#cancelLook = systemTimer.after(due.fromMs - nowMs, () => this.#makeRoom())
      return
    }
    this.#leaving = due.run
    due.run.stop.askToGiveWay()
  }
}

/** Counts the sequences that are kept for tenants that have none. */
function sparesOf(sequences: number): number {
  return Math.floor(sequences / SEQUENCES_PER_SPARE)
}
