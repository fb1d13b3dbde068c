/** Serves the call that reads: either a read that ends, or a subscription that does not. */
import type { Admission } from './admission.ts'
import type { DoubleFaults } from './double-faults.ts'
import type { EventLog } from './event-log.ts'
import type { GrpcCall } from './grpc-call.ts'
import type { PausableTimers } from './pausable-timers.ts'
import { type ReadRequest, readReadRequest } from './read-request.ts'
import { insideRecord, serveRead, startIndex } from './reads.ts'
import { hasSince } from './server-features.ts'
import { Subscription, type SubscriptionParts } from './subscription.ts'

export interface ReadCallsParts {
  readonly log: EventLog
  readonly timers: PausableTimers
  readonly faults: DoubleFaults
  readonly admission: Admission
  readonly version: string
  readonly liveEventsMax: number | null
  /** How the version at hand calls a position that lies inside a record. */
  readonly insideRecordCode: number
}

export class ReadCalls {
  readonly #parts: ReadCallsParts
  readonly #subscriptions = new Set<Subscription>()
  #reads = 0
  #messages = 0

  constructor(parts: ReadCallsParts) {
    this.#parts = parts
    parts.log.onGrowth(() => this.wakeSubscriptions())
  }

  get openSubscriptions(): number {
    return this.#subscriptions.size
  }

  get openReads(): number {
    return this.#reads
  }

  get messages(): number {
    return this.#messages
  }

  serve(call: GrpcCall): void {
    call.receive((message) => {
      const { admission, log, insideRecordCode } = this.#parts
      const request = readReadRequest(message)
      const { stream = '$all' } = request
      const refusal = admission.refusal(call, { right: '$r', stream })
      if (refusal !== undefined) return call.finish(refusal)
      if (request.isSubscription) return this.#subscribe(call, request)
      this.#reads += 1
      call.onClose(() => {
        this.#reads -= 1
        this.#messages += call.sent
      })
      void serveRead(call, request, log, insideRecordCode)
    })
  }

  wakeSubscriptions(): void {
    for (const subscription of this.#subscriptions) subscription.wake()
  }

  dropSubscriptions(): void {
    for (const subscription of this.#subscriptions) subscription.drop()
  }

  #subscribe(call: GrpcCall, request: ReadRequest): void {
    const { version, faults, liveEventsMax, timers, insideRecordCode } = this.#parts
    const walk =
      request.stream === undefined ? this.#walkOfAll(request) : this.#walkOfStream(request)
    if (walk === undefined) {
      call.finish(insideRecord(insideRecordCode))
      return
    }
    const subscription = new Subscription({
      ...walk,
      call,
      timers,
      filter: request.filter,
      liveEventsMax,
      saysCaughtUp: hasSince(version, 'caughtUp'),
      isSilenced: () => faults.silencesSubscriptions,
    })
    this.#subscriptions.add(subscription)
    call.onClose(() => this.#subscriptions.delete(subscription))
    void subscription.run()
  }

  #walkOfAll({ from }: ReadRequest): Walk | undefined {
    const { log } = this.#parts
    const index = startIndex(from, log)
    if (index === undefined) return undefined
    const after = typeof from === 'bigint' ? Number(from) : -1
    return { events: log.all, count: () => log.readableCount, from: index, after }
  }

  #walkOfStream({ stream = '', from }: ReadRequest): Walk {
    const { log } = this.#parts
    const { events, firstReadable } = log.stream(stream)
    const next = typeof from === 'bigint' ? Number(from) + 1 : 0
    const first = from === 'end' ? events.length : Math.max(next, firstReadable)
    return { events, count: () => events.length, from: first, after: -1 }
  }
}

type Walk = Pick<SubscriptionParts, 'events' | 'count' | 'from' | 'after'>
