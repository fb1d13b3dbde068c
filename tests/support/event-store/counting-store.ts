/** Counts what the appends to a store came to: a test of faults must see that they bite. */
import type {
  AppendOutcome,
  AppendRequest,
  EventStore,
  Position,
  ReadAllBackwardsRequest,
  ReadAllRequest,
  ReadStreamRequest,
  RecordedEvent,
  SubscribeRequest,
  SubscriptionBatch,
} from '@svc/contracts/ports/event-store'

export class CountingStore implements EventStore {
  /** Of all appends that did not reject. */
  readonly outcomes: Record<AppendOutcome['kind'], number> = {
    appended: 0,
    duplicate: 0,
    conflict: 0,
    unknown: 0,
  }
  readonly #inner: EventStore

  constructor(inner: EventStore) {
    this.#inner = inner
  }

  async append(request: AppendRequest): Promise<AppendOutcome> {
    const outcome = await this.#inner.append(request)
    this.outcomes[outcome.kind] += 1
    return outcome
  }

  readStream(request: ReadStreamRequest): Promise<readonly RecordedEvent[]> {
    return this.#inner.readStream(request)
  }

  readAll(request: ReadAllRequest): Promise<readonly RecordedEvent[]> {
    return this.#inner.readAll(request)
  }

  readAllBackwards(request: ReadAllBackwardsRequest): Promise<readonly RecordedEvent[]> {
    return this.#inner.readAllBackwards(request)
  }

  lastPosition(): Promise<Position> {
    return this.#inner.lastPosition()
  }

  subscribe(request: SubscribeRequest): AsyncIterable<SubscriptionBatch> {
    return this.#inner.subscribe(request)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }
}
