/**
 * Compares the words of the events with the texts beside the log, while the log is read.
 *
 *     the text is there, and hashes to the word  ─▶ kept
 *     it is there, and hashes to something else  ─▶ altered
 *     it is not there, and an event behind it erased the texts of its owner ─▶ erased
 *     it is not there, and no event behind it did                           ─▶ missing
 *     it is there, and an event behind it erased it                         ─▶ unfinished
 *
 * What was written after an erasure is a new text: that it is gone, no erasure explains.
 */
import { accountOfStream } from '@svc/contracts/events/account'
import { accountOfTexts, readKeptText, wordsIn } from '@svc/contracts/kept-text'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import type { FoundText, TextStore } from '@svc/contracts/ports/text-store'

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
  /** The last erasure of each owner that has left texts behind. */
  readonly unfinished: readonly Place[]
}

/** The texts that the events of an owner name since their last erasure. */
interface Named {
  /** The place of the first that is absent. */
  firstAbsent: Place | undefined
  absent: number
  hasText: boolean
}

export class TextsCheck {
  readonly #texts: Pick<TextStore, 'find'>
  readonly #named = new Map<string, Named>()
  readonly #unfinished = new Map<string, Place>()
  readonly #altered: Place[] = []
  #kept = 0
  #erased = 0

  constructor(texts: Pick<TextStore, 'find'>) {
    this.#texts = texts
  }

  /** @param events of one page, behind those of the page before */
  async take(events: readonly RecordedEvent[]): Promise<void> {
    const wordsOf = events.map(({ data }) => wordsIn(data))
    const words = new Set(wordsOf.flat())
    const found = words.size === 0 ? new Map<string, FoundText>() : await this.#texts.find(words)
    const seen = new Set<string>()
    for (const [index, { stream, revision, type, data }] of events.entries()) {
      const place = { stream, revision }
      for (const word of wordsOf[index] ?? []) {
        if (!seen.has(word)) this.#note(word, place, found.get(word))
        seen.add(word)
      }
      if (type === 'TextsErased') this.#noteErasure(accountOfStream(stream) ?? '', place)
      if (type === 'SubjectTextsErased') this.#noteErasure(subjectOf(data), place)
    }
  }

  result(): TextsFound {
    const missing = [...this.#named.values()].flatMap(({ firstAbsent }) => firstAbsent ?? [])
    const unfinished = [...this.#unfinished.values()]
    return { kept: this.#kept, erased: this.#erased, altered: this.#altered, missing, unfinished }
  }

  #note(word: string, place: Place, text: FoundText | undefined): void {
    const { owner = '' } = readKeptText(word) ?? {}
    const named = this.#namedBy(accountOfTexts(owner).accountId)
    if (text === undefined) {
      named.absent += 1
      named.firstAbsent ??= place
      return
    }
    named.hasText = true
    if (text.isIntact) this.#kept += 1
    else this.#altered.push(place)
  }

  #noteErasure(owner: string, place: Place): void {
    const { absent, hasText } = this.#namedBy(owner)
    this.#erased += absent
    this.#named.delete(owner)
    if (hasText || this.#unfinished.has(owner)) this.#unfinished.set(owner, place)
  }

  #namedBy(owner: string): Named {
    const known = this.#named.get(owner)
    if (known !== undefined) return known
    const named = { firstAbsent: undefined, absent: 0, hasText: false }
    this.#named.set(owner, named)
    return named
  }
}

/** The subject whose texts an event says are erased. */
function subjectOf(data: string): string {
  const { subject } = JSON.parse(data) as { readonly subject: string }
  return subject
}
