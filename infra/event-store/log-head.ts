/**
 * The head of a whole log: its last position, and a digest over the position and the hash of every
 * event up to there. Whoever has noted it down elsewhere finds out about any later change of what
 * lies before it: an edit, a gap, another order, and an end that was cut off.
 *
 *     digest = SHA-256( for each event in order of position: position, space, hash, line feed )
 */
import { createHash } from 'node:crypto'
import type { Position, RecordedEvent } from '@svc/contracts/ports/event-store'

export interface LogHead {
  readonly position: Position
  /** The digest as 64 hex digits. */
  readonly digest: string
}

export class LogDigest {
  readonly #hash = createHash('sha256')

  take({ position, hash }: Pick<RecordedEvent, 'position' | 'hash'>): void {
    this.#hash.update(`${position} ${hash}\n`)
  }

  /** The digest of what was taken so far; more may be taken. */
  get digest(): string {
    return this.#hash.copy().digest('hex')
  }
}

/** Writes the head as one word, to be noted down: `1234-…`. */
export function logHeadText({ position, digest }: LogHead): string {
  return `${position}-${digest}`
}

/** Reads a head; undefined when the text is none. */
export function readLogHead(text: string): LogHead | undefined {
  const [, position, digest] = /^(\d{1,20})-([0-9a-f]{64})$/.exec(text) ?? []
  if (position === undefined || digest === undefined) return undefined
  return { position: BigInt(position), digest }
}
