/** The place of the relay: the real one, on a bus that takes its time, loses answers and dies. */
import type { BusRecord, BusTopic, ReceivedRecord } from '@svc/contracts/ports/bus'
import { pause } from '@svc/contracts/ports/time'
import { MemoryBus } from '@svc/infra/bus/memory/memory-bus'
import type { FeedCheckpoint, FeedCheckpoints } from '@svc/relay/feed-checkpoint'
import { Relay } from '@svc/relay/relay'
import { SimulatedProcess } from '../surroundings/simulated-process.ts'
import { FEED_TOPIC, PARTITIONS, type World } from '../world.ts'

const RESTART_MS = 400
const SEND_AGAIN_MS = 100
const quiet = { info() {}, warn() {}, error() {} }

export class FeedPlace {
  readonly #world: World
  /** As its file has it. */
  #checkpoint: FeedCheckpoint | undefined
  #process: SimulatedProcess | undefined
  /** Records of each partition when the relay last looked. */
  #found: readonly number[] = []
  /** How often the topic has lost records. */
  #losses = 0

  constructor(world: World) {
    this.#world = world
    this.#start()
  }

  /** Whether every event was found in the topic, as far as the relay knows. */
  get isCaughtUp(): boolean {
    const { events } = this.#world.server
    return this.#checkpoint?.position === events.at(-1)?.position
  }

  /**
   * Loses records that were acknowledged, of those that the relay has not looked for yet: what is
   * lost later it can only tell, and an operator has it sent again.
   */
  lose(): void {
    const { cluster, random } = this.#world
    const partition = random.integer(PARTITIONS)
    const notFound = (this.#lengths[partition] ?? 0) - (this.#found[partition] ?? 0)
    if (notFound === 0) return
    cluster.lose(FEED_TOPIC, partition, 1 + random.integer(notFound))
    this.#losses += 1
  }

  freeze(forMs: number): void {
    this.#process?.freeze(forMs)
  }

  spare(): void {
    this.#process?.spare()
  }

  #start(): void {
    const { time, random, server, cluster, seams, surroundings } = this.#world
    const process = new SimulatedProcess(time, this.#world.nextFate())
    this.#process = process
    process.onDeath(() => time.after(random.integer(RESTART_MS), () => this.#start()))
    const { clock, timer } = process
    const bus = new MemoryBus(cluster, timer)
    const checkpoints = this.#checkpoints(process)
    const relay = new Relay({
      store: server.connect(process),
      bus: {
        open: async (plan) => {
          const topic = await process.ask(() => bus.open(plan))
          const near = seams.topic?.(topic, surroundings) ?? topic
          const onLook = (): void => {
            this.#found = this.#lengths
          }
          const losses = (): number => this.#losses
          return new DistantTopic(near, { world: this.#world, process, onLook, losses })
        },
      },
      plan: { name: FEED_TOPIC, partitions: PARTITIONS },
      checkpoints: seams.checkpoints?.(checkpoints, surroundings) ?? checkpoints,
      pace: { step: async (work) => work() },
      clock,
      timer,
      log: quiet,
    })
    relay.start()
    // Not at its death: what it had sent is on its way. A signal that is made of others, and is
    // listened to, is kept by Node until it is aborted, with all that the listener knows.
    this.#world.atEnd(() => void relay.stop())
  }

  get #lengths(): readonly number[] {
    const partitions = this.#world.cluster.topics.get(FEED_TOPIC) ?? []
    return partitions.map(({ length }) => length)
  }

  #checkpoints(process: SimulatedProcess): FeedCheckpoints {
    return {
      read: () => this.#checkpoint,
      write: (checkpoint) =>
        process.tell(() => {
          this.#checkpoint = checkpoint
        }, undefined),
    }
  }
}

interface Distance {
  readonly world: World
  readonly process: SimulatedProcess
  readonly onLook: () => void
  readonly losses: () => number
}

class DistantTopic implements BusTopic {
  readonly warnings = []
  readonly #topic: BusTopic
  readonly #world: World
  readonly #process: SimulatedProcess
  readonly #onLook: () => void
  readonly #losses: () => number

  constructor(topic: BusTopic, { world, process, onLook, losses }: Distance) {
    this.#topic = topic
    this.#world = world
    this.#process = process
    this.#onLook = onLook
    this.#losses = losses
  }

  get trouble(): string | null {
    return this.#topic.trouble
  }

  get acknowledged(): readonly bigint[] {
    return this.#topic.acknowledged
  }

  deliver(records: readonly BusRecord[], signal: AbortSignal): Promise<void> {
    return this.#process.ask(() => this.#deliver(records, signal))
  }

  ends(): Promise<readonly bigint[]> {
    return this.#process.ask(async () => {
      await this.#way()
      this.#onLook()
      const ends = await this.#topic.ends()
      await this.#way()
      return ends
    })
  }

  read(take: (records: readonly ReceivedRecord[]) => void, signal: AbortSignal): Promise<void> {
    return this.#process.ask(() => this.#topic.read(take, signal))
  }

  last(signal: AbortSignal): Promise<readonly ReceivedRecord[]> {
    return this.#process.ask(() => this.#topic.last(signal))
  }

  close(): Promise<void> {
    return this.#topic.close()
  }

  /** What is not acknowledged is sent again, and was there in part or as a whole. */
  async #deliver(records: readonly BusRecord[], signal: AbortSignal): Promise<void> {
    const { network, random, time } = this.#world
    const losses = this.#losses()
    await this.#way()
    // A broker that loses records has died, and with it what was on its way to it. Who is alive
    // sends that again, which is as if it had come later.
    if (this.#losses() !== losses && !this.#process.isAlive) return
    while (network.loses()) {
      await this.#topic.deliver(records.slice(0, 1 + random.integer(records.length)), signal)
      await pause(time, SEND_AGAIN_MS, signal)
      signal.throwIfAborted()
      // Of a dead sender nothing more is sent.
      if (!this.#process.isAlive) return
    }
    if (!this.#process.isAlive) return
    await this.#topic.deliver(records, signal)
    await this.#way()
  }

  #way(): Promise<void> {
    const { time, network } = this.#world
    return time.wait(network.delayMs())
  }
}
