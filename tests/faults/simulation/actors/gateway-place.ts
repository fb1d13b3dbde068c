/** A place for gateways: when the process there dies, another one starts in its place. */
import { ID_RANDOM_BYTES, type IdKind, makeId } from '@svc/contracts/ids'
import type { SnapshotStore } from '@svc/contracts/ports/snapshot-store'
import { pause } from '@svc/contracts/ports/time'
import { MemorySnapshotStore } from '@svc/infra/snapshot-store/memory/memory-snapshot-store'
import { createLedger } from '@svc/ledger/create-ledger'
import type { Ledger } from '@svc/ledger/ledger'
import { SimulatedProcess } from '../surroundings/simulated-process.ts'
import type { World } from '../world.ts'
import { SimulatedGateway } from './gateway.ts'

const RESTART_MS = 400
const OPEN_AGAIN_MS = 200

/** Small, so that short histories reach every one of them. */
const LIMITS = {
  waitMs: 1_500,
  lookAgainMs: 200,
  restEveryMs: 500,
  unknownOutcomeMs: 2_000,
  batchCommands: 8,
  snapshotEveryEvents: 7,
  sharedSnapshotEveryEvents: 5,
  replayPageEvents: 50,
}

export class GatewayPlace {
  readonly #world: World
  /** They outlive the process, as files do. */
  readonly #snapshots = new MemorySnapshotStore()
  /** Of this place, the newest last. */
  readonly #gatewayIds: string[] = []
  #process: SimulatedProcess | undefined
  #gateway: SimulatedGateway | undefined

  constructor(world: World) {
    this.#world = world
    void this.#start()
  }

  /** Undefined while there is none that serves. */
  get gateway(): SimulatedGateway | undefined {
    return this.#gateway
  }

  freeze(forMs: number): void {
    this.#process?.freeze(forMs)
  }

  /** What runs does not die any more. */
  spare(): void {
    this.#process?.spare()
  }

  async #start(): Promise<void> {
    const { time, random } = this.#world
    const process = new SimulatedProcess(time, this.#world.nextFate())
    this.#process = process
    process.onDeath(() => {
      this.#gateway = undefined
      time.after(random.integer(RESTART_MS), () => void this.#start())
    })
    const ids = seededIds(this.#world, process)
    const gatewayId = ids.next('gw')
    this.#gatewayIds.push(gatewayId)
    const ledger = await this.#openLedger(process, gatewayId, ids)
    const earlier = new Set(this.#gatewayIds.filter((id) => id !== gatewayId))
    const isGone = (id: string): boolean => earlier.has(id)
    if (!process.isAlive) return
    const options = { world: this.#world, process, ledger, gatewayId, isGone }
    this.#gateway = new SimulatedGateway(options)
  }

  async #openLedger(
    process: SimulatedProcess,
    gatewayId: string,
    ids: ReturnType<typeof seededIds>,
  ): Promise<Ledger> {
    const { server, texts, random, seams, surroundings } = this.#world
    const { clock, timer, reach } = process
    const connection = server.connect(process)
    const store = seams.store?.(connection, surroundings) ?? connection
    const guarded = this.#guardedSnapshots(process)
    const snapshots = seams.snapshots?.(guarded) ?? guarded
    const randomBytes = (count: number) => bytesFrom(random, count)
    for (;;) {
      try {
        const ledger = await createLedger({
          store,
          snapshots,
          texts: texts.connect(process),
          clock,
          timer,
          ids,
          steadyClock: clock,
          randomBytes,
          gatewayId,
          reach,
          limits: LIMITS,
        })
        return seams.ledger?.(ledger, surroundings) ?? ledger
      } catch {
        await pause(timer, OPEN_AGAIN_MS)
      }
    }
  }

  #guardedSnapshots(process: SimulatedProcess): SnapshotStore {
    const kept = this.#snapshots
    return {
      load: (stream) => kept.load(stream),
      heads: (after, limit) => kept.heads(after, limit),
      save: (snapshot) => process.tell(() => kept.save(snapshot), false),
      clear: () => kept.clear(),
      close() {},
    }
  }
}

export function seededIds(
  { random }: Pick<World, 'random'>,
  { clock }: Pick<SimulatedProcess, 'clock'>,
) {
  return { next: (kind: IdKind) => makeId(kind, clock.nowMs(), bytesFrom(random, ID_RANDOM_BYTES)) }
}

export function bytesFrom(random: World['random'], count: number): Uint8Array {
  return Uint8Array.from({ length: count }, () => random.integer(256))
}
