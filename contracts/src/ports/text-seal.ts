/**
 * PORT: seals texts that clients carry for the service and send back. A client can neither read nor
 * change a sealed text, and nobody but its owner can use it.
 */
export interface TextSeal {
  /**
   * @param owner the account, and the kind of text: {@link open} needs the same
   * @returns ASCII text without spaces; the same text sealed twice is not the same
   */
  seal(owner: readonly string[], text: string): string
  /** @returns the text; undefined when it was changed, or sealed for another owner */
  open(owner: readonly string[], sealed: string): string | undefined
}
