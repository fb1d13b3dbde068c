/** PORT: links between people at an identity provider and users of the dashboard. */
export interface LinkedIdentity {
  /** The provider, as it names itself. */
  readonly issuer: string
  /** The provider's own name for the person: never used again for anybody else. */
  readonly subject: string
}

/** Each promise resolves when the change or the answer is durable. */
export interface LinkedIdentities {
  userOf(identity: LinkedIdentity): Promise<string | undefined>
  /** @returns whether the user has an identity of this provider */
  isLinked(userId: string, issuer: string): Promise<boolean>
  /** @returns false when somebody has the identity, or the user has another one of this provider */
  link(userId: string, identity: LinkedIdentity): Promise<boolean>
  /** @returns whether there was one */
  unlink(userId: string, issuer: string): Promise<boolean>
}
