/**
 * Opens an event store on an EventStoreDB server or cluster, once it has shown that it can be
 * relied on: it answers, as the leader, to this user, and it is new enough. Streams that it was
 * told to forget are set aside.
 */
import { noCrashPoints, type ReachCrashPoint } from '@svc/contracts/crash-points'
import { Backoff } from '@svc/contracts/ports/backoff'
import { START } from '@svc/contracts/ports/event-store'
import { StoreOpenError } from '../../store-open-error.ts'
import { systemTimer } from '../../system/system-timer.ts'
import { EventStoreDbClient } from './client/client.ts'
import { askNodes, isCluster, leadersIn, type NodeReport } from './client/cluster-nodes.ts'
import { ConnectionStringError } from './client/connection-options.ts'
import {
  type ConnectionSettings,
  hostsText,
  parseConnectionString,
} from './client/connection-string.ts'
import { CurrentClient } from './client/current-client.ts'
import { answerWithin } from './client/deadline.ts'
import type { Warn } from './client/warning.ts'
import { EventStoreDbEventStore } from './eventstoredb-event-store.ts'
import { DEFAULT_STREAM_PREFIX, StreamPrefix } from './layout/stream-prefix.ts'
import { MigrationMarks, refuseHalfMoved } from './migration-mark.ts'
import { findOrders } from './retention.ts'
import {
  lastingClusterRefusal,
  lastingRefusal,
  oldServerRefusal,
  passingRefusal,
} from './start-up-refusal.ts'
import type { WatchTimes } from './watch/log-watch.ts'
import { SetAsideStreams } from './watch/set-aside-streams.ts'
import { checkWrites } from './write-probe.ts'

const READY_WITHIN_MS = 30_000
/** The server itself gives an append up after 2 to 3 seconds. */
const APPEND_TIMEOUT_MS = 5_000
/** How long a read may bring no event, in milliseconds. */
const READ_TIMEOUT_MS = 5_000
/** The pause between two attempts to reach a server that does not answer yet. */
const PAUSES = { firstMs: 100, longestMs: 1_000 }
/** The server passes over some 300,000 events a second. */
const RETENTION_SEARCH_MS = 60_000

export interface EventStoreDbOptions {
  /** The address, such as `esdb://user:password@host:2113?tls=true`. */
  readonly url: string
  /** What the names of our streams on the server begin with; no other prefix may begin so. */
  readonly streamPrefix?: string | undefined
  /** How long to wait for a server that does not answer yet. */
  readonly readyWithinMs?: number | undefined
  readonly appendTimeoutMs?: number | undefined
  readonly readTimeoutMs?: number | undefined
  /**
   * Whether to look at once whether the user may write, and appends of our size are taken. A
   * command that only reads needs neither.
   */
  readonly checkWrites?: boolean | undefined
  /** The id of the migration that the caller carries out. To others a log that moves is refused. */
  readonly migrationId?: string | undefined
  /** How often and how patiently the store looks whether the server is still the same. */
  readonly watchTimes?: WatchTimes | undefined
  readonly reachCrashPoint?: ReachCrashPoint | undefined
  readonly logger?: { warn: Warn } | undefined
}

/** @throws {StoreOpenError} with nothing written */
export async function openEventStoreDb(
  options: EventStoreDbOptions,
): Promise<EventStoreDbEventStore> {
  const {
    readTimeoutMs = READ_TIMEOUT_MS,
    appendTimeoutMs = APPEND_TIMEOUT_MS,
    readyWithinMs = READY_WITHIN_MS,
    reachCrashPoint = noCrashPoints,
    watchTimes,
    logger,
  } = options
  const warn: Warn = (fields, message) => logger?.warn(fields, message)
  const streamPrefix = checkedPrefix(options.streamPrefix ?? DEFAULT_STREAM_PREFIX)
  const { settings, client } = connect(options.url, readTimeoutMs, warn)
  const place = hostsText(settings)
  try {
    const setAside = new SetAsideStreams(streamPrefix.text, warn)
    const marks = new MigrationMarks({ client, streamPrefix, appendTimeoutMs })
    await untilReady(settings, readyWithinMs, async (boundMs) => {
      await checkServer(client, place, boundMs)
      await refuseHalfMoved(marks, place, options.migrationId)
      if (options.checkWrites === true) {
        await checkWrites({ client: await client.get(), streamPrefix, appendTimeoutMs }, place)
      }
      await noteOrders(client, streamPrefix, setAside, warn)
    })
    return new EventStoreDbEventStore({
      client,
      setAside,
      marks,
      place,
      migrationId: options.migrationId,
      streamPrefix,
      appendTimeoutMs,
      reachCrashPoint,
      watchTimes,
      warn,
    })
  } catch (error) {
    await client.close()
    throw error
  }
}

/**
 * A connection to a server that can be used, for what needs no store.
 *
 * @throws {StoreOpenError}
 */
export async function connectToServer({
  url,
  readyWithinMs = READY_WITHIN_MS,
}: Pick<EventStoreDbOptions, 'url' | 'readyWithinMs'>): Promise<CurrentClient<EventStoreDbClient>> {
  const { settings, client } = connect(url, READ_TIMEOUT_MS, () => {})
  try {
    const check = (boundMs: number) => checkServer(client, hostsText(settings), boundMs)
    await untilReady(settings, readyWithinMs, check)
    return client
  } catch (error) {
    await client.close()
    throw error
  }
}

