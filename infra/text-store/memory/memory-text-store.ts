/** Texts in memory: for tests, and for a ledger in memory. */
import { hashOfText, readKeptText } from '@svc/contracts/kept-text'
import { type FoundText, type TextStore, TextsErasedError } from '@svc/contracts/ports/text-store'
import { newSalt, newText, wordOf } from '../new-word.ts'

interface Owned {
  readonly salt: Uint8Array
  readonly texts: Map<string, string>
}

export class MemoryTextStore implements TextStore {
  readonly #owners = new Map<string, Owned>()
  readonly #erased = new Set<string>()

  async keep(owner: string, text: string): Promise<string> {
    const kept = newText(owner, text)
    if (this.#erased.has(owner)) throw new TextsErasedError(owner)
    const owned = this.#owners.get(owner) ?? { salt: newSalt(), texts: new Map() }
    this.#owners.set(owner, owned)
    owned.texts.set(kept.id, kept.text)
    return wordOf(owner, owned.salt, kept)
  }

  async find(words: Iterable<string>): Promise<ReadonlyMap<string, FoundText>> {
    const found = new Map<string, FoundText>()
    for (const word of words) {
      const { owner = '', id = '', hash } = readKeptText(word) ?? {}
      const owned = this.#owners.get(owner)
      const text = owned?.texts.get(id)
      if (owned === undefined || text === undefined) continue
      found.set(word, { text, isIntact: hashOfText(owned.salt, text) === hash })
    }
    return found
  }

  async wordFor(owner: string, text: string): Promise<string> {
    return wordOf(owner, this.#owners.get(owner)?.salt ?? newSalt(), newText(owner, text))
  }

  async count(owner: string): Promise<number> {
    return this.#owners.get(owner)?.texts.size ?? 0
  }

  async erase(...owners: readonly string[]): Promise<number> {
    let texts = 0
    for (const owner of owners) {
      texts += this.#owners.get(owner)?.texts.size ?? 0
      this.#owners.delete(owner)
      this.#erased.add(owner)
    }
    return texts
  }

  async close(): Promise<void> {}
}
