/**
 * Takes back what the metadata of a stream tell the server to hide: by the client, because servers
 * take no such order over HTTP since 23.10.
 *
 *     last metadata ── harmless ──▶ done
 *        ▲    └── harmful ──▶ append `{}` ──▶ pause ─┐
 *        └───────────────────────────────────────────┘
 *
 * More than once, because the server itself writes a `$tb` when a deletion is taken back: what was
 * deleted stays hidden until that is taken back as well.
 */
import { randomUUID } from 'node:crypto'
import { DamagedStreamError, StoreUnavailableError } from '@svc/contracts/ports/event-store'
import { pause } from '@svc/contracts/ports/time'
import { StoreOpenError } from '../../store-open-error.ts'
import { systemTimer } from '../../system/system-timer.ts'
import type { EventStoreDbClient } from './client/client.ts'
import { answerWithin } from './client/deadline.ts'
import { isAccessDenied, isDeletedStream, reasonOf } from './client/server-failure.ts'
import { METADATA_PREFIX } from './layout/stream-prefix.ts'
import type { ServerEvent } from './messages/server-event.ts'
import { type Order, orderIn } from './watch/set-aside-streams.ts'

const ROUNDS_MAX = 5
/** How long the server takes to write what it writes by itself. */
const SETTLED_MS = 500
const APPEND_TIMEOUT_MS = 10_000

/** @param stream as the server calls it. @returns what hides events of it; undefined for nothing */
export async function harmfulOrder(
  client: EventStoreDbClient,
  stream: string,
): Promise<Order | undefined> {
  const last = await lastMetadata(client, stream)
  return last && orderIn(last)
}

/**
 * @returns the first revision that can be read afterwards: above 0 the events before it are gone
 * from the disk; undefined for a stream without events
 * @throws {DamagedStreamError} when it was deleted for ever
 * @throws {StoreOpenError} `access-denied`
 * @throws {StoreUnavailableError}
 */
export async function repairMetadata(
  client: EventStoreDbClient,
  stream: string,
): Promise<number | undefined> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const last = await lastMetadata(client, stream)
    if (last === undefined || orderIn(last) === undefined) return firstRevision(client, stream)
    await append(client, last)
    await pause(systemTimer, SETTLED_MS)
  }
  throw new StoreUnavailableError(`somebody else writes the metadata of ${stream} again and again`)
}

async function lastMetadata(
  client: EventStoreDbClient,
  stream: string,
): Promise<ServerEvent | undefined> {
  const request = { stream: METADATA_PREFIX + stream, direction: 'backwards', limit: 1 } as const
  const [last] = await client.readStream(request).catch((error: unknown) => refuse(stream, error))
  return last
}

async function firstRevision(
  client: EventStoreDbClient,
  stream: string,
): Promise<number | undefined> {
  const request = { stream, direction: 'forwards', limit: 1 } as const
  const [first] = await client.readStream(request).catch((error: unknown) => refuse(stream, error))
  return first?.revision
}

/** Somebody else may be first: the next look sees it. */
async function append(client: EventStoreDbClient, last: ServerEvent): Promise<void> {
  const event = {
    id: randomUUID(),
    type: '$metadata',
    data: { kind: 'json', text: '{}' },
    metadata: new Uint8Array(),
  } as const
  const sent = client.append(last.stream, last.revision, [event])
  const result = await answerWithin(APPEND_TIMEOUT_MS, 'an append', sent)
  if (result.kind === 'not-written') refuse(last.stream, result.cause)
}

function refuse(stream: string, error: unknown): never {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (isDeletedStream(cause)) {
    const order = 'it was deleted for ever, and only a backup brings it back'
    throw new DamagedStreamError(stream, order, { cause })
  }
  if (isAccessDenied(cause)) {
    const message =
      'the event store does not let the user see and write metadata of streams: name one of ' +
      '$admins in EVENTSTORE_URL for this command'
    throw new StoreOpenError('access-denied', message, { cause })
  }
  throw error instanceof Error ? error : new Error(reasonOf(error))
}
