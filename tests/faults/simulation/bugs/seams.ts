/** Where a bug can be planted: each seam that is given wraps one part of the simulated world. */
import type { BusTopic } from '@svc/contracts/ports/bus'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import type { SnapshotStore } from '@svc/contracts/ports/snapshot-store'
import type { Rates } from '@svc/contracts/price'
import type { Ledger } from '@svc/ledger/ledger'
import type { SweeperPorts } from '@svc/ledger/sweeper'
import type { FeedCheckpoints } from '@svc/relay/feed-checkpoint'
import type { Random } from '@svc/testing/random'
import type { StoreServer } from '../surroundings/store-server.ts'
import type { VirtualTime } from '../surroundings/virtual-time.ts'

/** What a bug may know of its surroundings. */
export interface SeamSurroundings {
  readonly random: Random
  readonly time: VirtualTime
  readonly server: StoreServer
  /** The price of this moment, to which no running request is pinned. */
  readonly priceOfNow: () => Rates | null
}

export interface Seams {
  readonly serverAnswersEarly?: boolean
  readonly onCommit?: (surroundings: SeamSurroundings) => void
  readonly store?: (inner: EventStore, surroundings: SeamSurroundings) => EventStore
  readonly ledger?: (inner: Ledger, surroundings: SeamSurroundings) => Ledger
  readonly snapshots?: (inner: SnapshotStore) => SnapshotStore
  readonly recordedAnswers?: (inner: Answers) => Answers
  readonly sweeping?: (ports: SweeperPorts, ledger: Ledger) => SweeperPorts
  readonly topic?: (inner: BusTopic, surroundings: SeamSurroundings) => BusTopic
  readonly checkpoints?: (inner: FeedCheckpoints, surroundings: SeamSurroundings) => FeedCheckpoints
}

type Answers = Pick<ExpiringStore, 'load' | 'save'>
