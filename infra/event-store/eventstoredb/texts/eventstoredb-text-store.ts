/**
 * Texts on an EventStoreDB server, for all gateways that share its log: one stream for each owner
 * (`owner-streams.ts`). The id of a text is the revision of its event; one that was carried here
 * from another store keeps the id that it has (`moved-texts.ts`).
 *
 * An erasure deletes the stream for ever: nobody reads its events or adds one from then on. Their
 * bytes leave the server's disk with its next scavenge, which is the operator's to run, and its
 * backups with time.
 */
import { hashOfText, type KeptText, readKeptText } from '@svc/contracts/kept-text'
import { Backoff } from '@svc/contracts/ports/backoff'
import { StoreUnavailableError } from '@svc/contracts/ports/event-store'
import type { MovableTexts, OwnedTexts } from '@svc/contracts/ports/movable-texts'
import { type FoundText, type TextStore, TextsErasedError } from '@svc/contracts/ports/text-store'
import { systemTimer } from '../../../system/system-timer.ts'
import { newSalt, newText, wordOf } from '../../../text-store/new-word.ts'
import { reasonOf } from '../client/server-failure.ts'
import { MovedTexts } from './moved-texts.ts'
import {
  idOf,
  keptEvent,
  type OwnerStart,
  OwnerStreams,
  type OwnerStreamsPorts,
  type PlacedText,
  placeOf,
  startEvent,
} from './owner-streams.ts'

/**
 * How often a text is tried: other gateways may keep texts of the same owner, and a server may be
 * away for a moment.
 */
const TRIES_MAX = 16
const PAUSES = { firstMs: 50, longestMs: 1_000 }
/** How many texts of one owner are read in one call. A text has 10,000 characters at most. */
const PAGE_EVENTS = 100
/** Owners whose texts are read at once. */
const OWNERS_AT_ONCE = 16

interface WordOfOwner extends KeptText {
  readonly word: string
}

export class EventStoreDbTextStore implements TextStore, MovableTexts {
  readonly #streams: OwnerStreams
  readonly #moved: MovedTexts

  constructor(ports: OwnerStreamsPorts) {
    this.#streams = new OwnerStreams(ports)
    this.#moved = new MovedTexts({
      streams: this.#streams,
      readAll: async (request) => (await ports.client.get()).readAll(request),
    })
  }

  async keep(owner: string, text: string): Promise<string> {
    const kept = newText(owner, text)
    const backoff = new Backoff(systemTimer, PAUSES)
    const event = keptEvent(kept.text)
    let cause: unknown
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const known = await this.#streams.start(owner)
      const last = await this.#streams.lastRevision(owner)
      const start = known ?? { salt: newSalt(), moved: 0, idsAbove: 0 }
      const events = known === undefined ? [startEvent(start), event] : [event]
      const result = await this.#streams.send(owner, last, events)
      if (result.kind === 'not-written' && result.reason === 'stream-deleted') {
        throw new TextsErasedError(owner)
      }
      if (result.kind === 'appended') {
        const id = idOf(result.revision + start.idsAbove)
        return wordOf(owner, start.salt, { id, text: kept.text })
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
    return wordOf(
      owner,
      (await this.#streams.start(owner))?.salt ?? newSalt(),
      newText(owner, text),
    )
  }

  async count(owner: string): Promise<number> {
    let texts = 0
    for await (const _ of this.#streams.allTexts(owner, { idsAbove: 0 })) texts += 1
    return texts
  }

  async erase(...owners: readonly string[]): Promise<number> {
    let texts = 0
    for (const owner of owners) {
      texts += await this.count(owner)
      await this.#streams.end(owner)
    }
    return texts
  }

  owners(): AsyncIterable<string> {
    return this.#moved.owners()
  }

  allOf(owner: string): Promise<OwnedTexts | undefined> {
    return this.#moved.allOf(owner)
  }

  takeOver(owned: OwnedTexts): Promise<void> {
    return this.#moved.takeOver(owned)
  }

  /** The connection is the event store's, which closes it. */
  async close(): Promise<void> {}

  async #findOf(
    owner: string,
    words: readonly WordOfOwner[],
    found: Map<string, FoundText>,
  ): Promise<void> {
    const start = await this.#streams.start(owner)
    if (start === undefined) return
    const kept = await this.#keptHere(owner, start, words)
    const others = words.filter(({ id }) => !kept.has(id)).map(({ id }) => id)
    const moved = await this.#moved.find(owner, start, others)
    for (const { word, id, hash } of words) {
      const text = kept.get(id) ?? moved.get(id)
      if (text === undefined) continue
      found.set(word, { text, isIntact: hashOfText(start.salt, text) === hash })
    }
  }

  /** @param words in the order of their ids. @returns texts by their ids */
  async #keptHere(
    owner: string,
    start: OwnerStart,
    words: readonly WordOfOwner[],
  ): Promise<ReadonlyMap<string, string>> {
    const revisions = words.flatMap(({ id }) => {
      const place = placeOf(id)
      return place === undefined || place <= start.idsAbove ? [] : [place - start.idsAbove]
    })
    const last = revisions.at(-1) ?? 0
    const found = new Map<string, string>()
    let page = new Map<number, PlacedText>()
    for (const revision of revisions) {
      if (!page.has(revision)) {
        const limit = Math.min(last - revision + 1, PAGE_EVENTS)
        const texts = await this.#streams.texts(owner, start, { from: revision, limit })
        page = new Map(texts.map((text) => [text.revision, text]))
      }
      const text = page.get(revision)
      if (text?.isMoved === false) found.set(text.id, text.text)
    }
    return found
  }
}

/** Sorts the words by owner, each in the order of their ids. */
function byOwner(words: Iterable<string>): Map<string, WordOfOwner[]> {
  const owners = new Map<string, WordOfOwner[]>()
  for (const word of words) {
    const kept = readKeptText(word)
    if (kept === undefined) continue
    const asked = owners.get(kept.owner) ?? []
    owners.set(kept.owner, asked)
    asked.push({ ...kept, word })
  }
  for (const asked of owners.values()) asked.sort((one, other) => (one.id < other.id ? -1 : 1))
  return owners
}
