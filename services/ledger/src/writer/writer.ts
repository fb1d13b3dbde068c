/**
 * The one loop through which an account of this process is read and written.
 *
 *     queue ─▶ decide each against memory ─▶ ONE append for all ─▶ tell each its outcome ─▶ …
 *
 * The trade. A command waits for the append before it (a few milliseconds), and in exchange any
 * number of commands costs one fsync: under load the batches grow by themselves, without load there
 * is nothing to wait for. Nothing is written by two appends at once, so memory is never ahead of
 * the stream by more than one append, and when that append fails there is one thing to do: forget
 * the state and fold it again.
 *
 * Modes, and every way from one to another; `close` is what leads down:
 *
 *      idle ⇄ working ⇄ parked
 *        │       │         │
 *        ▼       ▼         ▼
 *     closed ◀ draining ⇄ giving-up
 *
 *   - *idle*: nothing is queued.
 *   - *working*: as above.
 *   - *parked*: the outcome of an append is unknown for longer than callers wait. They got an
 *     error, commands are refused, the same append is sent again until its outcome is known, and
 *     then the state is folded anew.
 *   - *draining*: what comes is refused, what was queued is still decided and written.
 *   - *giving-up*: the outcome is unknown for too long, and the process ends: the append is not
 *     sent again, and the next process reads what became of it.
 *   - *closed*: for ever.
 *
 * What an append can lead to:
 *
 *     appended, duplicate → each job gets its outcome: the very same events are there
 *     conflict            → another process was first: load again, decide the whole batch again.
 *                           A request that went ahead may be refused now; its `durable`
 *                           then rejects. From then on the writers take turns: `contention.ts`
 *     rejected            → nothing was written: the jobs are refused, the state is dropped
 *     unknown             → the same append is sent again; nothing is decided meanwhile
 *
 * A refusal is never given from memory alone. Another process may have granted credit or made the
 * key, and an account that only refuses would never append, never conflict and never see it.
 * So what is refused on a state that may be old is decided again after the end of the stream was
 * read, and questions are answered from there. A state is old for every job that came after the
 * last read or append began: its caller may know of more than was read. An acceptance needs no such
 * care: its append is at an exact revision.
 */
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import { serverStopping } from '@svc/contracts/errors'
import { accountStream } from '@svc/contracts/events/account'
import type { AppendRequest, EventStore, Position } from '@svc/contracts/ports/event-store'
import { damageIn, type Quarantine } from '@svc/contracts/ports/quarantine'
import type { SnapshotStore } from '@svc/contracts/ports/snapshot-store'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import type { AccountState } from '../account/state.ts'
import { type Batch, type DecidedJob, decideBatch } from './batch.ts'
import { Contention } from './contention.ts'
import { Job, type Query, type Task, type Work } from './job.ts'
import type { LedgerLimits } from './ledger-limits.ts'
import { catchUp, type LoadedAccount, type LoadingPorts, loadAccount } from './loading.ts'
import {
  defect,
  loadingRefusal,
  outcomeUnknown,
  overloaded,
  storeRefusal,
  storeUnavailable,
} from './refusals.ts'
import { appendUntilKnown, type KnownOutcome } from './settled-append.ts'
import { snapshotOf } from './snapshots.ts'
import { WaitingRoom } from './waiting-room.ts'

export interface WriterPorts {
  readonly store: EventStore
  readonly snapshots: SnapshotStore
  readonly clock: Clock
  readonly steadyClock: Clock
  readonly timer: Timer
  readonly reach: ReachCrashPoint
  readonly limits: LedgerLimits
  readonly quarantine: Quarantine
}

type Mode = 'idle' | 'working' | 'parked' | 'draining' | 'giving-up' | 'closed'

/** The transitions that the picture above shows. */
const TRANSITIONS: Readonly<Record<Mode, readonly Mode[]>> = {
  idle: ['working', 'closed'],
  working: ['idle', 'parked', 'draining'],
  parked: ['working', 'giving-up'],
  draining: ['closed', 'giving-up'],
  'giving-up': ['draining'],
  closed: [],
}

export class AccountWriter {
  readonly accountId: string
  readonly #stream: string
  readonly #ports: WriterPorts
  readonly #loading: LoadingPorts
  readonly #waiting: WaitingRoom
  readonly #queue: Job[] = []
  #arrivals = 0
  #account: LoadedAccount | undefined
  readonly #contention: Contention
  /** Changed by {@link AccountWriter.#changeMode} alone. */
  #mode: Mode = 'idle'
  #work: Promise<void> | undefined
  #lastPosition: Position | undefined
  readonly #onIdle: (writer: AccountWriter) => void

