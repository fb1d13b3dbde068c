/**
 * Who the users of the dashboard are, and what they sign in with: what can be erased. The log knows
 * a user by an id alone; this is the one place that says whose it is. What is lost here cannot be
 * built again from the log.
 */
import type { LinkedIdentities } from './linked-identities.ts'
import type { Passkeys } from './passkeys.ts'

/** The longest address that the protocol of mail takes. */
export const EMAIL_CHARACTERS_MAX = 254
/** Whoever shows an address shows it beside others: it steers no terminal, and turns no text. */
export const EMAIL_ADDRESS =
  /^[^\s@<>"\p{Cc}\u202a-\u202e\u2066-\u2069]+@[^\s@<>"\p{Cc}\u202a-\u202e\u2066-\u2069]+$/u

export interface UserRecord {
  readonly userId: string
  /** The address in lower case. It is of one user only. */
  readonly email: string
  readonly displayName: string
  /**
   * The hash that a password is checked against; it tells nothing of the password. It is null for a
   * user who has none and signs in another way.
   */
  readonly passwordHash: string | null
}

/** Each promise resolves when the change or the answer is durable. */
export interface UserRecords {
  readonly passkeys: Passkeys
  readonly identities: LinkedIdentities
  find(userId: string): Promise<UserRecord | undefined>
  findByEmail(email: string): Promise<UserRecord | undefined>
  /** @returns false when the e-mail address is another user's: then nothing has changed */
  add(record: UserRecord): Promise<boolean>
  /** @returns whether there is such a user */
  change(
    userId: string,
    fields: Partial<Pick<UserRecord, 'displayName' | 'passwordHash'>>,
  ): Promise<boolean>
  /** @returns false when the user has another password than the one before: nothing has changed */
  replacePassword(userId: string, before: string, after: string): Promise<boolean>
  /**
   * Erases the record, with the passkeys and the linked identities of the user. Nothing of it can
   * be read any more, in the file either.
   *
   * @returns whether there was one
   */
  erase(userId: string): Promise<boolean>
  close(): Promise<void>
}
