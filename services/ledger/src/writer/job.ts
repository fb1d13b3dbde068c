/** A command, or a question, on its way through the writer of an account. */
import type { AccountCommand } from '@svc/contracts/commands'
import type { AccountEvent } from '@svc/contracts/events/account'
import type { AccountState } from '../account/state.ts'

/** A command to be decided. */
export interface Work<Result> {
  /**
   * The command, given the moment of the decision and the state that it is decided against. Called
   * again when it is decided again.
   */
  command(at: number, state: Readonly<AccountState>): AccountCommand
  /** What to answer, read from the events and the state right after them. */
  result(events: readonly AccountEvent[], state: AccountState): Result
  /**
   * The writer calls this once, when the first decision is made in memory and nothing is durable
   * yet.
   */
  goAhead?(result: Result): void
  /** Ends a wait in the queue. Once the work went ahead it has no effect. */
  readonly signal?: AbortSignal | undefined
  /** The end of a request is let in although the queue is full: an open request allows for one. */
  readonly endsRequest?: boolean
}

/** A question to be answered from a state that is as new as the stream. */
export type Query<Result> = (state: AccountState) => Result

export type Task =
  | { readonly kind: 'work'; readonly work: Work<unknown> }
  | { readonly kind: 'query'; readonly query: Query<unknown> }

/**
 *     queued ─▶ decided ─▶ settled       decided again after a lost race
 *       ▲          │
 *       └─ waiting ◀┘                     for a running request to end
 *
 * A job settles once, with its outcome; later outcomes are ignored.
 */
export class Job {
  readonly task: Task
  readonly promise: Promise<unknown>
  /** The first job of a writer is number 1. */
  readonly arrival: number
  readonly #resolve: (result: unknown) => void
  readonly #reject: (error: unknown) => void
  readonly #onAbort: (() => void) | undefined
  #isSettled = false
  /** Whether its caller went ahead on a decision in memory, before the append. */
  wentAhead = false
  /** Whether its wait has timed out. */
  waitIsOver = false

  constructor(task: Task, arrival: number) {
    this.task = task
    this.arrival = arrival
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.promise = promise
    this.#resolve = resolve
    this.#reject = reject
    const signal = task.kind === 'work' ? task.work.signal : undefined
    if (signal === undefined) return
    this.#onAbort = () => {
      if (!this.wentAhead) this.reject(signal.reason)
    }
    if (signal.aborted) this.#onAbort()
    else signal.addEventListener('abort', this.#onAbort)
  }

  get isSettled(): boolean {
    return this.#isSettled
  }

  goAhead(result: unknown): void {
    if (this.wentAhead || this.task.kind !== 'work' || this.task.work.goAhead === undefined) return
    this.wentAhead = true
    this.task.work.goAhead(result)
  }

  resolve(result: unknown): void {
    if (this.#tell()) this.#resolve(result)
  }

  reject(error: unknown): void {
    if (this.#tell()) this.#reject(error)
  }

  #tell(): boolean {
    if (this.#isSettled) return false
    this.#isSettled = true
    if (this.#onAbort !== undefined && this.task.kind === 'work') {
      this.task.work.signal?.removeEventListener('abort', this.#onAbort)
    }
    return true
  }
}
