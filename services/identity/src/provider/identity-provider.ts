/** The provider that signs people in elsewhere, and tells whom. */
import type { LinkedIdentity } from '@svc/contracts/ports/linked-identities'

/** Ties the answer to the browser and to the question. None of it can be guessed. */
export interface ProviderQuestion {
  readonly state: string
  readonly nonce: string
  /** The verifier of PKCE: whoever sees the answer on its way cannot use it. */
  readonly verifier: string
}

export interface ProviderUser extends LinkedIdentity {
  /** The address in lower case; undefined when the provider does not say that it is theirs. */
  readonly email: string | undefined
  readonly displayName: string | undefined
}

export interface IdentityProvider {
  /** The words of the button. */
  readonly label: string
  /** The issuer as it stands in linked identities. */
  readonly issuer: string
  /** @throws {ServiceError} `provider_unavailable` */
  addressFor(question: ProviderQuestion): Promise<string>
  /**
   * @param answer the query with which the provider sent the browser back, from its `?` on
   * @throws {ServiceError} `provider_unavailable`; `sign_in_refused` for an answer that is
   *   not to this question, was used before, or that the provider did not sign
   */
  userOf(answer: string, question: ProviderQuestion): Promise<ProviderUser>
}
