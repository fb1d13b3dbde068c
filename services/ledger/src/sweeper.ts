/**
 * Does what falls due by time alone: it ends requests that nobody runs any more, which frees the
 * credit that they hold, and then writes off credit that has expired.
 *
 *     start ─▶ sweep ─▶ pause ─▶ sweep … until it is stopped
 *
 * A request is orphaned when
 *   - another gateway accepted it, and that gateway is certainly gone;
 *   - this gateway accepted it, but does not run it: the append was given up with its outcome
 *     unknown, and became durable later;
 *   - its deadline is past, whoever accepted it: no gateway runs a request for longer
 *     (`seen-requests.ts` measures that without trusting clocks).
 *
 * The rows come from a view, which may be behind. That does no harm, because the ledger decides: it
 * leaves a request alone that has ended already. Sweeping twice changes nothing.
 *
 * A sweep reads some pages of the view. Whole pages can be of requests that have to be left alone,
 * those of damaged accounts for example, so the next sweep goes on behind them: in rounds, each
 * from the earliest deadline on.
 *
 * Why expired credit is written off here: an account that nobody uses would show it in all reports
 * until somebody looks at the account, and the expiry would count in the month of that look. Credit
 * that open requests hold stays until a sweep after their end.
 */
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import { EndedGrants, type FindEndedGrants } from './ended-grants.ts'
import type { Ledger } from './ledger.ts'
import { SeenRequests } from './seen-requests.ts'

const SWEEP_EVERY_MS = 5_000
const ROWS_PER_PAGE = 10_000
/** Bounds one sweep; the next one goes on behind its last page. */
const PAGES_PER_SWEEP = 4
/** Bounds a round, and so what is remembered of it: then the earliest deadlines come again. */
const ROWS_PER_ROUND = 10_000
/** How many requests or accounts are worked on at once, so that they share appends. */
const SWEPT_TOGETHER = 64

export interface RunningRow {
  readonly accountId: string
  readonly requestId: string
  readonly gatewayId: string
  readonly deadline: number
}

type RunningPlace = Pick<RunningRow, 'deadline' | 'requestId'>

export interface RunningQuery {
  readonly after?: RunningPlace | undefined
  readonly limit: number
}

export interface RunningPage {
  readonly rows: readonly RunningRow[]
  /** The place to pass as `after` for the next page; undefined on the last. */
  readonly next: RunningPlace | undefined
}

export type SweeperWork = 'orphans' | 'expiry'

export interface SweeperPorts {
  readonly ledger: Pick<Ledger, 'abandon' | 'isRunning' | 'balance'>
  /**
   * Requests that a view shows as running, those with the earliest deadline first. A page that is
   * not the last can be short or empty: what this sweeper has to leave alone is not in it.
   */
  readonly findRunning: (query: RunningQuery) => RunningPage | Promise<RunningPage>
  /** Grants that a view shows as expired with credit left. */
  readonly findEndedGrants: FindEndedGrants
  readonly clock: Clock
  /** A clock that never jumps: it measures how long something takes. */
  readonly steadyClock: Clock
  /** The longest that a gateway runs and settles a request. */
  readonly longestRequestMs: number
  readonly timer: Timer
  /**
   * Whether another gateway has certainly ended. When this process has the store for itself, every
   * other gateway has. On a shared store, only earlier runs on the same data folder certainly have.
   */
  readonly isGone: (gatewayId: string) => boolean
  readonly gatewayId: string
  readonly reach: ReachCrashPoint
  /** Is called when a sweep fails, or one request or account in it. The next sweep tries again. */
  readonly onError?: (error: unknown, work: SweeperWork) => void
}

export class Sweeper {
  readonly #ports: SweeperPorts
  readonly #endedGrants: EndedGrants
  readonly #seen: SeenRequests
  /** Where the round under way goes on, and how many rows it has found. Undefined at its start. */
  #round: { readonly after: RunningPlace; readonly found: number } | undefined
  #isStopped = false
  #cancelNext: () => void = () => {}
  #running: Promise<void> | undefined

  constructor(ports: SweeperPorts) {
    this.#ports = ports
    this.#endedGrants = new EndedGrants(ports.findEndedGrants)
    this.#seen = new SeenRequests(ports)
  }

  /** Sweeps at once, and again every few seconds. */
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

  /** Sweeps once. @returns how many requests were ended */
  async sweep(): Promise<number> {
    try {
      return await this.#endOrphans()
    } finally {
      await this.#writeOffExpired()
    }
  }

  /** Begins no other sweep. Resolves when the one under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelNext()
    await this.#running
  }

  async #endOrphans(): Promise<number> {
    this.#seen.beginSweep()
    let ended = 0
    for (let pages = 0; pages < PAGES_PER_SWEEP && !this.#isStopped; pages += 1) {
      ended += await this.#endThose(await this.#nextRows())
      if (this.#round === undefined) break
    }
    return ended
  }

  /** @returns one page of the round under way, or of a new one */
  async #nextRows(): Promise<readonly RunningRow[]> {
    const { after, found: before = 0 } = this.#round ?? {}
    const { rows, next } = await this.#ports.findRunning({ after, limit: ROWS_PER_PAGE })
    const found = before + rows.length
    this.#round = next && found < ROWS_PER_ROUND ? { after: next, found } : undefined
    this.#seen.note(rows, { endsRound: this.#round === undefined })
    return rows
  }

  async #endThose(rows: readonly RunningRow[]): Promise<number> {
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

  /** Never rejects: it must not hide the error of the work that came before it. */
  async #writeOffExpired(): Promise<void> {
    try {
      const accountIds = await this.#endedGrants.look(this.#ports.clock.nowMs())
      for (let first = 0; first < accountIds.length && !this.#isStopped; first += SWEPT_TOGETHER) {
        const group = accountIds.slice(first, first + SWEPT_TOGETHER)
        await Promise.all(group.map((accountId) => this.#writeOffExpiredOf(accountId)))
      }
    } catch (error) {
      this.#report(error, 'expiry')
    }
  }

  /** Asking for a balance writes the expired credit off. */
  async #writeOffExpiredOf(accountId: string): Promise<void> {
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
