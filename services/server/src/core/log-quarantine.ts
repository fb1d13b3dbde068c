/**
 * The streams of the log that are set aside: what the store says of them, and what was found by
 * whoever read them, which is noted in the data folder too, so that the next start knows it.
 *
 *     whole ── damage is found ──▶ set aside ── read from its start to its end, and whole ──▶ whole
 *
 * Each way is one line of the server's log.
 */
import type { Quarantine, StreamDamage } from '@svc/contracts/ports/quarantine'
import type { StoreHealth } from '@svc/contracts/ports/store-health'
import type { Timer } from '@svc/contracts/ports/time'
import type { Logger } from 'pino'
import type { DataFolder } from '../data-folder/data-folder.ts'

/** The shortest time between two writes of the list: one look can find thousands of streams. */
const WRITE_EVERY_MS = 1_000

export interface LogQuarantinePorts {
  readonly folder: Pick<DataFolder, 'readQuarantine' | 'writeQuarantine'>
  readonly storeHealth: Pick<StoreHealth, 'setAside'>
  /** What the names of our streams begin with on the server. */
  readonly streamPrefix: string
  readonly timer: Timer
  readonly logger: Logger
}

export class LogQuarantine implements Quarantine {
  readonly #ports: LogQuarantinePorts
  readonly #noted: Map<string, StreamDamage>
  #onNoted: (stream: string) => void = () => {}
  /** Set for a while after each write. */
  #cancelNextWrite: (() => void) | undefined
  /** Whether the list has changed since it was written. */
  #isUnwritten = false

  constructor(ports: LogQuarantinePorts) {
    this.#ports = ports
    const noted = ports.folder.readQuarantine()
    this.#noted = new Map(noted.map((damage) => [damage.stream, damage]))
  }

  /** @param onNoted told of each stream that is set aside from now on */
  follow(onNoted: (stream: string) => void): void {
    this.#onNoted = onNoted
  }

  list(): readonly StreamDamage[] {
    return [...this.#ofStore(), ...this.noted()]
  }

  noted(): readonly StreamDamage[] {
    const ofStore = new Set(this.#ofStore().map(({ stream }) => stream))
    return [...this.#noted.values()].filter(({ stream }) => !ofStore.has(stream))
  }

  find(stream: string): StreamDamage | undefined {
    return this.#noted.get(stream) ?? this.#ofStore().find((damage) => damage.stream === stream)
  }

  note(damage: StreamDamage): void {
    const { stream, revision, cause } = damage
    if (this.find(stream) !== undefined) return
    this.#noted.set(stream, { stream, revision, cause })
    this.#ports.logger.error({ stream, revision, reason: cause }, 'stream is damaged and set aside')
    this.#noteChange()
    this.#onNoted(stream)
  }

  /** The stream was read from its start to its end, and nothing is wrong with it. */
  release(stream: string): void {
    if (!this.#noted.delete(stream)) return
    this.#ports.logger.warn({ stream }, 'stream is whole again, going on with it')
    this.#noteChange()
  }

  /** Writes what is not written yet. To be called when nothing is noted any more. */
  close(): void {
    this.#cancelNextWrite?.()
    if (this.#isUnwritten) this.#write()
  }

  #ofStore(): readonly StreamDamage[] {
    const { storeHealth, streamPrefix } = this.#ports
    return storeHealth.setAside().map(({ stream, order }) => ({
      stream: stream.startsWith(streamPrefix) ? stream.slice(streamPrefix.length) : stream,
      revision: null,
      cause: order,
    }))
  }

  /** Writes the list at once, or with all that is found until it may be written again. */
  #noteChange(): void {
    this.#isUnwritten = true
    if (this.#cancelNextWrite !== undefined) return
    this.#write()
    this.#cancelNextWrite = this.#ports.timer.after(WRITE_EVERY_MS, () => {
      this.#cancelNextWrite = undefined
      if (this.#isUnwritten) this.#noteChange()
    })
  }

  #write(): void {
    this.#isUnwritten = false
    try {
      this.#ports.folder.writeQuarantine([...this.#noted.values()])
    } catch (err) {
      // A full disk: who meets the damage the next time finds it again.
      this.#ports.logger.warn({ err }, 'failed to note the streams that are set aside')
    }
  }
}
