/** What all parts of one simulated history share. */
import type { ReceivedRecord } from '@svc/contracts/ports/bus'
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import type { TokenCounts } from '@svc/contracts/tokens'
import type { MemoryCluster } from '@svc/infra/bus/memory/memory-cluster'
import type { ClientAnswer } from '@svc/testing/checker/history'
import type { Payment, SeenBalance } from '@svc/testing/checker/sightings'
import type { Random } from '@svc/testing/random'
import type { SeamSurroundings, Seams } from './bugs/seams.ts'
import type { HistoryPlan } from './plan.ts'
import type { Network } from './surroundings/network.ts'
import type { PlainTexts } from './surroundings/plain-texts.ts'
import type { RunningRows } from './surroundings/running-rows.ts'
import type { ProcessFate } from './surroundings/simulated-process.ts'
import type { StoreServer } from './surroundings/store-server.ts'
import type { VirtualTime } from './surroundings/virtual-time.ts'

export interface World {
  readonly plan: HistoryPlan
  readonly time: VirtualTime
  readonly random: Random
  readonly network: Network
  readonly server: StoreServer
  readonly texts: PlainTexts
  readonly rows: RunningRows
  readonly cluster: MemoryCluster
  /** Shared by the gateways, and lost now and then. */
  readonly recordedAnswers: { current: ExpiringStore }
  readonly seams: Seams
  readonly surroundings: SeamSurroundings
  readonly notes: Notes
  /** Drawn for each process when it starts. */
  nextFate(): ProcessFate
  /**
   * Has something end when the history has been told: it would hold the world's memory for ever.
   */
  atEnd(end: () => void): void
}

/** What was seen from outside, for the checker. */
export interface Notes {
  readonly answers: ClientAnswer[]
  readonly payments: Payment[]
  readonly balances: SeenBalance[]
  readonly revocations: { readonly accountId: string; readonly keyId: string }[]
  readonly computed: Map<string, TokenCounts>
  /** Errors that no fault explains, in words. */
  readonly defects: string[]
}

export interface SimulatedAccount {
  readonly accountId: string
  /** Those that have not been revoked. */
  readonly keyIds: string[]
}

export const MODEL = 'svc-beta'
export const FEED_TOPIC = 'svc.ledger'
export const TOP_UP_TOPIC = 'svc.top-ups'
export const TOP_UP_GROUP = 'svc'
export const PARTITIONS = 2

/** Records of a topic in memory, in order within each partition. */
export function recordsOf(cluster: MemoryCluster, topic: string): readonly ReceivedRecord[] {
  return (cluster.topics.get(topic) ?? []).flatMap((records, partition) =>
    records.map((record, at) => ({ ...record, partition, offset: BigInt(at) })),
  )
}
