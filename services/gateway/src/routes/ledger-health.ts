/**
 * Whether the event log answers and the views follow it: what `/readyz` looks at beside the
 * workers.
 *
 * Anybody may ask, and as often as they like: one check is shared by all who ask within a second.
 * The answer names the part that is unwell; only the operator's log says why.
 */
import { counted } from '@svc/contracts/counted'
import type { Position } from '@svc/contracts/ports/event-store'
import type { Quarantine } from '@svc/contracts/ports/quarantine'
import type { StoreHealth } from '@svc/contracts/ports/store-health'
import type { Clock } from '@svc/contracts/ports/time'
import { inTime } from '@svc/infra/system/system-timer'
import type { ProjectionStatus } from '@svc/projections/projection-status'

/** A check is shared by all who ask within this time. */
const CHECK_SHARED_MS = 1_000

export interface LedgerHealthBounds {
  /** How long the event log may take to answer. */
  readonly storeAnswerMs: number
  /** How long a view may be behind the end of the log, once seen there; 0: views do not count. */
  readonly viewLagMs: number
}

export const defaultLedgerHealthBounds: LedgerHealthBounds = {
  storeAnswerMs: 2_000,
  viewLagMs: 60_000,
}

export interface LedgerHealthPorts {
  /** Tells where the views stand, and the end of the log. Rejects when the log does not answer. */
  status(): Promise<readonly ProjectionStatus[]>
  /** The troubles that the store has noticed by itself. Default: nothing. */
  readonly storeHealth?: StoreHealth
  /** The streams that are set aside. Default: none ever is. */
  readonly quarantine?: Pick<Quarantine, 'list'>
  /** Never jumps: a clock that is set back must not keep an answer for an hour. */
  readonly clock: Clock
  readonly bounds: LedgerHealthBounds
  /** Is called when the problems change, with an empty list when the last one is gone. */
  onChange(details: readonly string[]): void
}

/** What is wrong with one part: for anybody, and for the operator alone. */
interface Problem {
  readonly part: string
  readonly detail: string
}

export class LedgerHealth {
  readonly #ports: LedgerHealthPorts
  /** The end of the log that a view has not reached yet, and when it was seen there. */
  readonly #goals = new Map<string, { readonly head: Position; readonly seenMs: number }>()
  #check: Promise<readonly Problem[]> | undefined
  #checkedAtMs = 0
  #reported = ''

  constructor(ports: LedgerHealthPorts) {
    this.#ports = ports
  }

  /** What is wrong, in words for anybody; empty when all is well. Never rejects. */
  async problems(): Promise<readonly string[]> {
    const nowMs = this.#ports.clock.nowMs()
    if (this.#check === undefined || nowMs - this.#checkedAtMs >= CHECK_SHARED_MS) {
      this.#checkedAtMs = nowMs
      this.#check = this.#checkAll()
    }
    const problems = await this.#check
    return [...new Set(problems.map(({ part }) => part))]
  }

  /** What is worth knowing of a server that is ready, in words for anybody. */
  details(): readonly string[] {
    const { length: count } = this.#ports.quarantine?.list() ?? []
    if (count === 0) return []
    return [`${counted(count, 'stream')} of the event log set aside`]
  }

  async #checkAll(): Promise<readonly Problem[]> {
    const { status, bounds } = this.#ports
    const views = await inTime(status(), bounds.storeAnswerMs, undefined)
    const problems = this.#storeProblems()
    problems.push(
      ...(views === undefined
        ? [{ part: 'the event log does not answer', detail: 'the event log does not answer' }]
        : views.flatMap((view) => this.#problemOf(view))),
    )
    this.#report(problems.map(({ detail }) => detail))
    return problems
  }

  #storeProblems(): Problem[] {
    const troubles = this.#ports.storeHealth?.troubles() ?? []
    return troubles.flatMap(({ notReady, message }) =>
      notReady === undefined ? [] : [{ part: notReady, detail: message }],
    )
  }

  #problemOf({ name, state, error, position, head }: ProjectionStatus): readonly Problem[] {
    const { bounds, clock } = this.#ports
    if (bounds.viewLagMs === 0) return []
    if (state === 'failed') {
      return [{ part: 'a view of the ledger is broken', detail: `view ${name}: ${error}` }]
    }
    const nowMs = clock.nowMs()
    const goal = this.#goals.get(name)
    if (goal === undefined || position >= goal.head) {
      this.#goals.set(name, { head, seenMs: nowMs })
      return []
    }
    const lagMs = nowMs - goal.seenMs
    if (lagMs <= bounds.viewLagMs) return []
    const why = error === null ? '' : `: ${error}`
    return [
      {
        part: 'a view of the ledger is behind',
        detail: `view ${name} is at ${position} of ${head}, behind since ${goal.seenMs}${why}`,
      },
    ]
  }

  #report(details: readonly string[]): void {
    const news = details.map((detail) => detail.replace(/\d+/g, '')).join('\n')
    if (news === this.#reported) return
    this.#reported = news
    this.#ports.onChange(details)
  }
}
