/**
 * The core of one service: the log of events, the ledger that writes it and the views that follow
 * it. A server has them open while it runs; the CLI opens them when no server does.
 *
 * One process at a time has a data folder. With a file of events that file keeps others off; when
 * the events are on a server, the file of the snapshots does. So nothing in the folder is written
 * before both are open.
 */
import { randomBytes } from 'node:crypto'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { StreamDamage } from '@svc/contracts/ports/quarantine'
import type { RefusedRequests } from '@svc/contracts/ports/refused-requests'
import type { StoreHealth } from '@svc/contracts/ports/store-health'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { UsedKeys } from '@svc/contracts/ports/used-keys'
import type { UserRecords } from '@svc/contracts/ports/user-records'
import type { ViewServers } from '@svc/gateway/views-hop/view-servers'
import { Users } from '@svc/identity/users/users'
import { openSqliteUserRecords } from '@svc/infra/people/sqlite-user-records'
import { openSqliteRefusedRequests } from '@svc/infra/refused-requests/sqlite-refused-requests'
import { openSqliteSnapshotStore } from '@svc/infra/snapshot-store/sqlite/sqlite-snapshot-store'
import { diskRefusalOf } from '@svc/infra/sqlite/open-errors'
import { SharedPace } from '@svc/infra/system/shared-pace'
import { steadyClock } from '@svc/infra/system/steady-clock'
import { systemClock } from '@svc/infra/system/system-clock'
import { SystemIds } from '@svc/infra/system/system-ids'
import { systemTimer } from '@svc/infra/system/system-timer'
import { createLedger } from '@svc/ledger/create-ledger'
import { inspectStream } from '@svc/ledger/inspect-stream'
import type { Ledger } from '@svc/ledger/ledger'
import { PRICE_NOTICE_MS } from '@svc/ledger/limits'
import { AdminTokens } from '@svc/operator/access/admin-tokens'
import { AuditTrail } from '@svc/operator/access/audit-trail'
import type { Backups } from '@svc/operator/operations/backups'
import { Checkpointer } from '@svc/projections/checkpointer'
import type { EvidenceSources } from '@svc/projections/evidence-export'
import type { Projections } from '@svc/projections/open-projections'
import type { Logger } from 'pino'
import { FolderBackups } from '../backup/folder-backups.ts'
import { removeKeptAnswers } from '../data-folder/kept-answers-files.ts'
import { openLogKeys, rotatedKeys } from '../evidence/log-keys.ts'
import type { LogLocation } from '../settings/log-location.ts'
import { forgetServerLog, recogniseLog, refuseServerLog } from './log-identity.ts'
import { LogMemory } from './log-memory.ts'
import { LogQuarantine } from './log-quarantine.ts'
import { loggedCharges } from './logged-charges.ts'
import { OpenResources } from './open-resources.ts'
import { type OpenStores, openStores } from './open-store.ts'
import { openViewsAndKeys, type ViewsOptions } from './open-views.ts'

/** Gives other gateways their turn on an account that one keeps busy. */
const SHARED_REST_EVERY_MS = 300
/** Keeps a request from waiting long for credit that another gateway has freed already. */
const SHARED_LOOK_AGAIN_MS = 1_000
/**
 * After this time whoever asked for evidence has to ask again, and the next minute's checkpoint has
 * it.
 */
const TREE_WAIT_MS = 5_000
/** Limits of the ledger where other gateways write to the log as well. */
const SHARED_LIMITS = {
  restEveryMs: SHARED_REST_EVERY_MS,
  lookAgainMs: SHARED_LOOK_AGAIN_MS,
  replacedPriceMs: PRICE_NOTICE_MS,
}

export interface CoreOptions extends ViewsOptions {
  /** When they are open already; whoever opened them closes them after the core. */
  readonly stores?: OpenStores | undefined
  /** Where backups are written. Default: in a folder of the data folder. */
  readonly backupDir?: string | undefined
  /** Signs checkpoints instead of the key of the folder. */
  readonly evidenceKey?: string | undefined
  /** Is called once when the disk has failed: the process must end. */
  readonly onFatal: (error: unknown) => void
}

export interface Core {
  /** Names this process in the events that it writes. */
  readonly gatewayId: string
  readonly place: LogLocation
  readonly store: EventStore
  readonly texts: TextStore
  readonly storeHealth: StoreHealth
  readonly quarantine: LogQuarantine
  /** Reads a stream from its start to its end. @returns what is wrong with it, if anything is */
  readonly inspect: (stream: string) => Promise<StreamDamage | undefined>
  readonly ledger: Ledger
  readonly projections: Projections
  /** Servers that have the views, when they are not here. */
  readonly viewServers: ViewServers | undefined
  readonly usedKeys: UsedKeys
  readonly adminTokens: AdminTokens
  readonly auditTrail: AuditTrail
  readonly users: Users
  /** Who the users are. */
  readonly userRecords: UserRecords
  readonly refusedRequests: RefusedRequests
  readonly memory: LogMemory
  readonly checkpointer: Checkpointer
  readonly evidence: EvidenceSources
  readonly backups: Backups
  /** Shared by all long work of this process. */
  readonly pace: SharedPace
  /**
   * Closes everything in the opposite order of dependence.
   *
   * @returns whether everything was closed whole; what was not is in the log
   */
  close(): Promise<boolean>
}

/**
 * @throws {StoreOpenError} when the log, or the folder, cannot be used, with nothing written
 * @throws {DataFolderError} when the folder has seen more of the log than the server holds
 */
