/**
 * A double of EventStoreDB: it speaks the real server's protocol on a port of the loopback, and
 * behaves as the real one was measured to, above all where things go wrong.
 *
 * Its log stands for the server's files and outlives every kill and stop. States: up → (kill, stop)
 * → down → (restart) → up; and up ⇄ frozen. The port stays the same.
 */
import { randomUUID } from 'node:crypto'
import { freePort } from '../free-port.ts'
import { FaultProxy } from '../network/fault-proxy.ts'
import { AccessRules } from './access-rules.ts'
import { Admission, type Credentials, type LimitedUser } from './admission.ts'
import { serveAppend, serveBatchAppend } from './append-calls.ts'
import { AppendQueue } from './append-queue.ts'
import { DoubleFaults, type NodeAddress } from './double-faults.ts'
import { EventLog } from './event-log.ts'
import { type ClusterSight, GOSSIP, serveGossip } from './gossip.ts'
import { type GrpcCall, status } from './grpc-call.ts'
import { GrpcServer, type ServerIdentity } from './grpc-server.ts'
import { PausableTimers } from './pausable-timers.ts'
import { ReadCalls } from './read-calls.ts'
import { hasSince, SERVER_FEATURES, serveServerFeatures } from './server-features.ts'
import { serveDelete, serveTombstone } from './stream-deletion.ts'
import { DELETED_BEFORE } from './stream-log.ts'

export type { AppendFault } from './double-faults.ts'

export interface DoubleOptions {
  /** 0, the default, is any free one. */
  readonly port?: number
  /** Where it listens; the loopback by default. */
  readonly host?: string
  /** What the server says it is. */
  readonly version?: string | undefined
  /** The most that the `data` of one append's events may have together. */
  readonly maxAppendBytes?: number
  /** How long after a start appends and reads are answered "Server Is Not Ready". */
  readonly notReadyForMs?: number
  /**
   * How many live events wait for one subscriber before it is dropped as too slow; null never drops
   * it. Without this, as the version does.
   */
  readonly dropsSlowConsumers?: number | null
  /** Calls without these are refused. A client sends them over TLS only. */
  readonly credentials?: Credentials
  /** May call too, and do what the access control lists in the log let them. */
  readonly limitedUsers?: readonly LimitedUser[]
  readonly tls?: ServerIdentity
  /** When the server gives an append up that it could not commit. */
  readonly writeTimeoutMs?: number
}

/** For tests: what goes on inside the double. */
export interface DoubleObservations {
  /** Connections of clients that are open now. */
  readonly connections: number
  readonly openReads: number
  readonly openSubscriptions: number
  /** Events that reads which are over have carried to clients. */
  readonly eventsRead: number
  /** Every open call, by its path; one stream of appends is one call. */
  readonly openCalls: readonly string[]
  /** Appends that came in, whatever became of them. */
  readonly appendsReceived: number
  /** Appends that are received and neither committed nor lost. */
  readonly appendsUncommitted: number
  /** Events in the log, those of the system included. */
  readonly eventsCommitted: number
}

/** An event that is none of ours. */
export interface ForeignEvent {
  readonly type: string
  readonly data: string
  readonly metadata?: string
}

const DEFAULT_VERSION = '23.10.8'
const DEFAULT_APPEND_BYTES_MAX = 1_048_576
/** A slow consumer takes a burst of 200 events, and not 400: the connection holds some. */
const DEFAULT_LIVE_EVENTS_MAX = 100
const DEFAULT_WRITE_TIMEOUT_MS = 2_500

const STREAMS = '/event_store.client.streams.Streams'

export class EventStoreDbDouble {
  readonly faults: DoubleFaults
  readonly #options: DoubleOptions
  readonly #version: string
  readonly #log = new EventLog(() => Date.now() + this.faults.clockAheadMs)
  readonly #timers = new PausableTimers()
  readonly #admission: Admission
  readonly #appends: AppendQueue
  readonly #reads: ReadCalls
  readonly #handlers: ReadonlyMap<string, (call: GrpcCall) => void>
  #port: number
  #tls: ServerIdentity | undefined
  #server: GrpcServer | undefined
  #relay: FaultProxy | undefined