export interface SeenServer {
  /** The address without user and password. */
  readonly place: string
  readonly version: string
}

/**
 * Looks whether a store could be opened to write to, and writes nothing.
 *
 * @throws {StoreOpenError} that says why not
 */
export async function lookAtServer({
  url,
  readyWithinMs = READY_WITHIN_MS,
  ...options
}: Pick<EventStoreDbOptions, 'url' | 'streamPrefix' | 'readyWithinMs'>): Promise<SeenServer> {
  const streamPrefix = checkedPrefix(options.streamPrefix ?? DEFAULT_STREAM_PREFIX)
  const { settings, client } = connect(url, READ_TIMEOUT_MS, () => {})
  const place = hostsText(settings)
  const probe = { streamPrefix, appendTimeoutMs: APPEND_TIMEOUT_MS }
  try {
    await untilReady(settings, readyWithinMs, async (boundMs) => {
      await checkServer(client, place, boundMs)
      await checkWrites({ ...probe, client: await client.get() }, place)
      await refuseHalfMoved(new MigrationMarks({ ...probe, client }), place, undefined)
    })
    return { place, version: await (await client.get()).serverVersion() }
  } finally {
    await client.close()
  }
}

function checkedPrefix(prefix: string): StreamPrefix {
  try {
    return new StreamPrefix(prefix)
  } catch (error) {
    if (error instanceof RangeError) throw new StoreOpenError('bad-address', error.message)
    throw error
  }
}

/** Makes no connection yet. */
function connect(
  url: string,
  readTimeoutMs: number,
  warn: Warn,
): { settings: ConnectionSettings; client: CurrentClient<EventStoreDbClient> } {
  try {
    const settings = parseConnectionString(url)
    const makeClient = () => new EventStoreDbClient(settings, readTimeoutMs)
    const hasLeaderMoved = async ({ connectedTo }: EventStoreDbClient): Promise<boolean> => {
      const leaders = leadersIn(await askNodes(settings))
      return leaders.size > 0 && connectedTo !== undefined && !leaders.has(connectedTo)
    }
    const cluster = isCluster(settings) ? { hasLeaderMoved } : {}
    return { settings, client: new CurrentClient({ makeClient, warn, ...cluster }) }
  } catch (error) {
    if (!(error instanceof ConnectionStringError)) throw error
    const message = `the address of the event store cannot be used: ${error.message}`
    throw new StoreOpenError('bad-address', message)
  }
}

async function untilReady(
  settings: ConnectionSettings,
  readyWithinMs: number,
  check: (boundMs: number) => Promise<void>,
): Promise<void> {
  const place = hostsText(settings)
  const deadline = performance.now() + readyWithinMs
  const backoff = new Backoff(systemTimer, PAUSES)
  for (;;) {
    try {
      return await check(Math.max(deadline - performance.now(), 1))
    } catch (error) {
      const reports = await nodesSay(settings)
      const refusal = lastingRefusal(error, place) ?? lastingClusterRefusal(reports)
      if (refusal !== undefined) throw refusal
      const isOver = performance.now() + backoff.nextMs >= deadline
      if (isOver) throw passingRefusal(error, place, readyWithinMs, reports)
    }
    await backoff.pause()
  }
}

/** Asks what each node of a cluster says for itself; nobody where there is one address. */
async function nodesSay(settings: ConnectionSettings): Promise<readonly NodeReport[]> {
  return isCluster(settings) ? askNodes(settings) : []
}

/**
 * Reads from the server, too. Asking for the version needs no rights: only a read shows that the
 * user may read, and that the node leads.
 */
async function checkServer(
  client: CurrentClient<EventStoreDbClient>,
  place: string,
  boundMs: number,
): Promise<void> {
  const current = await client.get()
  const version = await answerWithin(boundMs, 'the first question', current.serverVersion())
  const refusal = oldServerRefusal(version, place)
  if (refusal !== undefined) throw refusal
  await answerWithin(
    boundMs,
    'the first read',
    current.readAll({ direction: 'backwards', limit: 1 }),
  )
}

/** Notes what was ordered before this process came. Later orders are seen in the log. */
async function noteOrders(
  client: CurrentClient<EventStoreDbClient>,
  { text: prefix }: StreamPrefix,
  setAside: SetAsideStreams,
  warn: Warn,
): Promise<void> {
  const current = await client.get()
  const [last] = await current.readAll({ direction: 'backwards', limit: 1 })
  const { orders, isComplete } = await findOrders(prefix, {
    subscribe: (streams, listener) => current.subscribe(streams, 'start', listener),
    end: last?.position ?? START,
    timeoutMs: RETENTION_SEARCH_MS,
  })
  if (last !== undefined) setAside.note(last)
  for (const [stream, order] of orders) setAside.set(stream, order)
  if (isComplete) return
  warn({ seconds: RETENTION_SEARCH_MS / 1_000 }, 'stream metadata only partly checked')
}
