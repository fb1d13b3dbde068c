/**
 * An event store over a network. Appends become durable one after the other, each after the time
 * that the disk takes; a restart loses what was not durable, and every answer on its way. What was
 * acknowledged is never lost.
 */
import {
  type AppendOutcome,
  type AppendRequest,
  type EventStore,
  NO_STREAM,
  type Position,
  type ReadAllBackwardsRequest,
  type ReadAllRequest,
  type ReadStreamRequest,
  type RecordedEvent,
  StoreAwayError,
  type SubscribeRequest,
  type SubscriptionBatch,
} from '@svc/contracts/ports/event-store'
import { seal } from '@svc/contracts/ports/hash-chain'
import { MemoryEventStore, MemoryLog } from '@svc/infra/event-store/memory/memory-event-store'
import type { Random } from '@svc/testing/random'
import type { Network } from './network.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { VirtualTime } from './virtual-time.ts'

/** How long a client waits for an answer. */
const ANSWER_MS = 500
const REFUSED_MS = 5

export interface StoreServerOptions {
  readonly time: VirtualTime
  readonly random: Random
  readonly network: Network
  /** The longest that an append takes to become durable. */
  readonly diskMs: number
  /** A planted bug: says that an append is durable when it has come in. */
  readonly answersEarly: boolean
  readonly onCommit: (events: readonly RecordedEvent[]) => void
}

export class StoreServer {
  readonly log = new MemoryLog()
  readonly #memory = new MemoryEventStore(this.log)
  readonly #options: StoreServerOptions
  #starts = 0
  #isAway = false

  constructor(options: StoreServerOptions) {
    this.#options = options
  }

  /** Which start of the server it is: answers of an earlier one never arrive. */
  get starts(): number {
    return this.#starts
  }

  get isAway(): boolean {
    return this.#isAway
  }

  /** All events, as they stand there. */
  get events(): readonly RecordedEvent[] {
    return this.log.all
  }

  restart(awayMs: number): void {
    this.#starts += 1
    this.#isAway = true
    this.#options.time.after(awayMs, () => {
      this.#isAway = false
    })
  }

  connect(process: SimulatedProcess): EventStore {
    return new StoreConnection(this, this.#options, process)
  }

  /** Without a network or a disk: for what is there before a history begins. */
  get setting(): EventStore {
    return this.#memory
  }

  /** An append has come in. @param answer not called when the server restarts before */
  take(request: AppendRequest, answer: (outcome: AppendOutcome) => void): void {
    const { time, random, diskMs, answersEarly } = this.#options
    const start = this.#starts
    if (answersEarly && this.#isAtHead(request)) answer(this.#foretold(request))
    time.after(random.integer(diskMs), () => {
      if (start !== this.#starts) return
      const known = this.log.all.length
      // The memory store writes before it first gives way: nothing comes in between.
      const outcome = this.#memory.append(request)
      this.#options.onCommit(this.log.all.slice(known))
      void outcome.then(answer)
    })
  }

  readStream(request: ReadStreamRequest): Promise<readonly RecordedEvent[]> {
    return this.#memory.readStream(request)
  }

  readAll(request: ReadAllRequest): Promise<readonly RecordedEvent[]> {
    return this.#memory.readAll(request)
  }

  readAllBackwards(request: ReadAllBackwardsRequest): Promise<readonly RecordedEvent[]> {
    return this.#memory.readAllBackwards(request)
  }

  subscribe(request: SubscribeRequest): AsyncIterable<SubscriptionBatch> {
    return this.#memory.subscribe(request)
  }

  #isAtHead({ stream, expected }: AppendRequest): boolean {
    const head = this.log.streams.get(stream)?.at(-1) ?? NO_STREAM
    return head.revision === expected.revision && head.hash === expected.hash
  }

  #foretold(request: AppendRequest): AppendOutcome {
    const position = BigInt(this.log.all.length + request.events.length - 1)
    return { kind: 'appended', head: seal(request).head, position }
  }
}

/** What one process sees of the server. */
class StoreConnection implements EventStore {
  readonly #server: StoreServer
  readonly #options: StoreServerOptions
  readonly #process: SimulatedProcess

  constructor(server: StoreServer, options: StoreServerOptions, process: SimulatedProcess) {
    this.#server = server
    this.#options = options
    this.#process = process
  }

  append(request: AppendRequest): Promise<AppendOutcome> {
    return this.#process.ask(() => this.#append(request))
  }

  readStream(request: ReadStreamRequest): Promise<readonly RecordedEvent[]> {
    return this.#read(() => this.#server.readStream(request))
  }

  readAll(request: ReadAllRequest): Promise<readonly RecordedEvent[]> {
    return this.#read(() => this.#server.readAll(request))
  }

  readAllBackwards(request: ReadAllBackwardsRequest): Promise<readonly RecordedEvent[]> {
    return this.#read(() => this.#server.readAllBackwards(request))
  }

  lastPosition(): Promise<Position> {
    return this.#read(async () => BigInt(this.#server.events.length - 1))
  }

  async *subscribe(request: SubscribeRequest): AsyncGenerator<SubscriptionBatch> {
    const { starts } = this.#server
    const batches = this.#server.subscribe(request)[Symbol.asyncIterator]()
    for (;;) {
      const { done, value } = await this.#process.ask(() => batches.next())
      if (done === true) return
      if (starts !== this.#server.starts) throw new StoreAwayError('the subscription broke off')
      yield value
    }
  }

  async close(): Promise<void> {}

  #append(request: AppendRequest): Promise<AppendOutcome> {
    const { time, random, network } = this.#options
    const { promise, resolve, reject } = Promise.withResolvers<AppendOutcome>()
    if (this.#server.isAway && random.next() < 0.5) {
      time.after(REFUSED_MS, () => reject(new StoreAwayError('the server is away')))
      return promise
    }
    const waitNoMore = time.after(ANSWER_MS, () => {
      resolve({ kind: 'unknown', cause: new Error('no answer in time') })
    })
    const arrive = (outcome: AppendOutcome): void => {
      waitNoMore()
      resolve(outcome)
    }
    const answer = (outcome: AppendOutcome): void => this.#bringBack(() => arrive(outcome))
    if (!network.loses()) this.#bring(request, answer)
    if (network.repeats()) this.#bring(request, answer)
    return promise
  }

  #bring(request: AppendRequest, answer: (outcome: AppendOutcome) => void): void {
    const { time, network } = this.#options
    time.after(network.delayMs(), () => {
      if (!this.#server.isAway) this.#server.take(request, answer)
    })
  }

  #bringBack(arrive: () => void): void {
    const { time, network } = this.#options
    const { starts } = this.#server
    if (network.loses()) return
    time.after(network.delayMs(), () => {
      if (starts === this.#server.starts) arrive()
    })
  }

  #read<Answer>(read: () => Promise<Answer>): Promise<Answer> {
    return this.#process.ask(() => {
      const { time, network } = this.#options
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      const away = (): void => reject(new StoreAwayError('the server does not answer'))
      const waitNoMore = time.after(this.#server.isAway ? REFUSED_MS : ANSWER_MS, away)
      const arrive = (answer: Answer): void => {
        waitNoMore()
        resolve(answer)
      }
      if (this.#server.isAway || network.loses()) return promise
      time.after(network.delayMs(), () => {
        if (this.#server.isAway) return
        read().then((answer) => this.#bringBack(() => arrive(answer)), reject)
      })
      return promise
    })
  }
}
