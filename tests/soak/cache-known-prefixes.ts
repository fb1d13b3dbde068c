/**
 * What can be in the cache at most, known from what was sent and not from what the workers say: a
 * token can come from the cache only if the same tenant has sent another prompt that begins with
 * the same tokens up to it.
 */

interface Sent {
  readonly attempt: number
  readonly tokens: readonly number[]
}

export class KnownPrefixes {
  readonly #sent = new Map<string, Sent[]>()
  #attempts = 0

  /** @returns the number of this attempt to have a prompt answered */
  send(tenant: string, tokens: readonly number[]): number {
    this.#attempts += 1
    const sent = this.#sent.get(tenant) ?? []
    this.#sent.set(tenant, sent)
    sent.push({ attempt: this.#attempts, tokens })
    return this.#attempts
  }

  /** Tokens that may have been cached for an attempt, now that it has ended. */
  cacheableTokens(attempt: number, tenant: string, tokens: readonly number[]): number {
    let most = 0
    for (const earlier of this.#sent.get(tenant) ?? []) {
      if (earlier.attempt >= attempt) break
      most = Math.max(most, sharedTokens(earlier.tokens, tokens))
    }
    return most
  }
}

/** Without the last token of either, which is always computed alone. */
function sharedTokens(one: readonly number[], other: readonly number[]): number {
  const most = Math.min(one.length, other.length) - 1
  let shared = 0
  while (shared < most && one[shared] === other[shared]) shared += 1
  return shared
}