  private constructor(options: DoubleOptions) {
    const version = options.version ?? DEFAULT_VERSION
    this.#options = options
    this.#version = version
    this.#port = options.port ?? 0
    this.#tls = options.tls
    this.faults = new DoubleFaults({
      releaseAppends: () => this.#timers.run(() => this.#appends.release()),
      dropSubscriptions: () => this.#reads.dropSubscriptions(),
      wakeSubscriptions: () => this.#reads.wakeSubscriptions(),
    })
    const rules = new AccessRules(this.#log)
    const { credentials, limitedUsers } = options
    this.#admission = new Admission(this.faults, rules, credentials, limitedUsers)
    const parts = { log: this.#log, timers: this.#timers, faults: this.faults }
    this.#appends = new AppendQueue({
      ...parts,
      appendBytesMax: options.maxAppendBytes ?? DEFAULT_APPEND_BYTES_MAX,
      writeTimeoutMs: options.writeTimeoutMs ?? DEFAULT_WRITE_TIMEOUT_MS,
      reset: (peerPort) => this.#relay?.reset(peerPort),
    })
    const admission = this.#admission
    const liveEventsMax = liveEventsMaxOf(options, version)
    const isNewer = hasSince(version, 'neverDropsSlowConsumers')
    const insideRecordCode = isNewer ? status.invalidArgument : status.unknown
    this.#reads = new ReadCalls({ ...parts, admission, version, liveEventsMax, insideRecordCode })
    this.#handlers = this.#makeHandlers()
    this.#log.writeSystemEvent('$users', '$User', { action: 'created', login: 'admin' })
  }

  static async start(options: DoubleOptions = {}): Promise<EventStoreDbDouble> {
    const double = new EventStoreDbDouble(options)
    await double.restart()
    return double
  }

  /**
   * The connection string of this server. For TLS, append `&tlsCAFile=` and the file; the host is a
   * name then, because Node.js takes no address for the name of a TLS server.
   */
  get url(): string {
    const { host, port } = this.#address
    return `esdb://${host}:${port}?tls=${this.#tls !== undefined}`
  }

  get #address(): NodeAddress {
    return { host: this.#tls === undefined ? '127.0.0.1' : 'localhost', port: this.#port }
  }

