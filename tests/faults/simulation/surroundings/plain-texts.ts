/** Texts about people, under words that are the same in every run: no salt is drawn. */
import { hashOfText, keptTextWord, readKeptText, SALT_BYTES } from '@svc/contracts/kept-text'
import type { FoundText, TextStore } from '@svc/contracts/ports/text-store'
import type { SimulatedProcess } from './simulated-process.ts'

const SALT = new Uint8Array(SALT_BYTES)
const ID_DIGITS = 16

export class PlainTexts {
  /** By word. */
  readonly #texts = new Map<string, string>()

  connect(process: SimulatedProcess): TextStore {
    return {
      keep: (owner, text) => process.ask(() => this.#keep(owner, text)),
      find: (words) => process.ask(() => this.#find(words)),
      wordFor: async (owner, text) => this.#word(owner, text, 0),
      count: async () => this.#texts.size,
      erase: async () => 0,
      close: async () => {},
    }
  }

  async #keep(owner: string, text: string): Promise<string> {
    const word = this.#word(owner, text, this.#texts.size + 1)
    this.#texts.set(word, text)
    return word
  }

  async #find(words: Iterable<string>): Promise<ReadonlyMap<string, FoundText>> {
    const found = new Map<string, FoundText>()
    for (const word of words) {
      const text = this.#texts.get(word)
      if (text === undefined) continue
      const isIntact = readKeptText(word)?.hash === hashOfText(SALT, text)
      found.set(word, { text, isIntact })
    }
    return found
  }

  #word(owner: string, text: string, index: number): string {
    const id = index.toString(16).padStart(ID_DIGITS, '0')
    return keptTextWord({ owner, id, hash: hashOfText(SALT, text) })
  }
}
