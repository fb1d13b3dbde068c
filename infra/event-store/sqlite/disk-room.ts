/**
 * Whether the disk of the event log is full, for `/readyz` and `svc status`.
 *
 * A refused write says that it is. A write that came through says that it no longer is, and so does
 * the file system: a server that is not ready is sent no requests, and would write nothing that
 * could show it.
 */
import { dirname } from 'node:path'
import type { StoreTrouble } from '@svc/contracts/ports/store-health'
import { freeBytesSync } from '../../free-bytes.ts'

/** What must be free before a full disk counts as got over without a write. */
const ROOM_BYTES = 1024 * 1024

export class DiskRoom {
  readonly #path: string
  #isFull = false

  /** @param path of the file of the log */
  constructor(path: string) {
    this.#path = path
  }

  noteRefused(): void {
    this.#isFull = true
  }

  noteWritten(): void {
    this.#isFull = false
  }

  /** Never throws. */
  troubles(): readonly StoreTrouble[] {
    if (this.#isFull && this.#freeBytes() >= ROOM_BYTES) this.#isFull = false
    if (!this.#isFull) return []
    return [
      {
        message: `the disk of ${this.#path} is full, and requests are refused: free some space`,
        notReady: 'the disk is full',
      },
    ]
  }

  /** A file system that does not answer shows no room. */
  #freeBytes(): number {
    try {
      return freeBytesSync(dirname(this.#path))
    } catch {
      return 0
    }
  }
}
