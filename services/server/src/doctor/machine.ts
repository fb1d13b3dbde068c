/** The program, the machine and the address it listens on. */

import { freeBytesSync } from '@svc/infra/free-bytes'
import { checkSqliteVersion } from '@svc/infra/sqlite/database-file'
import { reservePort } from '../gateway/reserved-port.ts'
import type { Environment } from '../settings/setting-names.ts'
import { foreignVariables, readSettings, type Settings } from '../settings/settings.ts'
import { VERSION } from '../version.ts'
import { type Finding, note, ok, problem } from './finding.ts'

const MIB = 1024 ** 2
/** With less free space the ledger may be refused room within hours of a busy day. */
const DISK_FREE_MIN_BYTES = 1024 * MIB
/** With less free space a start may fail. */
const DISK_FREE_LEAST_BYTES = 128 * MIB

/** @throws {SettingsError} that says which one, and what is wrong */
export function lookAtSettings(environment: Environment): {
  readonly settings: Settings
  readonly finding: Finding
} {
  const settings = readSettings(environment)
  const ignored = foreignVariables(environment).map(({ name, meant }) => {
    return meant === undefined ? name : `${name} (did you mean ${meant}?)`
  })
  const finding =
    ignored.length === 0
      ? ok('settings', 'every one is understood')
      : note('settings', `no settings of svc, and ignored: ${ignored.join(', ')}`)
  return { settings, finding }
}

/** @throws {StoreOpenError} */
export function lookAtVersions(): Finding {
  const { node, sqlite = '0' } = process.versions
  checkSqliteVersion(sqlite)
  return ok('versions', `svc ${VERSION}, Node.js ${node}, SQLite ${sqlite}`)
}

/** @param path a folder that is there */
export function lookAtDisk(path: string): Finding {
  const free = freeBytesSync(path)
  const says = `${Math.floor(free / MIB)} MiB are free for ${path}`
  if (free < DISK_FREE_LEAST_BYTES) return problem('disk', `${says}: free some space`)
  if (free < DISK_FREE_MIN_BYTES) return note('disk', `${says}: that is little for a ledger`)
  return ok('disk', says)
}

/** Listens for a moment. @throws {SettingsError} when the address is taken */
export async function lookAtAddress({
  SVC_HOST: host,
  SVC_PORT: port,
}: Settings): Promise<Finding> {
  const reserved = await reservePort(host, port)
  await reserved.release()
  return ok('address', port === 0 ? `a free port on ${host}` : `port ${port} on ${host} is free`)
}
