/**
 * Signs checkpoints of the tree. What was signed binds: a tree that is not the continuation of the
 * last checkpoint is never signed, so that whoever holds two checkpoints can rely on the next one.
 */

import { ServiceError } from '@svc/contracts/errors'
import { type Checkpoint, checkpointText, openCheckpoint } from '@svc/contracts/evidence/checkpoint'
import { trustedKeys } from '@svc/contracts/evidence/key-rotation'
import type { LogCheckpoints, SignedCheckpoint } from '@svc/contracts/evidence/log-checkpoints'
import {
  NoteError,
  readVerifierKey,
  type SignerKey,
  signNote,
} from '@svc/contracts/evidence/signed-note'
import type { Clock } from '@svc/contracts/ports/time'
import type { EvidenceQueries } from '../views/evidence/queries.ts'

const SECOND_MS = 1_000

export interface LogKeys {
  readonly signer: SignerKey
  /** Notes by which the key was changed, oldest first. */
  readonly rotations: readonly string[]
  /** The first key of all, as text: that of `signer` when there was no rotation. */
  readonly first: string
}

export interface CheckpointerPorts {
  readonly views: Pick<EvidenceQueries, 'treeSize' | 'treeRoot'>
  readonly clock: Clock
  readonly keys: LogKeys
  /** Makes another key, and keeps it, before it is used. @throws {ServiceError} `conflict` */
  readonly rotated: (keys: LogKeys, seconds: number) => LogKeys
  /** The last checkpoint of earlier runs, as a signed note. */
  readonly last: string | undefined
}

export class Checkpointer implements LogCheckpoints {
  readonly #ports: CheckpointerPorts
  #keys: LogKeys
  #latest: { readonly signed: SignedCheckpoint; readonly checkpoint: Checkpoint } | undefined
  /** Whether the tree was seen to go on from the latest checkpoint. */
  #isContinued = true

  constructor(ports: CheckpointerPorts) {
    this.#ports = ports
    this.#keys = ports.keys
    const checkpoint = ports.last === undefined ? undefined : this.#remembered(ports.last)
    if (checkpoint === undefined || ports.last === undefined) return
    this.#latest = { signed: { note: ports.last, size: checkpoint.size }, checkpoint }
    this.#isContinued = false
  }

  get key(): string {
    return this.#keys.signer.verifier.text
  }

  get rotations(): readonly string[] {
    return this.#keys.rotations
  }

  get latest(): SignedCheckpoint | undefined {
    return this.#latest?.signed
  }

  covering(size: number): SignedCheckpoint {
    if (this.#latest !== undefined && this.#isContinued && size <= this.#latest.signed.size) {
      return this.#latest.signed
    }
    const held = this.#ports.views.treeSize()
    if (held < Math.max(size, this.#latest?.signed.size ?? 0)) {
      throw new ServiceError('view_behind', 'The tree of events is behind. Please try again.', {
        retryAfterSeconds: 1,
      })
    }
    return this.sign()
  }

  rotate(): void {
    // What the old key signed last is to hold before another one signs anything.
    this.#checkContinued(this.#ports.views.treeSize())
    this.#keys = this.#ports.rotated(this.#keys, this.#seconds())
    this.#latest = undefined
    this.sign()
  }

  /**
   * Signs all that is in the tree. To be called when the tree has all of the log, or as much as it
   * had at the last checkpoint.
   *
   * @throws {ServiceError} `evidence_contradicted`
   */
  sign(): SignedCheckpoint {
    const { views } = this.#ports
    const size = views.treeSize()
    this.#checkContinued(size)
    if (this.#latest?.signed.size === size) return this.#latest.signed
    const root = Buffer.from(views.treeRoot(size))
    const { signer } = this.#keys
    const checkpoint = { origin: signer.verifier.name, size, root, time: this.#seconds() }
    const signed = { note: signNote(checkpointText(checkpoint), signer), size }
    this.#latest = { signed, checkpoint }
    return signed
  }

  #seconds(): number {
    return Math.floor(this.#ports.clock.nowMs() / SECOND_MS)
  }

  #checkContinued(size: number): void {
    const known = this.#latest?.checkpoint
    if (known === undefined || this.#isContinued) return
    const isSame = size >= known.size && known.root.equals(this.#ports.views.treeRoot(known.size))
    if (!isSame) {
      const message =
        `The log is not what was signed: checkpoint ${known.size} does not hold any more. ` +
        'Nothing is signed until the operator has found out why.'
      throw new ServiceError('evidence_contradicted', message)
    }
    this.#isContinued = true
  }

  /** One of another origin binds nobody: a new epoch has begun. */
  #remembered(note: string): Checkpoint | undefined {
    const { first, rotations, signer } = this.#keys
    try {
      const checkpoint = openCheckpoint(note, trustedKeys(readVerifierKey(first), rotations))
      return checkpoint.origin === signer.verifier.name ? checkpoint : undefined
    } catch (error) {
      if (error instanceof NoteError) return undefined
      throw error
    }
  }
}
