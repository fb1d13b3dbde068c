/** Ids from the machine's clock and its cryptographic randomness. */
import { randomBytes as systemRandomBytes } from 'node:crypto'
import { ID_RANDOM_BYTES, type IdKind, type IdSource, makeId } from '@svc/contracts/ids'
import type { Clock } from '@svc/contracts/ports/time'

const BYTE_MAX = 0xff

/**
 * Every id sorts behind the ones before it, of whatever kind. Within a millisecond, or while the
 * clock is set back, the time of the last id is kept and its random part is counted up by one; the
 * ids of one process thus never meet, and those of two processes meet with a chance of 2⁻⁸⁰ at
 * most.
 */
export class SystemIds implements IdSource {
  readonly #clock: Clock
  readonly #randomBytes: (count: number) => Uint8Array
  #timeMs = -1
  #random = new Uint8Array(ID_RANDOM_BYTES)

  constructor(clock: Clock, randomBytes: (count: number) => Uint8Array = systemRandomBytes) {
    this.#clock = clock
    this.#randomBytes = randomBytes
  }

  next(kind: IdKind): string {
    const nowMs = this.#clock.nowMs()
    if (nowMs > this.#timeMs) this.#startAt(nowMs)
    else if (!countUp(this.#random)) this.#startAt(this.#timeMs + 1)
    return makeId(kind, this.#timeMs, this.#random)
  }

  #startAt(timeMs: number): void {
    this.#timeMs = timeMs
    this.#random = Uint8Array.from(this.#randomBytes(ID_RANDOM_BYTES))
  }
}

/** Adds one to a big-endian number. @returns false when it was the largest */
function countUp(bytes: Uint8Array): boolean {
  for (let at = bytes.length - 1; at >= 0; at -= 1) {
    const byte = bytes[at] ?? 0
    bytes[at] = byte === BYTE_MAX ? 0 : byte + 1
    if (byte !== BYTE_MAX) return true
  }
  return false
}
