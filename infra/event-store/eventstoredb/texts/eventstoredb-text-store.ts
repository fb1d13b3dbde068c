/**
 * Texts on an EventStoreDB server, for all gateways that share its log: one stream for each owner,
 * `texts-` and the name that a stream of ours would have, so that none of them is taken for one.
 *
 *     OwnerSalt, TextKept, TextKept …     the id of a text is the revision of its event
 *
 * An erasure deletes the stream for ever: nobody reads its events or adds one from then on. Their
 * bytes leave the server's disk with its next scavenge, which is the operator's to run, and its
 * backups with time.
 */
import { randomUUID } from 'node:crypto'
import { hashOfText, type KeptText, readKeptText, TEXT_ID_BYTES } from '@svc/contracts/kept-text'
import { Backoff } from '@svc/contracts/ports/backoff'
import { StoreUnavailableError } from '@svc/contracts/ports/event-store'
import { type FoundText, type TextStore, TextsErasedError } from '@svc/contracts/ports/text-store'
import { systemTimer } from '../../../system/system-timer.ts'
import { newSalt, newText, wordOf } from '../../../text-store/new-word.ts'
import type { EventStoreDbClient } from '../client/client.ts'
import type { CurrentClient } from '../client/current-client.ts'
import { answerWithin } from '../client/deadline.ts'
import type { SendResult } from '../client/send-result.ts'
import type { ServerReadStream } from '../client/server-calls.ts'
import { type NewServerEvent, NO_EVENTS, type ServerEvent } from '../client/server-event.ts'
import { isDeletedStream, reasonOf } from '../client/server-failure.ts'
import type { StreamPrefix } from '../layout/stream-prefix.ts'

const STREAM_PREFIX = 'texts-'
const SALT_TYPE = 'OwnerSalt'
const TEXT_TYPE = 'TextKept'
/** Other gateways may keep texts of the same owner, and a server may be away for a moment. */
const MAX_TRIES = 16
const PAUSES = { firstMs: 50, longestMs: 1_000 }
/**
 * The salt is the first event, but for texts that were on their way during an erasure when a stream
 * could go on after one.
 */
const SALT_AMONG = 10
/** Texts of one owner that are read in one call: a text has 10,000 characters at most. */
const PAGE_EVENTS = 100
/** Owners whose texts are read at once. */
const OWNERS_AT_ONCE = 16
const ID_RADIX = 16

export interface EventStoreDbTextStorePorts {
  readonly client: CurrentClient<EventStoreDbClient>
  readonly streamPrefix: StreamPrefix
  readonly appendTimeoutMs: number
}

interface WordOfOwner extends KeptText {
  readonly word: string
  readonly revision: number
}

export class EventStoreDbTextStore implements TextStore {
  readonly #ports: EventStoreDbTextStorePorts

  constructor(ports: EventStoreDbTextStorePorts) {
    this.#ports = ports
  }

