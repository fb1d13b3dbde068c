/**
 * Makes of a password what it is checked against: slow on purpose, and it tells nothing of the
 * password.
 */
export interface PasswordHash {
  /** @returns text that names its own parameters */
  hash(password: string): Promise<string>
  /** @param hash undefined of nobody: then it is false, after the same time */
  isRight(password: string, hash: string | undefined): Promise<boolean>
}