  get #sight(): ClusterSight {
    return { leader: this.faults.notLeader, dead: this.faults.deadNodes }
  }

  get port(): number {
    return this.#port
  }

  get observed(): DoubleObservations {
    return {
      connections: this.#relay?.connectionCount ?? 0,
      openReads: this.#reads.openReads,
      openSubscriptions: this.#reads.openSubscriptions,
      eventsRead: this.#reads.messages,
      openCalls: this.#server?.openCalls ?? [],
      appendsReceived: this.#appends.received,
      appendsUncommitted: this.#appends.uncommitted,
      eventsCommitted: this.#log.all.length,
    }
  }

  /**
   * Ends as by `kill -9`: connections are reset and new ones refused. What is committed stays; what
   * was received and not committed goes as `faults.atKill` says.
   */
  async kill(): Promise<void> {
    this.#timers.clear()
    this.#relay?.reset()
    this.#appends.kill()
    await this.#closePorts()
  }

  /** Ends as by SIGTERM: open calls end without a status, then connections are closed. */
  async stop(): Promise<void> {
    this.#timers.clear()
    if (hasSince(this.#version, 'stopsInOrder')) this.#appends.refuseAll()
    this.#appends.kill()
    // The answers leave with this turn of the event loop, and the ends of the calls with the next.
    await new Promise((resolve) => setImmediate(resolve))
    this.#server?.abandonCalls()
    await new Promise((resolve) => setTimeout(resolve, STOP_MS))
    await this.#closePorts()
  }

  /** Starts again, on the same port and over the same log. */
  async restart(): Promise<void> {
    const { notReadyForMs = 0 } = this.#options
    this.#log.forgetRecentIds()
    const epoch = { epochNumber: this.#log.stream('$epoch-information').last + 1 }
    this.#log.writeSystemEvent('$epoch-information', '$epoch-information', epoch)
    this.#admission.isReady = notReadyForMs === 0
    if (notReadyForMs > 0) {
      this.#timers.after(notReadyForMs, () => {
        this.#admission.isReady = true
      })
    }
    if (this.faults.indexLagMs > 0) {
      this.#timers.after(this.faults.indexLagMs, () => this.#log.showAll())
    } else this.#log.showAll()
    this.#server = await GrpcServer.listen((path) => this.#handlers.get(path), this.#tls)
    // A port of the system's choice might be given to somebody else while this double is down.
    this.#port ||= await freePort()
    this.#relay = await FaultProxy.listen(this.#server.port, this.#port, this.#options.host)
  }

  /**
   * As by SIGSTOP: connections stay open, new ones are taken, and nothing moves, not even the
   * answer to a keepalive ping.
   */
  freeze(): void {
    this.#timers.pause()
    this.#relay?.freeze()
  }

  /** As by SIGCONT: what came in meanwhile is worked off. */
  thaw(): void {
    this.#timers.resume()
    this.#relay?.thaw()
  }

  /** The end of the test: releases everything. */
  async close(): Promise<void> {
    this.#timers.clear()
    await this.#closePorts()
  }

  /** Events of another program in a stream of its own. */
  writeForeignEvents(stream: string, count: number): void {
    for (let at = 0; at < count; at += 1) this.#log.writeSystemEvent(stream, 'Noted', { at })
  }

  /** Sets metadata such as `{ $maxCount: 10 }`, kept in `$$stream` as the real server keeps it. */
  setStreamMetadata(stream: string, metadata: object): void {
    this.#log.setMetadata(stream, metadata)
  }

  /** From the next restart on it shows another certificate. */
  setIdentity(identity: ServerIdentity): void {
    this.#tls = identity
  }

  /** What everybody may do with streams that say nothing themselves. */
  setDefaultAcl(acl: object): void {
    this.#log.writeSystemEvent('$settings', 'update-default-acl', acl)
  }

  /**
   * As by a client of somebody else, who may write into any stream: at its end, whatever is there.
   *
   * @param metadata none where left out
   */
  writeForeign(stream: string, { type, data, metadata = '' }: ForeignEvent): void {
    const texts = { data: Buffer.from(data), metadata: Buffer.from(metadata) }
    const contentType = isJson(data) ? 'application/json' : 'application/octet-stream'
    this.#log.append(stream, 'any', [{ id: randomUUID(), type, contentType, ...texts }])
  }

  /** As by a client of somebody else: so that it can go on, or for ever. */
  deleteStream(stream: string, isForEver = false): void {
    if (isForEver) this.#log.tombstone(stream)
    else this.#log.setMetadata(stream, { $tb: DELETED_BEFORE })
  }

  /** The password was changed. The call that appends goes on for as long as it lasts. */
  setCredentials(credentials: Credentials): void {
    this.#admission.setCredentials(credentials)
  }

  /**
   * Puts an older copy in the place of the server's files, or with 0 events those of another
   * server. While it is up that is as behind a relay, whose connections hold.
   *
   * @param events as many as {@link observed} said when the copy was made
   * @returns puts the right files back
   */
  restoreCopy(events: number): () => void {
    return this.#log.cutBack(events)
  }

  async #closePorts(): Promise<void> {
    this.#server?.close()
    await this.#relay?.close()
    this.#server = undefined
    this.#relay = undefined
  }

  #makeHandlers(): ReadonlyMap<string, (call: GrpcCall) => void> {
    const admission = this.#admission
    const handlers = new Map<string, (call: GrpcCall) => void>([
      [GOSSIP, (call) => serveGossip(call, this.#address, this.#sight)],
      [`${STREAMS}/Read`, (call) => this.#reads.serve(call)],
      [`${STREAMS}/Append`, (call) => serveAppend(call, admission, this.#appends)],
      [`${STREAMS}/Delete`, (call) => serveDelete(call, admission, this.#log)],
      [`${STREAMS}/Tombstone`, (call) => serveTombstone(call, admission, this.#log)],
    ])
    if (hasSince(this.#version, 'serverFeatures')) {
      handlers.set(SERVER_FEATURES, (call) => serveServerFeatures(call, this.#version))
      handlers.set(`${STREAMS}/BatchAppend`, (call) =>
        serveBatchAppend(call, admission, this.#appends),
      )
    }
    return handlers
  }
}

const STOP_MS = 20

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function liveEventsMaxOf(options: DoubleOptions, version: string): number | null {
  if (options.dropsSlowConsumers !== undefined) return options.dropsSlowConsumers
  return hasSince(version, 'neverDropsSlowConsumers') ? null : DEFAULT_LIVE_EVENTS_MAX
}
