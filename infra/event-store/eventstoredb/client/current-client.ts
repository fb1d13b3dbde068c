/**
 * The one client object of the process, and its replacement.
 *
 *     in use ── an append ran out of time, three rounds in a row ──┐
 *        │  ├── one ran out of time, and another node leads now ───┤
 *        │  └── the client is poisoned: it fails every append ─────┤
 *        │                                                        ▼
 *        └────────────── a new client ◀── the old one is retired, and has let go of all
 *
 * One at a time, and the old one ends first: all clients of a process share one table of pending
 * appends, in which the end of one would reject those of the other, and leave it hanging. A round
 * counts only appends that were sent after the round before, so that sixty-four appends that run
 * out of time together count once, and a dead connection is noticed by the keepalive before.
 */
import { Backoff } from '@svc/contracts/ports/backoff'
import { systemTimer } from '../../../system/system-timer.ts'
import { reasonOf } from './server-failure.ts'
import type { Warn } from './warning.ts'

/** A client is taken to hang after this many rounds in a row in which our timer ran out. */
const ROUNDS_TO_REPLACE = 3

/**
 * How fast and how often the other nodes are asked who leads while a server is silent. They need 8
 * to 12 seconds to give up a leader that hangs; the client would stay with it for 15.
 */
const LOOK_FOR_LEADER = { firstMs: 250, longestMs: 1_000 }
const LOOKS_MAX = 60

/** The part of a client that is used here. */
export interface Retirable {
  readonly isPoisoned: boolean
  retire(): Promise<void>
}

export interface CurrentClientOptions<Client> {
  /** @throws {ConnectionStringError} */
  readonly makeClient: () => Client
  /**
   * Whether the nodes of the cluster name another leader than the one that the client is connected
   * to. Without it nobody is asked: there is one server.
   */
  readonly hasLeaderMoved?: (client: Client) => Promise<boolean>
  readonly warn: Warn
}

export class CurrentClient<Client extends Retirable> {
  readonly #options: CurrentClientOptions<Client>
  #client: Client
  #replacing: Promise<void> | undefined
  #rounds = 0
  #roundEndedAt = 0
  /** The warnings since the last answered append: each outage is logged once. */
  readonly #warned = new Set<string>()
  #looking: AbortController | undefined
  #isClosed = false

  /** @throws {ConnectionStringError} */
  constructor(options: CurrentClientOptions<Client>) {
    this.#options = options
    this.#client = options.makeClient()
  }

  /** The client to use now. Keep it for one call only. */
  async get(): Promise<Client> {
    if (this.#client.isPoisoned) this.#replace('it cannot be used any more')
    while (this.#replacing !== undefined) await this.#replacing
    return this.#client
  }

  /** The server, or the client, has answered an append: it does not hang. */
  noteAnswer(): void {
    this.#rounds = 0
    this.#warned.clear()
    this.#looking?.abort()
  }

  /** A timer of ours ran out. @param sentAt when the append was sent, of `performance.now()` */
  noteSilence(sentAt: number): void {
    if (sentAt < this.#roundEndedAt) return
    this.#roundEndedAt = performance.now()
    this.#rounds += 1
    void this.#lookForLeader()
    if (this.#rounds >= ROUNDS_TO_REPLACE) this.#replace('its appends got no answer')
  }

  /**
   * Notes a read without an answer. It says less than such an append, because events may come
   * slowly.
   */
  noteSilentRead(): void {
    void this.#lookForLeader()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#looking?.abort()
    await this.#replacing
    await this.#client.retire()
  }

  /** Looks for another leader, and never rejects. */
  async #lookForLeader(): Promise<void> {
    const { hasLeaderMoved } = this.#options
    if (hasLeaderMoved === undefined || this.#looking !== undefined || this.#isClosed) return
    this.#looking = new AbortController()
    const { signal } = this.#looking
    const backoff = new Backoff(systemTimer, LOOK_FOR_LEADER)
    while (!signal.aborted && backoff.pauses < LOOKS_MAX) {
      const client = this.#client
      const hasMoved = await hasLeaderMoved(client).catch(() => false)
      if (hasMoved && !signal.aborted && client === this.#client) {
        this.#replace('another node leads now')
        break
      }
      await backoff.pause(signal)
    }
    this.#looking = undefined
  }

  #replace(reason: string): void {
    if (this.#isClosed) return
    this.#replacing ??= this.#retireAndMake(reason).finally(() => {
      this.#replacing = undefined
    })
  }

  async #retireAndMake(reason: string): Promise<void> {
    this.#warnOnce(reason, 'reconnecting to the event store')
    this.#rounds = 0
    await this.#client.retire()
    if (this.#isClosed) return
    try {
      this.#client = this.#options.makeClient()
    } catch (error) {
      // A certificate file is gone, say. The retired client refuses all work until it is back.
      this.#warnOnce(reasonOf(error), 'failed to reconnect to the event store')
    }
  }

  #warnOnce(reason: string, message: string): void {
    if (!this.#warned.has(message)) this.#options.warn({ reason }, message)
    this.#warned.add(message)
  }
}
