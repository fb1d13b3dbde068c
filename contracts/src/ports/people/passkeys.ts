/** The passkeys of the users: public keys only. Times are milliseconds since 1970. */
export interface Passkey {
  /** Our own id of the passkey, for lists and events. */
  readonly passkeyId: string
  readonly userId: string
  /** The id that the authenticator gave it, base64url; unique among all users. */
  readonly credentialId: string
  /** The public key in COSE form. */
  readonly publicKey: Uint8Array<ArrayBuffer>
  /** The number of times it has signed, as it said last; always 0 for those that do not count. */
  readonly signCount: number
  /** The ways in which a browser reaches the authenticator, such as `internal` or `usb`. */
  readonly transports: readonly string[]
  readonly name: string
  readonly createdAt: number
  /** Null means never. */
  readonly lastUsedAt: number | null
}

export interface PasskeyUse {
  readonly signCount: number
  readonly at: number
}

/** Each promise resolves when the change or the answer is durable. */
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
