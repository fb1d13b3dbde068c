/** A store in memory that a test can watch, hold up, and let fail. */
import type {
  AppendOutcome,
  AppendRequest,
  ReadStreamRequest,
  RecordedEvent,
} from '@svc/contracts/ports/event-store'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'

export class WatchedStore extends MemoryEventStore {
  readonly appends: AppendRequest[] = []
  readonly reads: ReadStreamRequest[] = []
  readonly #failures: (Error | AppendOutcome)[] = []
  #gate: PromiseWithResolvers<void> | undefined
  /** What every append says until it is undefined again; nothing is written then. */
  always: AppendOutcome | undefined

  /** The next append rejects with the error, or says this without writing anything. */
  failNext(...failures: readonly (Error | AppendOutcome)[]): void {
    this.#failures.push(...failures)
  }

  /** Appends wait from now on. @returns lets them go on */
  hold(): () => void {
    const gate = Promise.withResolvers<void>()
    this.#gate = gate
    return () => {
      this.#gate = undefined
      gate.resolve()
    }
  }

  override async append(request: AppendRequest): Promise<AppendOutcome> {
    this.appends.push(request)
    await this.#gate?.promise
    const failure = this.#failures.shift() ?? this.always
    if (failure instanceof Error) throw failure
    return failure ?? super.append(request)
  }

  override async readStream(request: ReadStreamRequest): Promise<readonly RecordedEvent[]> {
    this.reads.push(request)
    return super.readStream(request)
  }
}
