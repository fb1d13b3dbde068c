/** An event store around another one. Whoever extends it changes what its test needs. */
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

export class WrappedEventStore implements EventStore {
  readonly #inner: EventStore

  constructor(inner: EventStore) {
    this.#inner = inner
  }

  append(request: AppendRequest): Promise<AppendOutcome> {
    return this.#inner.append(request)
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
