/**
 * The streams of texts on the server: one for each owner, `texts-` and the name that a stream of
 * ours would have, so that none of them is taken for one.
 *
 *     OwnerSalt, TextKept, TextKept …
 *     OwnerSalt, TextMoved …, TextKept …      of an owner who came from another store
 */
import { randomUUID } from 'node:crypto'
import { TEXT_ID_BYTES } from '@svc/contracts/kept-text'
import type { OwnedText } from '@svc/contracts/ports/movable-texts'
import type { EventStoreDbClient } from '../client/client.ts'
import type { CurrentClient } from '../client/current-client.ts'
import { answerWithin } from '../client/deadline.ts'
import type { SendResult } from '../client/send-result.ts'
import { isDeletedStream } from '../client/server-failure.ts'
import type { StreamPrefix } from '../layout/stream-prefix.ts'
import type { ServerReadStream } from '../messages/server-calls.ts'
import {
  jsonValueOf,
  type NewServerEvent,
  NO_EVENTS,
  type ServerEvent,
} from '../messages/server-event.ts'

const STREAM_PREFIX = 'texts-'
const SALT_TYPE = 'OwnerSalt'
const KEPT_TYPE = 'TextKept'
const MOVED_TYPE = 'TextMoved'
/**
 * The salt is the first event, but for texts that were on their way during an erasure when a stream
 * could go on after one.
 */
const SALT_AMONG = 10
/** How many texts of one owner are read in one call. A text has 10,000 characters at most. */
const PAGE_EVENTS = 100
const ID_RADIX = 16

export interface OwnerStreamsPorts {
  readonly client: CurrentClient<EventStoreDbClient>
  readonly streamPrefix: StreamPrefix
  readonly appendTimeoutMs: number
}

/** The first event of an owner. */
export interface OwnerStart {
  readonly salt: Uint8Array
  /** How many texts came from another store: they follow the salt, in the order of their ids. */
  readonly moved: number
  /** The id of a text that was kept here is the revision of its event, and this. */
  readonly idsAbove: number
}

/** A text, and where its event stands. */
export interface PlacedText extends OwnedText {
  readonly revision: number
  readonly isMoved: boolean
}

export class OwnerStreams {
  readonly #ports: OwnerStreamsPorts

  constructor(ports: OwnerStreamsPorts) {
    this.#ports = ports
  }

  /** What the names of all these streams begin with. */
  get prefix(): string {
    return STREAM_PREFIX + this.#ports.streamPrefix.text
  }

  /** @returns undefined when nothing was kept, and when it was erased */
  async start(owner: string): Promise<OwnerStart | undefined> {
    const first = await this.#read(owner, { direction: 'forwards', limit: SALT_AMONG })
    const event = first.find(({ type }) => type === SALT_TYPE)
    const salt = event === undefined ? undefined : fieldOf(event, 'salt')
    if (event === undefined || salt === undefined) return undefined
    return {
      salt: new Uint8Array(Buffer.from(salt, 'hex')),
      moved: Number(fieldOf(event, 'moved') ?? 0),
      idsAbove: Number(fieldOf(event, 'idsAbove') ?? 0),
    }
  }

  async lastRevision(owner: string): Promise<number> {
    const [last] = await this.#read(owner, { direction: 'backwards', limit: 1 })
    return last?.revision ?? NO_EVENTS
  }