  async keep(owner: string, text: string): Promise<string> {
    const kept = newText(owner, text)
    const backoff = new Backoff(systemTimer, PAUSES)
    const event = serverEvent(TEXT_TYPE, { text: kept.text })
    let cause: unknown
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const known = await this.#saltOf(owner)
      const last = await this.#lastRevision(owner)
      const salt = known ?? newSalt()
      const first = serverEvent(SALT_TYPE, { salt: Buffer.from(salt).toString('hex') })
      const result = await this.#send(owner, last, known === undefined ? [first, event] : [event])
      if (result.kind === 'not-written' && result.reason === 'stream-deleted') {
        throw new TextsErasedError(owner)
      }
      if (result.kind === 'appended') {
        return wordOf(owner, salt, { id: idOf(result.revision), text: kept.text })
      }
      if (result.kind !== 'wrong-expected-revision') cause = result.cause
      await backoff.pause()
    }
    throw new StoreUnavailableError(`the text could not be kept: ${reasonOf(cause)}`, { cause })
  }

  async find(words: Iterable<string>): Promise<ReadonlyMap<string, FoundText>> {
    const owners = [...byOwner(words)]
    const found = new Map<string, FoundText>()
    for (let at = 0; at < owners.length; at += OWNERS_AT_ONCE) {
      const some = owners.slice(at, at + OWNERS_AT_ONCE)
      await Promise.all(some.map(([owner, asked]) => this.#findOf(owner, asked, found)))
    }
    return found
  }

  async wordFor(owner: string, text: string): Promise<string> {
    return wordOf(owner, (await this.#saltOf(owner)) ?? newSalt(), newText(owner, text))
  }

  async count(owner: string): Promise<number> {
    let texts = 0
    for (let from: number | undefined; ; ) {
      const page = await this.#read(owner, PAGE_EVENTS, from)
      texts += page.filter(({ type }) => type === TEXT_TYPE).length
      const last = page.at(-1)
      if (page.length < PAGE_EVENTS || last === undefined) return texts
      from = last.revision + 1
    }
  }

  async erase(...owners: readonly string[]): Promise<number> {
    let texts = 0
    for (const owner of owners) {
      texts += await this.count(owner)
      const client = await this.#ports.client.get()
      await client.endStream(this.#nameOf(owner))
    }
    return texts
  }

  /** The connection is the event store's, which closes it. */
  async close(): Promise<void> {}

  async #findOf(
    owner: string,
    words: readonly WordOfOwner[],
    found: Map<string, FoundText>,
  ): Promise<void> {
    const salt = await this.#saltOf(owner)
    if (salt === undefined) return
    const last = words.at(-1)?.revision ?? 0
    let page = new Map<number, string>()
    for (const { word, revision, hash } of words) {
      if (!page.has(revision)) {
        const limit = Math.min(last - revision + 1, PAGE_EVENTS)
        page = new Map(textsOf(await this.#read(owner, limit, revision)))
      }
      const text = page.get(revision)
      if (text !== undefined) found.set(word, { text, isIntact: hashOfText(salt, text) === hash })
    }
  }

  async #saltOf(owner: string): Promise<Uint8Array | undefined> {
    const first = await this.#read(owner, SALT_AMONG)
    const event = first.find(({ type }) => type === SALT_TYPE)
    const salt = event === undefined ? undefined : fieldOf(event, 'salt')
    return salt === undefined ? undefined : new Uint8Array(Buffer.from(salt, 'hex'))
  }

  async #lastRevision(owner: string): Promise<number> {
    return (
      (await this.#readOf(owner, { direction: 'backwards', limit: 1 }))[0]?.revision ?? NO_EVENTS
    )
  }

  /** @param from inclusive; left out: the first that was not erased */
  #read(owner: string, limit: number, from?: number): Promise<readonly ServerEvent[]> {
    const place = from === undefined ? {} : { from }
    return this.#readOf(owner, { direction: 'forwards', limit, ...place })
  }

  /** Of an owner who was erased, nothing. */
  async #readOf(
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

  async #send(
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

  #nameOf(owner: string): string {
    return STREAM_PREFIX + this.#ports.streamPrefix.nameOf(owner)
  }
}

/** In the order of their revisions. */
function byOwner(words: Iterable<string>): Map<string, WordOfOwner[]> {
  const owners = new Map<string, WordOfOwner[]>()
  for (const word of words) {
    const kept = readKeptText(word)
    const revision = Number.parseInt(kept?.id ?? '', ID_RADIX)
    if (kept === undefined || !Number.isSafeInteger(revision)) continue
    const asked = owners.get(kept.owner) ?? []
    owners.set(kept.owner, asked)
    asked.push({ ...kept, word, revision })
  }
  for (const asked of owners.values()) asked.sort((one, other) => one.revision - other.revision)
  return owners
}

function textsOf(events: readonly ServerEvent[]): [number, string][] {
  return events.flatMap((event): [number, string][] => {
    const text = event.type === TEXT_TYPE ? fieldOf(event, 'text') : undefined
    return text === undefined ? [] : [[event.revision, text]]
  })
}

function fieldOf({ data }: ServerEvent, field: string): string | undefined {
  if (data.kind !== 'json' || typeof data.value !== 'object' || data.value === null)
    return undefined
  const value = new Map<string, unknown>(Object.entries(data.value)).get(field)
  return typeof value === 'string' ? value : undefined
}

function idOf(revision: number): string {
  return revision.toString(ID_RADIX).padStart(2 * TEXT_ID_BYTES, '0')
}

function serverEvent(type: string, value: object): NewServerEvent {
  return { id: randomUUID(), type, data: { kind: 'json', value }, metadata: new Uint8Array() }
}
