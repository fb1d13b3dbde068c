/**
 * Texts that a search or a list by name has read, as they are compared, so that the next one does
 * not read them again: to look at a name in memory takes a hundredth of the time.
 *
 * What is found here is looked up again before it is shown, and all of it is forgotten after a
 * minute: a text that is erased, also by another gateway, is found by nobody and does not stay.
 */
import { ALTERED_TEXT, ERASED_TEXT } from '@svc/contracts/kept-text'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock } from '@svc/contracts/ports/time'

const KEPT_MS = 60_000
/** This many take some 15 MB, for names of fifty letters. */
const TEXTS_MAX = 50_000

export interface NameMemoryPorts {
  readonly texts: Pick<TextStore, 'find'>
  readonly clock: Clock
}

export class NameMemory {
  readonly #ports: NameMemoryPorts
  readonly #byWord = new Map<string, string>()
  #sinceMs = 0

  constructor(ports: NameMemoryPorts) {
    this.#ports = ports
  }

  /** Forgets what is too old. To be called before each search or list. */
  begin(): void {
    const nowMs = this.#ports.clock.nowMs()
    const isOld = Math.abs(nowMs - this.#sinceMs) > KEPT_MS
    if (!isOld && this.#byWord.size <= TEXTS_MAX) return
    this.#byWord.clear()
    this.#sinceMs = nowMs
  }

  /** @returns as {@link comparable} has it; undefined for a word that was not read */
  textOf(word: string): string | undefined {
    return this.#byWord.get(word)
  }

  async read(words: readonly string[]): Promise<void> {
    for (const [word, text] of await this.#found(words)) this.#byWord.set(word, text)
  }

  /**
   * Gives texts as {@link comparable} has them, of a list however long: what is not known is read,
   * and remembered while there is room.
   */
  async textsOf(words: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const unread = words.filter((word) => !this.#byWord.has(word))
    const texts = unread.length === 0 ? new Map<string, string>() : await this.#found(unread)
    if (this.#byWord.size + texts.size <= TEXTS_MAX) {
      for (const [word, text] of texts) this.#byWord.set(word, text)
    }
    return new Map(words.map((word) => [word, this.#byWord.get(word) ?? texts.get(word) ?? '']))
  }

  async #found(words: readonly string[]): Promise<Map<string, string>> {
    const found = await this.#ports.texts.find(words)
    return new Map(
      words.map((word) => {
        const { text = ERASED_TEXT, isIntact = true } = found.get(word) ?? {}
        return [word, comparable(isIntact ? text : ALTERED_TEXT)]
      }),
    )
  }
}

/**
 * Makes a text comparable, because whoever searches minds neither capitals nor how a letter with an
 * accent is made up.
 */
export function comparable(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}
