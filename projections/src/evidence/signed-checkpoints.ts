/**
 * The stream in which the checkpoints of one name stand. A checkpoint is handed out only when it
 * stands there, on top of the one that its signer has seen: so all gateways that sign with one key
 * sign one sequence, in which sizes and times never go down.
 */
import { EVIDENCE_ACTOR } from '@svc/contracts/events/actors'
import { decodeEvent, encodeEvent } from '@svc/contracts/events/codec'
import { checkpointsStream } from '@svc/contracts/events/evidence'
import { eventId, makeDerivedId } from '@svc/contracts/ids'
import {
  type EventStore,
  NO_STREAM,
  type RecordedEvent,
  type StreamHead,
} from '@svc/contracts/ports/event-store'
import { damagedAt } from '@svc/contracts/ports/quarantine'

const STEP = 'sign'

export interface StreamEnd {
  readonly head: StreamHead
  /** The last checkpoint, as a signed note. Undefined before the first. */
  readonly note: string | undefined
}

export class SignedCheckpoints {
  readonly #store: Pick<EventStore, 'append' | 'readStream'>
  readonly #stream: string

  /** @param origin the name of the log */
  constructor(store: Pick<EventStore, 'append' | 'readStream'>, origin: string) {
    this.#store = store
    this.#stream = checkpointsStream(origin)
  }

  /**
   * @throws {DamagedStreamError} when the last event is none of ours, or was deleted
   * @throws {StoreUnavailableError}
   */
  async end(): Promise<StreamEnd> {
    const request = { stream: this.#stream, direction: 'backwards', limit: 1 } as const
    const [last] = await this.#store.readStream(request)
    if (last === undefined) return { head: NO_STREAM, note: undefined }
    const { revision, hash } = last
    return { head: { revision, hash }, note: this.#noteOf(last) }
  }

  #noteOf(last: RecordedEvent): string {
    try {
      const { type, data } = decodeEvent(last)
      if (type !== 'CheckpointSigned') throw new RangeError('it belongs into another stream')
      return data.note
    } catch (cause) {
      throw damagedAt(last, cause)
    }
  }

  /**
   * @param expected the end that the checkpoint goes on from
   * @param atMs when it is signed
   * @returns whether it stands there now; otherwise another one may, and the end has to be read
   * @throws {StoreUnavailableError}
   */
  async add(note: string, expected: StreamHead, atMs: number): Promise<boolean> {
    const id = makeDerivedId('ckpt', atMs, note)
    const event = { type: 'CheckpointSigned', data: { note, at: atMs } } as const
    const origin = { correlationId: id, causationId: id, actor: EVIDENCE_ACTOR }
    const events = [encodeEvent(eventId(id, STEP), event, origin)]
    const { kind } = await this.#store.append({ stream: this.#stream, expected, events })
    return kind === 'appended' || kind === 'duplicate'
  }
}
