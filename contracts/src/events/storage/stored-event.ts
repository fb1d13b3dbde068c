/**
 * The first look at a stored event, cheap enough for every event of a log: whether it is one that
 * this program writes, in a stream of the kind that it belongs to. It runs no schema.
 */
import type { RecordedEvent } from '../../ports/event-store.ts'
import { messageOf } from '../../text/error-message.ts'
import { accountEventSchemas, accountOfStream } from '../account.ts'
import { adminTokenEventSchemas, adminTokensStream } from '../admin-tokens.ts'
import { auditEventSchemas, auditStream } from '../audit.ts'
import { evidenceEventSchemas, isCheckpointsStream } from '../evidence.ts'
import { pricingEventSchemas, pricingStream } from '../pricing.ts'
import { userEventSchemas, usersStream } from '../users.ts'
import { verificationEventSchemas, verificationsStream } from '../verifications.ts'
import { upcast } from './upcast.ts'

const ACCOUNT = 'account-*'
const CHECKPOINTS = 'checkpoints-*'

/**
 * Schemas by the names of their streams; all accounts count as one, and all streams of checkpoints.
 */
const schemasOfStreams = {
  [ACCOUNT]: accountEventSchemas,
  [pricingStream]: pricingEventSchemas,
  [adminTokensStream]: adminTokenEventSchemas,
  [auditStream]: auditEventSchemas,
  [usersStream]: userEventSchemas,
  [CHECKPOINTS]: evidenceEventSchemas,
  [verificationsStream]: verificationEventSchemas,
} as const

const homes: ReadonlyMap<string, string> = new Map(
  Object.entries(schemasOfStreams).flatMap(([home, schemas]) =>
    Object.keys(schemas).map((type) => [type, home] as const),
  ),
)

/** Within JSON text a quote that belongs to a value is escaped: only the name itself can match. */
const SCHEMA_VERSION = /"schemaVersion":(\d{1,6})/

/**
 * The data of an event as they are stored, in the current schema version.
 *
 * @throws {RangeError} when this program cannot have written it, or is too old to read it
 */
export function readStored(
  event: Pick<RecordedEvent, 'type' | 'data' | 'metadata' | 'stream'>,
): object {
  const { type, stream, data } = event
  const home = homes.get(type)
  if (home === undefined) {
    throw new RangeError('its type is unknown to this program: update the program')
  }
  if (home !== homeOf(stream)) {
    throw new RangeError('events of its type do not belong into this stream')
  }
  const value = upcast(type, schemaVersionOf(event), parsed(data))
  if (typeof value !== 'object' || value === null) throw new RangeError('its data are no object')
  return value
}

function homeOf(stream: string): string {
  if (accountOfStream(stream) !== undefined) return ACCOUNT
  return isCheckpointsStream(stream) ? CHECKPOINTS : stream
}

/** Why an event cannot be read; undefined when it can. */
export function unreadableBecause(event: RecordedEvent): string | undefined {
  try {
    readStored(event)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    throw new RangeError('its data are no JSON')
  }
}

function schemaVersionOf({ metadata }: Pick<RecordedEvent, 'metadata'>): number {
  const version = SCHEMA_VERSION.exec(metadata)?.[1]
  if (version === undefined) throw new RangeError('its metadata name no schema version')
  return Number(version)
}
