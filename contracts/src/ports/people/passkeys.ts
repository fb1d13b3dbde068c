/** The passkeys of the users: public keys only. Times are milliseconds since 1970. */
export interface Passkey {
  /** Of ours, for lists and events. */
  readonly passkeyId: string
  readonly userId: string
  /** As the authenticator calls it, base64url; unique among all users. */
  readonly credentialId: string
  /** In COSE form. */
  readonly publicKey: Uint8Array<ArrayBuffer>
  /** How often it has signed, as it said last; always 0 for those that do not count. */
  readonly signCount: number
  /** How a browser reaches the authenticator, such as `internal` or `usb`. */
  readonly transports: readonly string[]
  readonly name: string
  readonly createdAt: number
  /** Null: never. */
  readonly lastUsedAt: number | null
}

export interface PasskeyUse {
  readonly signCount: number
  readonly at: number
}

/** Each promise resolves when what it says is durable. */
export interface Passkeys {
  /** @returns false when the credential is there already, or the user has `max` */
  add(passkey: Passkey, max: number): Promise<boolean>
  findByCredential(credentialId: string): Promise<Passkey | undefined>
  /** The oldest first. */
  list(userId: string): Promise<readonly Passkey[]>
  /**
   * @returns false when the count is not above the one before, although the authenticator counts:
   *   then another copy of the key has signed, and nothing has changed
   */
  noteUse(passkeyId: string, use: PasskeyUse): Promise<boolean>
  /** @returns whether this user has it */
  rename(userId: string, passkeyId: string, name: string): Promise<boolean>
  /** @returns whether this user had it */
  remove(userId: string, passkeyId: string): Promise<boolean>
}
