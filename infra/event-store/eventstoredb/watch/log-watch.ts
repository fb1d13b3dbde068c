/**
 * Watches whether the server is still the one whose events were seen: an older copy may be restored
 * under a running gateway, or another server put at its address, and either would be sold on.
 *
 *     sure ── the connection broke ──▶ unsure ── the last event is there ──▶ sure
 *       └── every 10 s: the last event is gone ──▶ unsure ── and stays gone ──▶ rewound
 *
 * While it is unsure a call waits for one look, which all calls share. A server that was killed
 * finds all of its log only a moment after it answers: so an event that is gone is looked for again
 * for some seconds. Nothing is thrown away: when the event is there again, everything goes on.
 */
import {
  type Position,
  type RecordedEvent,
  StoreAwayError,
  StoreRewoundError,
} from '@svc/contracts/ports/event-store'
import { pause } from '@svc/contracts/ports/time'
import { systemTimer } from '../../../system/system-timer.ts'
import type { ServerReadAll, ServerReadStream } from '../client/server-calls.ts'
import type { ServerEvent } from '../client/server-event.ts'
import type { Warn } from '../client/warning.ts'

const EVERY_MS = 10_000
/** An event that is gone for so long does not come by itself. */
const REWOUND_AFTER_MS = 5_000

export interface WatchTimes {
  /** Between two looks at a connection that holds, in milliseconds. */
  readonly everyMs?: number
  readonly rewoundAfterMs?: number
}

/** What is remembered of an event: enough to know it again. */
export type SeenEvent = Pick<RecordedEvent, 'stream' | 'revision' | 'hash' | 'position'>

export interface LogWatchPorts {
  readAll(request: ServerReadAll): Promise<readonly ServerEvent[]>
  /** By our name of the stream. */
  readStream(request: ServerReadStream): Promise<readonly RecordedEvent[]>
  /** Undefined when the event is none of ours. */
  toOwn(event: ServerEvent): RecordedEvent | undefined
  /** Whether the server was told to hide events of the stream. */
  isSetAside(stream: string): boolean
  readonly times?: WatchTimes | undefined
  readonly warn: Warn
}

export class LogWatch {
  readonly #ports: LogWatchPorts
  readonly #closing = new AbortController()
  #running: Promise<void> | undefined
  #looking: Promise<void> | undefined
  #isSure = true
  /** The furthest event of ours that was seen. */
  #last: SeenEvent | undefined
  #goneSinceMs: number | undefined
  #rewound: StoreRewoundError | undefined

  constructor(ports: LogWatchPorts) {
    this.#ports = ports
  }

  /** From the first reader on. Idempotent. */
  start(): void {
    if (!this.#closing.signal.aborted) this.#running ??= this.#stayWatching()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  noteSeen({ stream, revision, hash, position }: SeenEvent): void {
    if (this.#last !== undefined && position <= this.#last.position) return
    this.#last = { stream, revision, hash, position }
  }

  /** The connection broke: another server may answer from now on. */
  distrust(): void {
    this.#isSure = false
  }

  /** Whether everything can be read and written without {@link check}. */
  get isSure(): boolean {
    return this.#isSure
  }

  /**
   * Before anything is read or written while it is not sure.
   *
   * @throws {StoreRewoundError} when the server does not hold what it held
   * @throws {StoreAwayError} while that is not known
   */
  async check(): Promise<void> {
    if (this.#rewound !== undefined) throw this.#rewound
    if (!this.#isSure) await this.#look()
  }

  /** Undefined while the server holds what it held. */
  get rewound(): StoreRewoundError | undefined {
    return this.#rewound
  }

  async #stayWatching(): Promise<void> {
    const { signal } = this.#closing
    const everyMs = this.#ports.times?.everyMs ?? EVERY_MS
    for (;;) {
      await pause(systemTimer, everyMs, signal)
      if (signal.aborted) return
      // Who reads meets the same error, and says so.
      await this.#look().catch(() => {})
    }
  }

  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #lookOnce(): Promise<void> {
    const missing = await this.#missing()
    if (missing === undefined) return this.#goOn()
    const nowMs = performance.now()
    this.#isSure = false
    this.#goneSinceMs ??= nowMs
    const rewoundAfterMs = this.#ports.times?.rewoundAfterMs ?? REWOUND_AFTER_MS
    if (nowMs - this.#goneSinceMs < rewoundAfterMs) throw new StoreAwayError(missing)
    if (this.#rewound === undefined) {
      this.#rewound = new StoreRewoundError(missing)
      this.#ports.warn({ reason: this.#rewound.message }, 'event store rewound, accepting nothing')
    }
    throw this.#rewound
  }

  #goOn(): void {
    if (this.#rewound !== undefined) {
      this.#ports.warn({}, 'event store holds its events again, going on')
    }
    this.#isSure = true
    this.#goneSinceMs = undefined
    this.#rewound = undefined
  }

  /** @returns what the server does not hold any more; undefined when all is there */
  async #missing(): Promise<string | undefined> {
    const last = this.#last
    const [end] = await this.#ports.readAll({ direction: 'backwards', limit: 1 })
    if (last === undefined) return undefined
    if (end === undefined || end.position < last.position) {
      const where = end === undefined ? 'is empty' : `ends at ${end.position}`
      return `the event store ${where}, and held an event at ${last.position} before`
    }
    if (await this.#holds(last)) return undefined
    const { stream, revision, position } = last
    return (
      `the event store lacks the event at position ${position} that it held before ` +
      `(${stream}, revision ${revision})`
    )
  }

  async #holds(last: SeenEvent): Promise<boolean> {
    const { stream, revision, position } = last
    const found = await this.#at(position)
    if (found?.position === position) return found.hash === last.hash
    // The server may have scavenged what a deletion hid.
    if (this.#ports.isSetAside(stream)) return true
    const request = { stream, direction: 'forwards', from: revision, limit: 1 } as const
    const [event] = await this.#ports.readStream(request)
    return event?.hash === last.hash
  }

  async #at(position: Position): Promise<RecordedEvent | undefined> {
    try {
      const request = { direction: 'forwards', from: position, limit: 1 } as const
      const [event] = await this.#ports.readAll(request)
      return event && this.#ports.toOwn(event)
    } catch (error) {
      // In another log no event begins there.
      if (error instanceof RangeError) return undefined
      throw error
    }
  }
}
