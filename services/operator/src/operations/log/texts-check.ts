/**
 * Compares the words of the events with the texts beside the log, while the log is read.
 *
 *     the text is there, and hashes to the word  ─▶ kept
 *     it is there, and hashes to something else  ─▶ altered
 *     it is not there, and was erased by an event of its owner, at any time ─▶ erased
 *     it is not there                            ─▶ missing
 */
import { accountOfStream } from '@svc/contracts/events/account'
import { readKeptText, wordsIn } from '@svc/contracts/kept-text'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import type { TextStore } from '@svc/contracts/ports/text-store'

interface Place {
  readonly stream: string
  readonly revision: number
}

export interface TextsFound {
  readonly kept: number
  readonly erased: number
  readonly altered: readonly Place[]
  /** The first of each owner. */
  readonly missing: readonly Place[]
}

interface Absent {
  readonly first: Place
  count: number
}

export class TextsCheck {
  readonly #texts: Pick<TextStore, 'find'>
  readonly #erasedOwners = new Set<string>()
  readonly #absent = new Map<string, Absent>()
  readonly #altered: Place[] = []
  #kept = 0

  constructor(texts: Pick<TextStore, 'find'>) {
    this.#texts = texts
  }

  /** @param events of one page */
  async take(events: readonly RecordedEvent[]): Promise<void> {
    const named = new Map<string, Place>()
    for (const { stream, revision, type, data } of events) {
      if (type === 'TextsErased') this.#erasedOwners.add(accountOfStream(stream) ?? '')
      for (const word of wordsIn(data)) named.set(word, { stream, revision })
    }
    if (named.size === 0) return
    const found = await this.#texts.find(named.keys())
    for (const [word, place] of named) {
      const text = found.get(word)
      if (text === undefined) this.#noteAbsent(readKeptText(word)?.owner ?? '', place)
      else if (text.isIntact) this.#kept += 1
      else this.#altered.push(place)
    }
  }

  result(): TextsFound {
    let erased = 0
    const missing: Place[] = []
    for (const [owner, { first, count }] of this.#absent) {
      if (this.#erasedOwners.has(owner)) erased += count
      else missing.push(first)
    }
    return { kept: this.#kept, erased, altered: this.#altered, missing }
  }

  #noteAbsent(owner: string, place: Place): void {
    const absent = this.#absent.get(owner)
    if (absent === undefined) this.#absent.set(owner, { first: place, count: 1 })
    else absent.count += 1
  }
}