  constructor(accountId: string, ports: WriterPorts, onIdle: (writer: AccountWriter) => void) {
    this.accountId = accountId
    this.#onIdle = onIdle
    this.#stream = accountStream(accountId)
    this.#ports = ports
    const { store, snapshots, steadyClock, timer, limits } = ports
    this.#contention = new Contention(steadyClock, timer, limits.restEveryMs)
    this.#loading = { store, snapshots, timer, pageEvents: limits.replayPageEvents }
    this.#waiting = new WaitingRoom({
      timer,
      limits,
      onOver: (job) => this.#enqueue(job),
      onLook: (jobs) => this.#enqueue(...jobs, ...this.#queue.splice(0)),
    })
  }

  /** The state in memory, when there is one. It may be ahead of, or behind, what is durable. */
  get state(): AccountState | undefined {
    return this.#account?.state
  }

  /** Position of the last event of the stream that this writer has read or appended. */
  get lastPosition(): Position | undefined {
    return this.#lastPosition
  }

  /** Whether nothing is under way, so that the writer can be forgotten. */
  get isIdle(): boolean {
    return this.#mode === 'idle' && this.#waiting.size === 0
  }

  /** Resolves when what was decided is durable. @throws {ServiceError} */
  submit<Result>(work: Work<Result>): Promise<Result> {
    const job = this.#newJob({ kind: 'work', work: work as Work<unknown> })
    this.#admit(job, work.endsRequest === true)
    return job.promise as Promise<Result>
  }

  /** Answers from a state that is as new as the stream. @throws {ServiceError} */
  ask<Result>(query: Query<Result>): Promise<Result> {
    const job = this.#newJob({ kind: 'query', query })
    this.#admit(job, false)
    return job.promise as Promise<Result>
  }

  /** Refuses what comes and what waits, finishes what is queued, and saves the state. */
  async close(): Promise<void> {
    if (this.#mode === 'idle') this.#changeMode('closed')
    else if (this.#mode === 'working') this.#changeMode('draining')
    else if (this.#mode === 'parked') this.#changeMode('giving-up')
    for (const job of this.#waiting.close()) job.reject(serverStopping())
    await this.#work
    this.saveSnapshot()
  }

  /**
   * Saves a snapshot. To be called between two appends only, because a snapshot is of what is
   * durable.
   */
  saveSnapshot(): void {
    const account = this.#account
    if (account === undefined || account.unsavedEvents === 0) return
    this.#ports.snapshots.save(snapshotOf(this.#stream, account.head, account.state))
    account.unsavedEvents = 0
  }

  #newJob(task: Task): Job {
    this.#arrivals += 1
    return new Job(task, this.#arrivals)
  }

  #admit(job: Job, isAlwaysLetIn: boolean): void {
    const isFull = this.#queue.length >= this.#ports.limits.queuedCommandsPerAccount
    if (this.#mode === 'parked') job.reject(outcomeUnknown())
    else if (this.#mode !== 'idle' && this.#mode !== 'working') job.reject(serverStopping())
    else if (isFull && !isAlwaysLetIn) job.reject(overloaded())
    else this.#enqueue(job)
  }

  #enqueue(...jobs: readonly Job[]): void {
    this.#queue.push(...jobs)
    if (this.#mode !== 'idle') return
    this.#changeMode('working')
    this.#work = this.#run()
  }

  async #run(): Promise<void> {
    do {
      // Whatever is asked for before this goes on shares the append.
      if (await this.#contention.awaitTurn()) this.#noteMayBeOld()
      await this.#decideAndWrite()
    } while (this.#queue.length > 0)
    this.#noteMayBeOld()
    this.#changeMode(this.#mode === 'draining' ? 'closed' : 'idle')
    this.#onIdle(this)
  }

  async #decideAndWrite(): Promise<void> {
    let account: LoadedAccount
    try {
      account = await this.#newestAccount()
    } catch (cause) {
      this.#forget()
      this.#noteDamage(cause)
      for (const job of this.#queue.splice(0)) job.reject(loadingRefusal(cause))
      return
    }
    const batch = this.#decide(account)
    if (batch === undefined) return
    account.freshness = batch.needsNewerState ? 'outdated' : 'recent'
    if (batch.events.length > 0) await this.#write(account, batch)
    else for (const { tell } of batch.decided) tell()
  }

  async #newestAccount(): Promise<LoadedAccount> {
    if (this.#account === undefined) {
      this.#account = await loadAccount(this.#loading, this.#stream, this.#arrivals)
    } else if (this.#mustCatchUp(this.#account)) {
      const { revision } = this.#account.head
      await catchUp(this.#loading, this.#stream, this.#account, this.#arrivals)
      if (this.#account.head.revision > revision) this.#contention.noteOthers()
    } else return this.#account
    this.#lastPosition = this.#account.position
    this.#saveSnapshotWhenDue()
    return this.#account
  }

  #mustCatchUp({ freshness }: LoadedAccount): boolean {
    return freshness === 'outdated' || (freshness === 'recent' && this.#contention.isShared)
  }

  #noteMayBeOld(): void {
    if (this.#account?.freshness === 'newest') this.#account.freshness = 'recent'
  }

  /** @returns undefined when a rule of the ledger itself was broken: then nothing was written */
  #decide(account: LoadedAccount): Batch | undefined {
    const { clock, limits, reach } = this.#ports
    const queued = [...this.#queue]
    try {
      return decideBatch(this.#queue, account, {
        accountId: this.accountId,
        at: clock.nowMs(),
        limits,
        waiting: this.#waiting,
        onAccepted: () => reach('accept.decided'),
      })
    } catch (cause) {
      this.#forget()
      const waited = this.#queue.splice(0)
      for (const job of [...queued, ...waited]) job.reject(defect(cause))
      return undefined
    }
  }

  async #write(account: LoadedAccount, batch: Batch): Promise<void> {
    const { reach } = this.#ports
    const request = { stream: this.#stream, expected: account.head, events: batch.events }
    const newestFor = this.#arrivals
    reach('append.before')
    const outcome = await this.#append(request, batch.decided)
    if (outcome === undefined) return this.#forget()
    if (outcome.kind === 'conflict') return this.#decideAgain(batch.decided)
    reach('append.after')
    account.head = outcome.head
    account.position = outcome.position
    account.unsavedEvents += batch.events.length
    this.#lastPosition = outcome.position
    account.freshness = 'newest'
    account.newestFor = newestFor
    this.#contention.noteAppended()
    if (batch.freesCredit) this.#queue.unshift(...this.#waiting.leaveAll())
    for (const { tell } of batch.decided) tell()
    this.#saveSnapshotWhenDue()
  }

  /**
   * Saves snapshots more often on a shared stream, because the account may have to be folded again
   * soon.
   */
  #saveSnapshotWhenDue(): void {
    const { snapshotEveryEvents, sharedSnapshotEveryEvents } = this.#ports.limits
    const every = this.#contention.isShared ? sharedSnapshotEveryEvents : snapshotEveryEvents
    if ((this.#account?.unsavedEvents ?? 0) >= every) this.saveSnapshot()
  }

  /** @returns undefined when the jobs were refused: then the state is ahead of the stream */
  async #append(
    request: AppendRequest,
    decided: readonly DecidedJob[],
  ): Promise<KnownOutcome | undefined> {
    const { store, timer, limits } = this.#ports
    const refuseAll = (error: Error): void => {
      for (const { job } of decided) job.reject(error)
    }
    try {
      const outcome = await appendUntilKnown(request, {
        store,
        timer,
        boundMs: limits.unknownOutcomeMs,
        onOverdue: (cause) => {
          refuseAll(outcomeUnknown(cause))
          this.#park(cause)
        },
        isStopping: () => this.#mode === 'giving-up',
      })
      return this.#isOverdue() ? undefined : outcome
    } catch (cause) {
      this.#noteDamage(cause)
      refuseAll(cause instanceof RangeError ? defect(cause) : storeRefusal(cause))
      return undefined
    } finally {
      if (this.#mode === 'parked') this.#changeMode('working')
      else if (this.#mode === 'giving-up') this.#changeMode('draining')
    }
  }

  #noteDamage(cause: unknown): void {
    const damage = damageIn(cause)
    if (damage !== undefined) this.#ports.quarantine.note(damage)
  }

  #park(cause: unknown): void {
    this.#changeMode(this.#mode === 'draining' ? 'giving-up' : 'parked')
    const stranded = [...this.#queue.splice(0), ...this.#waiting.leaveAll()]
    for (const job of stranded) job.reject(outcomeUnknown(cause))
  }

  #decideAgain(decided: readonly DecidedJob[]): void {
    this.#forget()
    this.#contention.noteLostRace()
    const jobs = decided.map(({ job }) => job)
    if (this.#contention.lostInARow <= this.#ports.limits.conflictsInARow) {
      this.#queue.unshift(...jobs)
      return
    }
    this.#contention.noteGivenUp()
    for (const job of jobs) job.reject(storeUnavailable())
  }

  /** What waits was sent to wait by the state that is forgotten now: it is decided again. */
  #forget(): void {
    this.#account = undefined
    this.#queue.unshift(...this.#waiting.leaveAll())
  }

  /** Whether the callers of an append no longer wait for it. */
  #isOverdue(): boolean {
    return this.#mode === 'parked' || this.#mode === 'giving-up'
  }

  /** The only place that changes the mode. @throws on a way that is not drawn: a defect */
  #changeMode(next: Mode): void {
    if (!TRANSITIONS[this.#mode].includes(next)) {
      throw new Error(`a writer cannot go from ${this.#mode} to ${next}`)
    }
    this.#mode = next
  }
}
