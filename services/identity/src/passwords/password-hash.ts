/** How a password becomes what it is checked against: slow on purpose, and tells nothing of it. */
export interface PasswordHash {
  /** @returns text that names its own parameters */
  hash(password: string): Promise<string>
  /** @param hash undefined of nobody: then it is false, after the same time */
  isRight(password: string, hash: string | undefined): Promise<boolean>
}
