/** The texts that one text store gives to another: salts and ids stay, so that words still fit. */

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

/** Moves texts. To be used while nobody keeps or erases texts there. */
export interface MovableTexts {
  /** Everybody who ever kept a text or was erased, each once. */
  owners(): AsyncIterable<string>
  /** @returns undefined when nothing was ever kept or erased of the owner */
  allOf(owner: string): Promise<OwnedTexts | undefined>
  /**
   * Takes an owner over whole, and does nothing of what is there already: a call that was cut off
   * is made again. Resolves when it is durable.
   *
   * @throws {RangeError} when the store holds other texts of the owner
   */
  takeOver(owned: OwnedTexts): Promise<void>
}
