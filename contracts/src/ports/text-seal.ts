/**
 * Seals text that leaves the service and comes back: a client carries it, cannot read it, cannot
 * change it, and cannot pass it on to another owner.
 */
export interface TextSeal {
  /**
   * @param owner who alone may open it, and as what, such as an account and a kind of text
   * @returns ASCII text without spaces; the same text sealed twice is not the same
   */
  seal(owner: readonly string[], text: string): string
  /** @returns undefined unless it is, to the last bit, what was sealed for this owner */
  open(owner: readonly string[], sealed: string): string | undefined
}
