/**
 * The port behind which texts about people are kept, beside the events that name them by a word
 * (`kept-text.ts`). One compliance suite (`infra/text-store`) runs against every adapter.
 *
 * All texts of an owner are erased together, and the owner's salt with them. That is for ever: an
 * owner who was erased takes no text any more, so that one that was on its way is not left behind.
 */

/** The longest text, in characters. */
export const TEXT_CHARACTERS_MAX = 10_000
/** The most words that are looked up at once. */
export const WORDS_MAX = 10_000

/** The texts of this owner were erased. */
export class TextsErasedError extends Error {
  override readonly name = 'TextsErasedError'

  constructor(owner: string) {
    super(`the texts of ${owner} were erased: none can be kept with them`)
  }
}

export interface FoundText {
  readonly text: string
  /** Whether the text is the one that the word was made of. */
  readonly isIntact: boolean
}

export interface TextStore {
  /**
   * Resolves when the text is durable: append the event that has the word after that.
   *
   * @param owner an id: 1 to 100 letters, digits, dashes and underscores, and never a text itself
   * @returns the word; the same text kept twice has two words of the same hash
   * @throws {RangeError} for what cannot be an owner, and for a text that is too long
   * @throws {TextsErasedError}
   * @throws {StoreUnavailableError} when it cannot be kept now
   */
  keep(owner: string, text: string): Promise<string>
  /**
   * @param words at most {@link WORDS_MAX}
   * @returns by word; erased ones, and what is no word, are not in it
   * @throws {StoreUnavailableError} when they cannot be read now
   */
  find(words: Iterable<string>): Promise<ReadonlyMap<string, FoundText>>
  /**
   * A word that keeps nothing, and has the hash that {@link keep} would give the text now: by it a
   * text is compared with those that were kept before.
   */
  wordFor(owner: string, text: string): Promise<string>
  /** Counts the texts of an owner. */
  count(owner: string): Promise<number>
  /**
   * Removes all texts of owners and their salts, and lets none come after them. Resolves when they
   * have left the disk, as far as the adapter can say. Does nothing a second time.
   *
   * @returns how many texts there were
   */
  erase(...owners: readonly string[]): Promise<number>
  close(): Promise<void>
}