export async function openCore(options: CoreOptions): Promise<Core> {
  const { folder, place, logger } = options
  const parts = new OpenResources(logger)
  try {
    const identity = { folder, logger, otherLog: options.otherLog ?? 'refuse' }
    if (place.kind === 'sqlite') refuseServerLog(identity)
    const stores = options.stores ?? (await openStores(options, parts))
    const { store, texts, health: storeHealth } = stores
    folder.make()
    const { snapshots, refusedRequests, userRecords } = openFolderFiles(options, parts)
    if (place.kind === 'sqlite') forgetServerLog(identity)
    else await recogniseLog(store, place, identity)
    const quarantine = openQuarantine(options, storeHealth)
    parts.add(() => quarantine.close())
    const pace = new SharedPace()
    const inspect = (stream: string) => inspectStream({ store, timer: systemTimer }, stream)
    const { viewServers } = options
    const opened = await openViewsAndKeys(options, { store, pace, quarantine, inspect }, snapshots)
    const { projections, usedKeys } = opened
    parts.add(() => projections.close())
    tellViewsOfDamage(quarantine, projections, logger)
    const memory = await LogMemory.open({ folder, store, snapshots, projections, logger })
    parts.add(async () => {
      await projections.close()
      memory.close()
    })
    const checkpointer = openCheckpointer(options, store, projections)
    const ids = new SystemIds(systemClock)
    const gatewayId = ids.next('gw')
    const clocks = { clock: systemClock, steadyClock, timer: systemTimer }
    const ports = { store, texts, ...clocks, ids, randomBytes, quarantine }
    const charges = loggedCharges(projections)
    const ledger = await openLedger(options, { ...ports, snapshots, gatewayId, usedKeys, charges })
    parts.add(() => ledger.close())
    const backups = new FolderBackups({ folder, into: options.backupDir, clock: systemClock })
    parts.add(() => backups.stop())
    await finishErasures(ledger, folder, logger)
    projections.start()
    memory.start()
    return {
      gatewayId,
      place,
      store,
      storeHealth,
      texts,
      ledger,
      projections,
      memory,
      pace,
      quarantine,
      inspect,
      usedKeys,
      viewServers,
      refusedRequests,
      backups,
      checkpointer,
      evidence: { store, views: projections.views, checkpoints: checkpointer, pace },
      adminTokens: new AdminTokens(ports),
      auditTrail: new AuditTrail(ports),
      users: new Users(ports),
      userRecords,
      close: () => parts.close(),
    }
  } catch (error) {
    await parts.close()
    throw diskRefusalOf(error, folder.path)
  }
}

/** What the folder keeps beside the log and its views. */
function openFolderFiles(options: CoreOptions, parts: OpenResources) {
  const { folder, reach } = options
  const snapshots = openSqliteSnapshotStore(folder.snapshotsFile, reach)
  parts.add(() => snapshots.close())
  const refusedRequests = openRefusedRequests(options)
  parts.add(() => refusedRequests.close())
  const userRecords = openSqliteUserRecords(folder.usersFile)
  parts.add(() => userRecords.close())
  return { snapshots, refusedRequests, userRecords }
}

function openLedger(
  { folder, place, reach }: CoreOptions,
  ports: Omit<Parameters<typeof createLedger>[0], 'reach' | 'erasures' | 'limits'>,
): Promise<Ledger> {
  const limits = place.kind === 'sqlite' ? {} : SHARED_LIMITS
  return createLedger({ ...ports, reach, erasures: folder.erasures, limits })
}

/** Until the next start has finished them, `svc verify` tells of them. */
async function finishErasures(
  { administration }: Ledger,
  folder: CoreOptions['folder'],
  logger: Logger,
): Promise<void> {
  const forget = (accountId: string) => removeKeptAnswers(folder, accountId)
  await administration.finishErasures(forget).catch((err: unknown) => {
    logger.error({ err }, 'failed to finish erasures of texts, retrying at the next start')
  })
}

function openCheckpointer(
  { folder, logger, evidenceKey }: CoreOptions,
  store: EventStore,
  projections: Projections,
): Checkpointer {
  return new Checkpointer({
    store,
    views: projections.views,
    reached: (position) => projections.reached(position, TREE_WAIT_MS, 'evidence'),
    clock: systemClock,
    keys: openLogKeys({ folder, logger, given: evidenceKey }),
    rotated: rotatedKeys({ folder, given: evidenceKey }),
    last: folder.readCheckpoint(),
  })
}

function tellViewsOfDamage(
  quarantine: LogQuarantine,
  projections: Pick<Projections, 'distrust'>,
  logger: Logger,
): void {
  quarantine.follow((stream) => {
    projections.distrust(stream).catch((err: unknown) => {
      // A server tries it again with every look at the stream.
      logger.warn({ err, stream }, 'failed to note that views may hold a damaged stream')
    })
  })
}

function openQuarantine({ folder, place, logger }: CoreOptions, storeHealth: StoreHealth) {
  const streamPrefix = place.kind === 'sqlite' ? '' : place.streamPrefix
  return new LogQuarantine({ folder, storeHealth, streamPrefix, timer: systemTimer, logger })
}

function openRefusedRequests({ folder, logger }: CoreOptions): RefusedRequests {
  return openSqliteRefusedRequests(folder.refusalsFile, {
    clock: systemClock,
    timer: systemTimer,
    onLost: (err) => logger.error({ err }, 'failed to keep refused requests, going on without'),
  })
}
