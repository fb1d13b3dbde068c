/** The ports that the operations need. */
import type { ServiceStatus } from '@svc/contracts/admin/workers'
import type { EventStore, Position } from '@svc/contracts/ports/event-store'
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import type { Pace } from '@svc/contracts/ports/pace'
import type { Quarantine } from '@svc/contracts/ports/quarantine'
import type { RefusedRequests } from '@svc/contracts/ports/refused-requests'
import type { StoreHealth } from '@svc/contracts/ports/store-health'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock } from '@svc/contracts/ports/time'
import type { LogWitness } from '@svc/infra/event-store/log-witnesses'
import type { Ledger } from '@svc/ledger/ledger'
import type { EvidenceSources } from '@svc/projections/evidence-export'
import type { Projections } from '@svc/projections/open-projections'
import { type ProjectionStatus, viewBehindLog } from '@svc/projections/projection-status'
import type { AdminTokens } from '../access/admin-tokens.ts'
import type { AuditTrail } from '../access/audit-trail.ts'
import type { Feed } from '../feed/feed.ts'
import type { PeoplePorts } from '../people/ports.ts'
import type { WorkerPorts } from '../workers/worker-operations.ts'
import type { Backups } from './log/backups.ts'
import type { NameMemory } from './texts/name-memory.ts'

/** An answer waits this long for the views to have all that is in the log: in a running server … */
const VIEWS_TIMEOUT_MS = 10_000
/** … and in a folder just opened, whose views may have to be built first. */
const VIEWS_BUILD_TIMEOUT_MS = 600_000

export interface ServiceInformation {
  readonly version: string
  readonly mode: ServiceStatus['mode']
  /** Is null for a service that is stopped. */
  readonly baseUrl: string | null
  readonly dataDir: string
  /** `sqlite`, `memory` … */
  readonly storeKind: string
  /** False on a gateway that asks other servers for what is in views. Default: true. */
  readonly hasViews?: boolean
}

export interface OperationPorts extends WorkerPorts, Omit<PeoplePorts, 'information'> {
  readonly adminTokens: AdminTokens
  /** The trail that notes who was shown what. */
  readonly auditTrail: AuditTrail
  readonly refusedRequests: Pick<RefusedRequests, 'find'>
  readonly ledger: Ledger
  readonly projections: Projections
  readonly store: EventStore
  /** Default: nothing is ever wrong with it. */
  readonly storeHealth?: StoreHealth
  /** Default: nothing is ever set aside. */
  readonly quarantine?: Quarantine
  readonly evidence: EvidenceSources
  /** The texts beside the log that its events have words for. */
  readonly texts: TextStore
  /** The names that searches remember. Default: nothing. */
  readonly names?: NameMemory
  /** What the model was asked and said, which later requests go on from. Default: none is kept. */
  readonly keptAnswers?: Pick<ExpiringStore, 'removeAll'>
  /** All long work of this process shares this pace. */
  readonly pace: Pace
  readonly clock: Clock
  /** The feed that sends events to other systems. */
  readonly feed?: Feed | undefined
  /** Absent where the service keeps nothing in a folder. */
  readonly backups?: Backups
  /** The witnesses that remember the log outside of it. */
  readonly memory?: { witnesses(): Iterable<LogWitness> }
  readonly information: ServiceInformation
}

/**
 * Waits until a view has all that is in the log now: an operator's question is never answered
 * stale.
 *
 * @returns the position up to which it has everything
 */
export async function viewsCurrent(
  { projections, store, information }: OperationPorts,
  name: ProjectionStatus['name'],
): Promise<Position> {
  const head = await store.lastPosition()
  const timeoutMs = information.mode === 'stopped' ? VIEWS_BUILD_TIMEOUT_MS : VIEWS_TIMEOUT_MS
  if (await projections.reached(head, timeoutMs, name)) return head
  const status = (await projections.status()).find((view) => view.name === name)
  if (status === undefined) throw new Error(`there is no view ${name}`)
  throw viewBehindLog(status, head)
}