  /** @param from a revision, inclusive; `limit` counts events of whatever type */
  async texts(
    owner: string,
    start: Pick<OwnerStart, 'idsAbove'>,
    { from, limit }: { readonly from: number; readonly limit: number },
  ): Promise<readonly PlacedText[]> {
    return textsIn(await this.#read(owner, { direction: 'forwards', from, limit }), start)
  }

  async *allTexts(
    owner: string,
    start: Pick<OwnerStart, 'idsAbove'>,
  ): AsyncGenerator<PlacedText, void> {
    // The place is left out at first, which begins at the first event that was not erased.
    for (let place: { readonly from?: number } = {}; ; ) {
      const request = { direction: 'forwards', limit: PAGE_EVENTS, ...place } as const
      const page = await this.#read(owner, request)
      yield* textsIn(page, start)
      const last = page.at(-1)
      if (page.length < PAGE_EVENTS || last === undefined) return
      place = { from: last.revision + 1 }
    }
  }

  /** Whether it was ended for ever. */
  async isEnded(owner: string): Promise<boolean> {
    const client = await this.#ports.client.get()
    try {
      await client.readStream({ stream: this.#nameOf(owner), direction: 'forwards', limit: 1 })
      return false
    } catch (error) {
      if (isDeletedStream(error)) return true
      throw error
    }
  }

  async end(owner: string): Promise<void> {
    const client = await this.#ports.client.get()
    await client.endStream(this.#nameOf(owner))
  }

  async send(
    owner: string,
    expected: number,
    events: readonly NewServerEvent[],
  ): Promise<SendResult> {
    const { client, appendTimeoutMs } = this.#ports
    try {
      const current = await client.get()
      const sent = current.append(this.#nameOf(owner), expected, events)
      return await answerWithin(appendTimeoutMs, 'an append', sent)
    } catch (cause) {
      return { kind: 'unknown', cause }
    }
  }

  /** Finds nothing of an owner who was erased. */
  async #read(
    owner: string,
    read: Omit<ServerReadStream, 'stream'>,
  ): Promise<readonly ServerEvent[]> {
    const client = await this.#ports.client.get()
    try {
      return await client.readStream({ stream: this.#nameOf(owner), ...read })
    } catch (error) {
      if (isDeletedStream(error)) return []
      throw error
    }
  }

  #nameOf(owner: string): string {
    return STREAM_PREFIX + this.#ports.streamPrefix.nameOf(owner)
  }
}

export function startEvent({ salt, moved, idsAbove }: OwnerStart): NewServerEvent {
  const value = { salt: Buffer.from(salt).toString('hex') }
  const place = moved === 0 ? {} : { moved: `${moved}`, idsAbove: `${idsAbove}` }
  return serverEvent(SALT_TYPE, { ...value, ...place })
}

export function keptEvent(text: string): NewServerEvent {
  return serverEvent(KEPT_TYPE, { text })
}

export function movedEvent({ id, text }: OwnedText): NewServerEvent {
  return serverEvent(MOVED_TYPE, { id, text })
}

/** @param place of a text that was kept here: see {@link OwnerStart.idsAbove} */
export function idOf(place: number): string {
  return place.toString(ID_RADIX).padStart(2 * TEXT_ID_BYTES, '0')
}

/** Finds the place of an id. @returns undefined when no text that was kept here has such an id */
export function placeOf(id: string): number | undefined {
  const place = Number.parseInt(id, ID_RADIX)
  return Number.isSafeInteger(place) ? place : undefined
}

function textsIn(
  events: readonly ServerEvent[],
  { idsAbove }: Pick<OwnerStart, 'idsAbove'>,
): readonly PlacedText[] {
  return events.flatMap((event): PlacedText[] => {
    const { type, revision } = event
    const text = fieldOf(event, 'text')
    const isMoved = type === MOVED_TYPE
    const id = isMoved ? fieldOf(event, 'id') : idOf(revision + idsAbove)
    const isText = isMoved || type === KEPT_TYPE
    if (!isText || text === undefined || id === undefined) return []
    return [{ id, text, revision, isMoved }]
  })
}

function fieldOf({ data }: ServerEvent, field: string): string | undefined {
  const value = jsonValueOf(data)
  if (typeof value !== 'object' || value === null) return undefined
  const found = new Map<string, unknown>(Object.entries(value)).get(field)
  return typeof found === 'string' ? found : undefined
}

function serverEvent(type: string, value: object): NewServerEvent {
  const data = { kind: 'json', text: JSON.stringify(value) } as const
  return { id: randomUUID(), type, data, metadata: new Uint8Array() }
}
