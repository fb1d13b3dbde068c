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
 *
 * Each look brings the user and the password along, which appends over an open connection do not,
 * and shows by the time of the event how the server's clock differs from ours.
 */
import {
  type Position,
  type RecordedEvent,
  StoreAwayError,
  StoreRewoundError,
  StoreUnavailableError,
} from '@svc/contracts/ports/event-store'
import type { StoreTrouble } from '@svc/contracts/ports/store-health'
import { pause } from '@svc/contracts/ports/time'
import { systemTimer } from '../../../system/system-timer.ts'
import { isAccessDenied } from '../client/server-failure.ts'
import type { Warn } from '../client/warning.ts'
import type { ServerReadAll, ServerReadStream } from '../messages/server-calls.ts'
import type { ServerEvent } from '../messages/server-event.ts'
import type { WriteRight } from './write-right.ts'

const EVERY_MS = 10_000
/** A difference from the server's clock that is not yet warned of. */
const CLOCK_DIFFERENCE_MS = 2_000
/** An event that is missing for this long does not come back by itself. */
const REWOUND_AFTER_MS = 5_000

export interface WatchTimes {
  /** The time between two looks at a connection that holds, in milliseconds. */
  readonly everyMs?: number
  readonly rewoundAfterMs?: number
}

const REFUSED =
  'the event store refuses our user: the password was changed or the user disabled. Appends go on ' +
  'until their connection ends; put the new one into EVENTSTORE_URL and restart svc'

/** What is remembered of an event: enough to know it again. */
export interface SeenEvent
  extends Pick<RecordedEvent, 'stream' | 'revision' | 'hash' | 'position'> {
  /**
   * The two times of our clock between which this process appended the event; undefined when
   * another did.
   */
  readonly appended?: { readonly fromMs: number; readonly untilMs: number }
}

export interface LogWatchPorts {
  readAll(request: ServerReadAll): Promise<readonly ServerEvent[]>
  /** Reads a stream by our name of it. */
  readStream(request: ServerReadStream): Promise<readonly RecordedEvent[]>
  /** Reads an event of ours; undefined when the event is none of ours. */
  toOwn(event: ServerEvent): RecordedEvent | undefined
  /** Whether the server was told to hide events of the stream. */
  isSetAside(stream: string): boolean
  readonly right: WriteRight
  /**
   * Tells why nothing may be sold on the log, because it is being moved; undefined when it is not.
   */
  halfMoved(): Promise<string | undefined>
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
  #isRefused = false
  #moved: string | undefined
  /** How far the server's clock is ahead of ours; 0 when they agree well enough. */
  #clockAheadMs = 0

  constructor(ports: LogWatchPorts) {
    this.#ports = ports
  }

  /** Begins to watch the server. The first reader calls this. Idempotent. */
  start(): void {
    if (!this.#closing.signal.aborted) this.#running ??= this.#stayWatching()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  /** @param event one that was read, or appended by this process */
  noteSeen(event: SeenEvent): void {
    if (this.#last !== undefined && event.position <= this.#last.position) return
    const { stream, revision, hash, position, appended } = event
    this.#last = { stream, revision, hash, position, ...(appended && { appended }) }
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
   * Makes sure of the log. To be called before anything is read or written while the watch is not
   * sure.
   *
   * @throws {StoreRewoundError} when the server does not hold what it held
   * @throws {StoreAwayError} while that is not known
   */
  async check(): Promise<void> {
    if (this.#rewound !== undefined) throw this.#rewound
    if (!this.#isSure) await this.#look()
  }

  /** The worst first. */
  troubles(): readonly StoreTrouble[] {
    const troubles: StoreTrouble[] = []
    if (this.#rewound !== undefined) {
      const notReady = 'the event log is not the one that it was'
      troubles.push({ message: this.#rewound.message, notReady })
    }
    if (this.#moved !== undefined) {
      troubles.push({ message: this.#moved, notReady: 'the event log is being moved' })
    }
    if (this.#isRefused) troubles.push({ message: REFUSED, notReady: 'the event log refuses us' })
    troubles.push(...this.#ports.right.troubles())
    if (this.#clockAheadMs !== 0) troubles.push({ message: this.#clockMessage })
    return troubles
  }

  get #clockMessage(): string {
    const seconds = Math.round(Math.abs(this.#clockAheadMs) / 1_000)
    const where = this.#clockAheadMs > 0 ? 'ahead of' : 'behind'
    return `the clock of the event store is ${seconds} s ${where} ours: set both by NTP`
  }

  async #stayWatching(): Promise<void> {
    const { signal } = this.#closing
    const everyMs = this.#ports.times?.everyMs ?? EVERY_MS
    for (;;) {
      await pause(systemTimer, everyMs, signal)
      if (signal.aborted) return
      // A reader meets the same error, and says so.
      await this.#look().catch(() => {})
      await this.#ports.right.look().catch(() => {})
    }
  }

  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #lookOnce(): Promise<void> {
    const missing = await this.#askedAsUser(() => this.#missing())
    if (missing === undefined) {
      await this.#refuseHalfMoved()
      return this.#goOn()
    }
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

  /** @throws {StoreUnavailableError} while the log is being moved, and when it was */
  async #refuseHalfMoved(): Promise<void> {
    const moved = await this.#ports.halfMoved()
    if (moved !== undefined && this.#moved === undefined) {
      this.#ports.warn({ reason: moved }, 'event log is being moved, accepting nothing')
    }
    this.#moved = moved
    if (moved === undefined) return
    this.#isSure = false
    throw new StoreUnavailableError(moved)
  }

  async #askedAsUser<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const { warn, right } = this.#ports
    try {
      const answer = await ask()
      if (this.#isRefused) warn({}, 'event store takes our user again')
      this.#isRefused = false
      right.noteUser(true)
      return answer
    } catch (error) {
      const isRefusal = error instanceof Error && isAccessDenied(error.cause)
      if (isRefusal && !this.#isRefused) {
        this.#isRefused = true
        right.noteUser(false)
        warn({ reason: REFUSED }, 'event store refuses our user')
      }
      throw error
    }
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
    if (found?.position === position) {
      const isTheSame = this.#ports.toOwn(found)?.hash === last.hash
      if (isTheSame) this.#compareClocks(last, found)
      return isTheSame
    }
    // The server may have scavenged what a deletion hid.
    if (this.#ports.isSetAside(stream)) return true
    const request = { stream, direction: 'forwards', from: revision, limit: 1 } as const
    const [event] = await this.#ports.readStream(request)
    return event?.hash === last.hash
  }

  #compareClocks({ appended }: SeenEvent, { createdMs }: ServerEvent): void {
    if (appended === undefined || createdMs === undefined) return
    const aheadMs = Math.max(0, createdMs - appended.untilMs)
    const differenceMs = aheadMs - Math.max(0, appended.fromMs - createdMs)
    const isWorthTelling = Math.abs(differenceMs) > CLOCK_DIFFERENCE_MS
    const isKnown = this.#clockAheadMs !== 0
    this.#clockAheadMs = isWorthTelling ? differenceMs : 0
    if (isWorthTelling && !isKnown) {
      this.#ports.warn({ reason: this.#clockMessage }, 'clock of the event store differs from ours')
    }
  }

  async #at(position: Position): Promise<ServerEvent | undefined> {
    try {
      const request = { direction: 'forwards', from: position, limit: 1 } as const
      const [event] = await this.#ports.readAll(request)
      return event
    } catch (error) {
      // The position can lie inside another log's event: no event begins there.
      if (error instanceof RangeError) return undefined
      throw error
    }
  }
}
