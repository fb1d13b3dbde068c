/**
 * Decides as many queued jobs as one append may hold, each against the state that the ones before
 * it leave behind. Synchronous: nothing else happens in between.
 */

import type { AccountEvent } from '@svc/contracts/events/account'
import { bytesOfEvents } from '@svc/contracts/ports/append'
import type { NewEvent } from '@svc/contracts/ports/event-store'
import { accountDecider } from '../account/decider/decider.ts'
import type { Decision } from '../account/decision.ts'
import type { Job, Query, Work } from './job.ts'
import type { LedgerLimits } from './ledger-limits.ts'
import type { LoadedAccount } from './loading.ts'
import { recordable } from './recording.ts'
import { defect, serviceErrorOf } from './refusals.ts'
import type { WaitingRoom } from './waiting-room.ts'

export interface Batch {
  readonly decided: readonly DecidedJob[]
  readonly events: readonly NewEvent[]
  /** Whether running requests ended or credit came: what others may be waiting for. */
  readonly freesCredit: boolean
  /** Whether it ends before a job that needs the newest state. */
  readonly needsNewerState: boolean
}

export interface DecidedJob {
  readonly job: Job
  /** Tells the job its outcome: to be called when all of the batch is durable. */
  readonly tell: () => void
}

export interface BatchOptions {
  readonly accountId: string
  readonly at: number
  readonly limits: LedgerLimits
  readonly waiting: WaitingRoom
  readonly onAccepted: () => void
}

const { decide, evolve } = accountDecider

const FREEING: ReadonlySet<AccountEvent['type']> = new Set([
  'CreditDebited',
  'RequestFailed',
  'RequestAbandoned',
  'CreditGranted',
  'SpendPolicySet',
  // Whoever waits may need less at other prices.
  'PriceListSet',
  'CreditRefunded',
  'BalanceAdjusted',
  // Freezing an account refuses those who wait.
  'AccountFrozen',
])

/** Takes jobs off the front of the queue. Those that must wait go to the waiting room. */
export function decideBatch(queue: Job[], account: LoadedAccount, options: BatchOptions): Batch {
  const draft = new BatchDraft(account, options)
  let taken = 0
  for (const job of queue) {
    if (draft.isFull || (!job.isSettled && !draft.take(job))) break
    taken += 1
  }
  queue.splice(0, taken)
  return draft
}

class BatchDraft implements Batch {
  readonly decided: DecidedJob[] = []
  readonly events: NewEvent[] = []
  freesCredit = false
  needsNewerState = false
  readonly #account: LoadedAccount
  readonly #options: BatchOptions
  #bytes = 0

  constructor(account: LoadedAccount, options: BatchOptions) {
    this.#account = account
    this.#options = options
  }

  get isFull(): boolean {
    return this.decided.length >= this.#options.limits.batchCommands
  }

  /** @returns false when the job must stay in the queue */
  take(job: Job): boolean {
    const { task } = job
    if (this.#mustLetOthersFirst(job)) return false
    if (task.kind === 'work') return this.#decide(job, task.work)
    if (!this.#isNewestFor(job)) return this.#askForNewerState()
    this.#answer(job, task.query)
    return true
  }

  /**
   * Credit that came free is for those who wait, in their order; they are decided when the batch is
   * durable. What comes after that credit would be decided before them, were the batch to go on.
   */
  #mustLetOthersFirst({ task }: Job): boolean {
    if (!this.freesCredit || this.#options.waiting.size === 0) return false
    return task.kind === 'work' && task.work.endsRequest !== true
  }

  #answer(job: Job, query: Query<unknown>): void {
    try {
      const answer = query(this.#account.state)
      this.decided.push({ job, tell: () => job.resolve(answer) })
    } catch (error) {
      this.decided.push({ job, tell: () => job.reject(error) })
    }
  }

  #decide(job: Job, work: Work<unknown>): boolean {
    const command = work.command(this.#options.at, this.#account.state)
    const decision = decide(this.#account.state, command)
    if (decision.kind === 'happens') {
      return this.#record(job, work, decision.events, () => {
        const { accountId } = this.#options
        const revision = this.#account.head.revision + 1 + this.events.length
        return recordable(decision.events, command, accountId, revision)
      })
    }
    return this.#isNewestFor(job) ? this.#refuse(job, decision) : this.#askForNewerState()
  }

  #record(
    job: Job,
    work: Work<unknown>,
    events: readonly AccountEvent[],
    encode: () => readonly NewEvent[],
  ): boolean {
    const encoded = encode()
    const { batchEvents, batchBytes } = this.#options.limits
    const bytes = this.#bytes + bytesOfEvents(encoded)
    if (this.events.length + encoded.length > batchEvents || bytes > batchBytes) {
      if (this.events.length > 0) return false
      const error = defect(new RangeError('one command makes more than one append may hold'))
      this.decided.push({ job, tell: () => job.reject(error) })
      return true
    }
    for (const event of events) {
      evolve(this.#account.state, event)
      if (FREEING.has(event.type)) this.freesCredit = true
    }
    this.#bytes = bytes
    this.events.push(...encoded)
    const result = work.result(events, this.#account.state)
    if (work.goAhead !== undefined && !job.wentAhead) {
      this.#options.onAccepted()
      job.goAhead(result)
    }
    this.decided.push({ job, tell: () => job.resolve(result) })
    return true
  }

  #refuse(job: Job, decision: Exclude<Decision, { readonly kind: 'happens' }>): boolean {
    if (decision.kind === 'waits' && this.#options.waiting.enter(job)) return true
    const { accountId } = this.#options
    this.decided.push({ job, tell: () => job.reject(serviceErrorOf(decision.refusal, accountId)) })
    return true
  }

  /** What was told to somebody before the job came is in the state. */
  #isNewestFor({ arrival }: Job): boolean {
    const { freshness, newestFor } = this.#account
    return freshness === 'newest' && arrival <= newestFor
  }

  #askForNewerState(): false {
    this.needsNewerState = true
    return false
  }
}
