/**
 * PORT: moves texts from one text store to another. Salts and ids stay, so that the words in the
 * events still fit the texts.
 */

/** All texts that are kept of one owner. */
export interface OwnedTexts {
  readonly owner: string
  /** Is undefined for an owner whose texts were erased: it takes none any more. */
  readonly salt: Uint8Array | undefined
  /** The texts in the order of their ids, which are 16 hex digits each. */
  readonly texts: readonly OwnedText[]
}

export interface OwnedText {
  readonly id: string
  readonly text: string
}

/** To be used while nobody keeps or erases texts in the store. */
export interface MovableTexts {
  /** Everybody who ever kept a text or was erased, each once. */
  owners(): AsyncIterable<string>
  /** @returns undefined when nothing was ever kept or erased of the owner */
  allOf(owner: string): Promise<OwnedTexts | undefined>
  /**
   * Takes over all texts of an owner, and skips those that are here already, so that a call can be
   * repeated after a crash. Resolves when the texts are durable.
   *
   * @throws {RangeError} when the store holds other texts of the owner
   */
  takeOver(owned: OwnedTexts): Promise<void>
}
