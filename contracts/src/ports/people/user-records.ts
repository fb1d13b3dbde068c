/**
 * Who the users of the dashboard are: what can be erased. The log knows a user by an id alone; this
 * is the one place that says whose it is. What is lost here cannot be built again from the log.
 */
export interface UserRecord {
  readonly userId: string
  /** In lower case, and of one user only. */
  readonly email: string
  readonly displayName: string
  /** What a password is checked against; it tells nothing of the password. */
  readonly passwordHash: string
}

/** Each promise resolves when what it says is durable. */
export interface UserRecords {
  find(userId: string): Promise<UserRecord | undefined>
  findByEmail(email: string): Promise<UserRecord | undefined>
  /** @returns false when the e-mail address is another user's: then nothing has changed */
  add(record: UserRecord): Promise<boolean>
  /** @returns whether there is such a user */
  change(
    userId: string,
    fields: Partial<Pick<UserRecord, 'displayName' | 'passwordHash'>>,
  ): Promise<boolean>
  /** Nothing of it can be read any more, in the file either. @returns whether there was one */
  erase(userId: string): Promise<boolean>
  close(): Promise<void>
}
