/**
 * Does what falls due without anybody asking: it ends requests that nobody runs any more, so that
 * their holds do not last, and then books credit that is past its time.
 *
 *     start ─▶ sweep ─▶ pause ─▶ sweep … until it is stopped
 *
 * A request is orphaned when
 *   - another gateway accepted it, and that one is certainly gone;
 *   - this gateway accepted it, but does not run it: its acceptance was given up while its outcome
 *     was unknown, and became durable later;
 *   - its deadline is past, whoever accepted it: no gateway runs a request longer
 *     (`seen-requests.ts` says when that is so, whatever the clocks say).
 *
 * The rows come from a view, which may be behind. That does no harm: the ledger decides, and a
 * request that has ended already is left as it is. Sweeping twice changes nothing.
 *
 * An account that sleeps would keep its expired credit in all reports until somebody looked at it,
 * and the expiry would fall into the month of that look. What open requests hold of such credit is
 * left to a sweep after they have ended.
 */
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import { EndedGrants, type FindEndedGrants } from './ended-grants.ts'
import type { Ledger } from './ledger.ts'
import { SeenRequests } from './seen-requests.ts'

const SWEEP_EVERY_MS = 5_000
const MAX_ROWS_PER_SWEEP = 10_000
/** Ended or booked at once, so that they share their appends. */
const SWEPT_TOGETHER = 64

export interface RunningRow {
  readonly accountId: string
  readonly requestId: string
  readonly gatewayId: string
  readonly deadline: number
}

export type SweeperWork = 'orphans' | 'expiry'

export interface SweeperPorts {
  readonly ledger: Pick<Ledger, 'abandon' | 'isRunning' | 'balance'>
  /** Requests that a view shows as running, those with the earliest deadline first. */
  readonly findRunning: (limit: number) => readonly RunningRow[] | Promise<readonly RunningRow[]>
  /** Grants that a view shows with credit left and their time over. */
  readonly findEndedGrants: FindEndedGrants
  readonly clock: Clock
  /** Never jumps: for how long something lasts. */
  readonly steadyClock: Clock
  /** The longest that a gateway runs and settles a request. */
  readonly longestRequestMs: number
  readonly timer: Timer
  /**
   * Whether another gateway has certainly ended: every other one, when this process has the store
   * for itself; on a shared store, those whose place this one has taken.
   */
  readonly isGone: (gatewayId: string) => boolean
  readonly gatewayId: string
  readonly reach: ReachCrashPoint
  /**
   * The sweeper calls this when a sweep fails, or a request or account of it. The next sweep tries
   * again.
   */
  readonly onError?: (error: unknown, work: SweeperWork) => void
}

export interface Sweeper {
  /** Sweeps at once, and again every few seconds. */
  start(): void
  /** @returns how many requests were ended */
  sweep(): Promise<number>
  /** Resolves when a sweep that runs has come to its end. */
  stop(): Promise<void>
}

export function createSweeper(ports: SweeperPorts): Sweeper {
  return new OrphanSweeper(ports)
}

class OrphanSweeper implements Sweeper {
  readonly #ports: SweeperPorts
  readonly #endedGrants: EndedGrants
  readonly #seen: SeenRequests
  #isStopped = false
  #cancelNext: () => void = () => {}
  #running: Promise<void> | undefined

  constructor(ports: SweeperPorts) {
    this.#ports = ports
    this.#endedGrants = new EndedGrants(ports.findEndedGrants)
    this.#seen = new SeenRequests(ports)
  }

  start(): void {
    if (this.#isStopped || this.#running !== undefined) return
    this.#running = this.sweep()
      .then(
        () => {},
        (error) => this.#report(error, 'orphans'),
      )
      .then(() => {
        this.#running = undefined
        if (!this.#isStopped) {
          this.#cancelNext = this.#ports.timer.after(SWEEP_EVERY_MS, () => this.start())
        }
      })
  }

  async sweep(): Promise<number> {
    try {
      return await this.#endOrphans()
    } finally {
      await this.#bookExpiries()
    }
  }

  async #endOrphans(): Promise<number> {
    const rows = await this.#ports.findRunning(MAX_ROWS_PER_SWEEP)
    this.#seen.note(rows)
    let ended = 0
    for (let first = 0; first < rows.length && !this.#isStopped; first += SWEPT_TOGETHER) {
      const group = rows.slice(first, first + SWEPT_TOGETHER)
      const outcomes = await Promise.all(group.map((row) => this.#sweepRow(row)))
      ended += outcomes.filter(Boolean).length
    }
    return ended
  }

  /** @returns whether the request was ended */
  async #sweepRow(row: RunningRow): Promise<boolean> {
    const reason = this.#orphanedBecause(row)
    if (reason === undefined) return false
    this.#ports.reach('sweep.before')
    const hasEnded = await this.#abandon(row, reason)
    this.#ports.reach('sweep.after')
    return hasEnded
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelNext()
    await this.#running
  }

  #orphanedBecause({ requestId, gatewayId }: RunningRow): string | undefined {
    const { ledger, isGone, gatewayId: ownId } = this.#ports
    if (ledger.isRunning(requestId)) return undefined
    if (gatewayId === ownId) return 'acceptance_given_up'
    if (isGone(gatewayId)) return 'gateway_gone'
    return this.#seen.isOverdue(requestId) ? 'deadline_passed' : undefined
  }

  /** One account that cannot be written must not keep the others from being swept. */
  async #abandon({ accountId, requestId }: RunningRow, reason: string): Promise<boolean> {
    try {
      return await this.#ports.ledger.abandon(accountId, requestId, reason)
    } catch (error) {
      this.#report(error, 'orphans')
      return false
    }
  }

  /**
   * Writes off expired credit. Never rejects, because it comes after work that may have failed by
   * itself.
   */
  async #bookExpiries(): Promise<void> {
    try {
      const accountIds = await this.#endedGrants.look(this.#ports.clock.nowMs())
      for (let first = 0; first < accountIds.length && !this.#isStopped; first += SWEPT_TOGETHER) {
        const group = accountIds.slice(first, first + SWEPT_TOGETHER)
        await Promise.all(group.map((accountId) => this.#bookExpiry(accountId)))
      }
    } catch (error) {
      this.#report(error, 'expiry')
    }
  }

  /** Whoever is told a balance is told it without expired credit: that is booked first. */
  async #bookExpiry(accountId: string): Promise<void> {
    try {
      await this.#ports.ledger.balance(accountId)
    } catch (error) {
      this.#report(error, 'expiry')
    }
  }

  #report(error: unknown, work: SweeperWork): void {
    this.#ports.onError?.(error, work)
  }
}
