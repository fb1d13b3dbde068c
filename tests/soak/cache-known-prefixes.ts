/**
 * What can be in the cache at most, known from what was sent and not from what the workers say: a
 * token can come from the cache only if the same tenant has sent another prompt that begins with
 * the same tokens up to it, or has got it as the answer to such a prompt.
 */

interface Sent {
  readonly attempt: number
  readonly tokens: readonly number[]
  /** Of its answer, once it has one. */
  answerTokens: number
}

export class KnownPrefixes {
  readonly #sent = new Map<string, Sent[]>()
  #attempts = 0

  /** @returns the number of this attempt to have a prompt answered */
  send(tenant: string, tokens: readonly number[]): number {
    this.#attempts += 1
    const sent = this.#sent.get(tenant) ?? []
    this.#sent.set(tenant, sent)
    sent.push({ attempt: this.#attempts, tokens, answerTokens: 0 })
    return this.#attempts
  }

  answered(attempt: number, tenant: string, answerTokens: number): void {
    const sent = this.#sent.get(tenant)?.find((each) => each.attempt === attempt)
    if (sent !== undefined) sent.answerTokens = answerTokens
  }

  /** Tokens that may have been cached for an attempt, now that it has ended. */
  cacheableTokens(attempt: number, tenant: string, tokens: readonly number[]): number {
    let most = 0
    for (const earlier of this.#sent.get(tenant) ?? []) {
      if (earlier.attempt >= attempt) break
      most = Math.max(most, sharedTokens(earlier, tokens))
    }
    return most
  }
}

/**
 * Without the last token of either, which is always computed alone. Which tokens an answer had is
 * not known here: the log probabilities tell whether they were these.
 */
function sharedTokens(earlier: Sent, tokens: readonly number[]): number {
  const most = Math.min(earlier.tokens.length + earlier.answerTokens, tokens.length) - 1
  let shared = 0
  while (shared < most && shared < earlier.tokens.length) {
    if (earlier.tokens[shared] !== tokens[shared]) return shared
    shared += 1
  }
  return most
}
