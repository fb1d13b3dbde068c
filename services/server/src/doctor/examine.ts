/**
 * Looks at everything that a server needs, one finding for each, and changes nothing. It works
 * beside a running server, and where none could start.
 */
import { messageOf } from '@svc/contracts/error-message'
import { DataFolder } from '../data-folder/data-folder.ts'
import { nearestExisting } from '../data-folder/folder-safety.ts'
import { type LogLocation, logLocationOf } from '../settings/log-location.ts'
import type { Environment } from '../settings/setting-names.ts'
import type { Settings } from '../settings/settings.ts'
import { lookAtEventStoreDb, lookAtRedis, lookAtWorker } from './connections.ts'
import { lookAtBackups, lookAtFolder, lookAtLedgerFile, lookAtPermissions } from './data-folder.ts'
import { type Finding, found, note, problem } from './finding.ts'
import { lookAtKafka } from './kafka-topics.ts'
import { lookAtAddress, lookAtDisk, lookAtSettings, lookAtVersions } from './machine.ts'
import { lookAtModels } from './models.ts'

export type { Finding } from './finding.ts'

export interface Examination {
  readonly environment: Environment
  readonly dataDir: string
  /** Whether the server runs. Then it has the port, and says of itself how it is. */
  readonly isRunning: boolean
}

/** @yields each finding as soon as it is there */
export async function* examine(examination: Examination): AsyncGenerator<Finding, void> {
  const { environment, dataDir, isRunning } = examination
  const folder = new DataFolder(dataDir)
  yield await found('versions', lookAtVersions)
  yield await found('data folder', () => lookAtFolder(folder))
  yield await found('permissions', () => lookAtPermissions(folder))
  yield await found('disk', () => lookAtDisk(nearestExisting(folder.path)))
  const settings = readOrNone(environment)
  if ('state' in settings) {
    yield settings
    yield note('connections', 'not looked at: they are read from the settings')
    return
  }
  yield settings.finding
  yield* lookAtModels(settings.settings)
  const place = logLocationOf(settings.settings)
  yield await found('ledger', () => lookAtLedgerFile(folder, place))
  const { SVC_BACKUP_DIR: backupDir } = settings.settings
  yield await found('backups', () => lookAtBackups(folder, backupDir))
  if (!isRunning) yield await found('address', () => lookAtAddress(settings.settings))
  yield* connections(settings.settings, place)
}

function readOrNone(environment: Environment): ReturnType<typeof lookAtSettings> | Finding {
  try {
    return lookAtSettings(environment)
  } catch (error) {
    return problem('settings', messageOf(error))
  }
}

async function* connections(settings: Settings, place: LogLocation): AsyncGenerator<Finding, void> {
  if (place.kind === 'eventstoredb') {
    yield await found('EventStoreDB', () => lookAtEventStoreDb(place))
  }
  try {
    yield* await lookAtRedis(settings)
  } catch (error) {
    yield await found('Redis', () => Promise.reject(error))
  }
  yield* lookAtKafka(settings)
  for (const url of settings.SVC_WORKER_URLS ?? []) {
    yield await found(`worker ${url}`, () => lookAtWorker(url, settings))
  }
}
