/**
 * Signs checkpoints of the tree. What was signed binds: a tree that is not the continuation of the
 * last checkpoint is never signed, so that whoever holds two checkpoints can rely on the next one.
 *
 *     read the last checkpoint ─▶ wait until the tree has all of the log ─▶ does it go on from it?
 *              ▲                                                                   │ sign
 *              └───────────── another gateway was first ◀── put it on top ◀────────┘
 */

import { ServiceError } from '@svc/contracts/errors'
import { type Checkpoint, checkpointText, openCheckpoint } from '@svc/contracts/evidence/checkpoint'
import { trustedKeys } from '@svc/contracts/evidence/key-rotation'
import type { LogCheckpoints, SignedCheckpoint } from '@svc/contracts/evidence/log-checkpoints'
import {
  isSignedBy,
  NoteError,
  parseNote,
  readVerifierKey,
  type SignerKey,
  signNote,
} from '@svc/contracts/evidence/signed-note'
import type { EventStore, Position } from '@svc/contracts/ports/event-store'
import { damageIn } from '@svc/contracts/ports/quarantine'
import type { Clock } from '@svc/contracts/ports/time'
import type { EvidenceQueries } from '../views/evidence/queries.ts'
import { SignedCheckpoints, type StreamEnd } from './signed-checkpoints.ts'
import { treeBehind } from './tree-behind.ts'

const SECOND_MS = 1_000
/** How often other gateways may sign first before this one gives up for now. */
const TRIES_MAX = 5

export interface LogKeys {
  readonly signer: SignerKey
  /** Notes by which the key was changed, oldest first. */
  readonly rotations: readonly string[]
  /** The first key of all, as text: that of `signer` when there was no rotation. */
  readonly first: string
}

export interface CheckpointerPorts {
  readonly store: Pick<EventStore, 'append' | 'readStream' | 'lastPosition'>
  readonly views: Pick<EvidenceQueries, 'treeSize' | 'treeRoot'>
  /** Resolves to whether the tree has the event at the position, after a bounded time. */
  readonly reached: (position: Position) => Promise<boolean>
  readonly clock: Clock
  readonly keys: LogKeys
  /** Makes another key, and keeps it, before it is used. @throws {ServiceError} `conflict` */
  readonly rotated: (keys: LogKeys, seconds: number) => LogKeys
  /** The last checkpoint that earlier runs on this folder knew, as a signed note. */
  readonly last: string | undefined
}

interface KnownCheckpoint {
  readonly signed: SignedCheckpoint
  readonly checkpoint: Checkpoint
}

interface Published {
  readonly head: StreamEnd['head']
  readonly known: KnownCheckpoint | undefined
}

export class Checkpointer implements LogCheckpoints {
  readonly #ports: CheckpointerPorts
  readonly #stream: SignedCheckpoints
  #keys: LogKeys
  /** A checkpoint that this process knows to be published, and the tree to go on from. */
  #latest: SignedCheckpoint | undefined
  /** The last checkpoint of an earlier run, until the tree was seen to go on from it. */
  #unchecked: Checkpoint | undefined
  /** Lets one signature come after the other. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(ports: CheckpointerPorts) {
    this.#ports = ports
    this.#keys = ports.keys
    this.#stream = new SignedCheckpoints(ports.store, ports.keys.signer.verifier.name)
    this.#unchecked = ports.last === undefined ? undefined : this.#remembered(ports.last)
  }

  get key(): string {
    return this.#keys.signer.verifier.text
  }

  get rotations(): readonly string[] {
    return this.#keys.rotations
  }

  async latest(): Promise<SignedCheckpoint | undefined> {
    const { known } = await this.#published()
    return known?.signed
  }

  async covering(size: number): Promise<SignedCheckpoint> {
    if (this.#latest !== undefined && size <= this.#latest.size) return this.#latest
    const signed = await this.sign()
    if (signed.size < size) throw treeBehind()
    return signed
  }

  rotate(): Promise<void> {
    return this.#inTurn(async () => {
      // The tree has to hold what the old key signed last before another key signs anything.
      await this.#checkedEnd()
      this.#keys = this.#ports.rotated(this.#keys, this.#seconds())
      this.#latest = undefined
      await this.#sign()
    })
  }

  /**
   * Signs all that is in the log, unless that was signed already.
   *
   * @throws {ServiceError} `view_behind` when the tree does not get there in time,
   *   `evidence_contradicted`
   * @throws {StoreUnavailableError}
   */
  sign(): Promise<SignedCheckpoint> {
    return this.#inTurn(() => this.#sign())
  }

  async #sign(): Promise<SignedCheckpoint> {
    const { views, clock } = this.#ports
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const { head, known } = await this.#checkedEnd()
      const { signer } = this.#keys
      const size = views.treeSize()
      const isCovered = known?.signed.size === size
      if (isCovered && isSignedBy(parseNote(known.signed.note), signer.verifier)) {
        this.#latest = known.signed
        return known.signed
      }
      const root = Buffer.from(views.treeRoot(size))
      // A clock that was put back, or another gateway's, does not make the later one look older.
      const time = Math.max(this.#seconds(), known?.checkpoint.time ?? 0)
      const text = checkpointText({ origin: signer.verifier.name, size, root, time })
      const note = signNote(text, signer)
      if (await this.#stream.add(note, head, clock.nowMs())) {
        this.#latest = { note, size }
        return this.#latest
      }
    }
    throw treeBehind()
  }

  /** Gives the last checkpoint, when the tree has all that it covers, and goes on from it. */
  async #checkedEnd(): Promise<Published> {
    const { store, reached } = this.#ports
    const published = await this.#published()
    // The look comes behind the reading, so the tree has whatever the other gateway's tree had.
    if (!(await reached(await store.lastPosition()))) throw treeBehind()
    if (this.#unchecked !== undefined) this.#checkContinued(this.#unchecked)
    this.#unchecked = undefined
    if (published.known !== undefined) this.#checkContinued(published.known.checkpoint)
    return published
  }

  async #published(): Promise<Published> {
    const { head, note } = await this.#stream.end().catch((error: unknown) => {
      if (damageIn(error) === undefined) throw error
      throw contradicted('The checkpoints of this log are damaged', error)
    })
    if (note === undefined) return { head, known: undefined }
    const checkpoint = this.#remembered(note)
    if (checkpoint === undefined) {
      throw contradicted(
        'The last checkpoint of this name is signed with another key: give all gateways the same ' +
          'SVC_EVIDENCE_KEY, or a key with a name of its own',
      )
    }
    return { head, known: { signed: { note, size: checkpoint.size }, checkpoint } }
  }

  #checkContinued({ size, root }: Checkpoint): void {
    const { views } = this.#ports
    if (size <= views.treeSize() && root.equals(views.treeRoot(size))) return
    throw contradicted(`The log is not what was signed: checkpoint ${size} does not hold any more`)
  }

  /** Reads a remembered checkpoint. One of another origin binds nobody: a new epoch has begun. */
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

  #seconds(): number {
    return Math.floor(this.#ports.clock.nowMs() / SECOND_MS)
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }
}

function contradicted(what: string, cause?: unknown): ServiceError {
  const message = `${what}. Nothing is signed until the operator has found out why.`
  return new ServiceError('evidence_contradicted', message, { cause })
}
