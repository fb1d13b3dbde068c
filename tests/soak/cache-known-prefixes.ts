/**
 * What can be in the cache at most, known from what was sent and not from what the workers say: a
 * block can come from the cache only if the same tenant has sent another prompt that begins with
 * the same tokens up to its end.
 */
import { createHash } from 'node:crypto'
import { BLOCK_TOKENS } from '@svc/contracts/ports/prefix-store'

export class KnownPrefixes {
  /** For each block the first attempt that sent it. */
  readonly #firstSenders = new Map<string, number>()
  #attempts = 0

  /** @returns the number of this attempt to have a prompt answered */
  send(tenant: string, tokens: readonly number[]): number {
    this.#attempts += 1
    for (const name of blockNames(tenant, tokens)) {
      if (!this.#firstSenders.has(name)) this.#firstSenders.set(name, this.#attempts)
    }
    return this.#attempts
  }

  /** Tokens that may have been cached for an attempt, now that it has ended. */
  cacheableTokens(attempt: number, tenant: string, tokens: readonly number[]): number {
    const names = blockNames(tenant, tokens)
    const unknown = names.findIndex((name) => this.#firstSenders.get(name) === attempt)
    return (unknown === -1 ? names.length : unknown) * BLOCK_TOKENS
  }
}

/** Of the whole blocks before the last token, which is always computed. */
function blockNames(tenant: string, tokens: readonly number[]): readonly string[] {
  const hash = createHash('sha256').update(`${tenant}\n`)
  const blocks = Math.floor((tokens.length - 1) / BLOCK_TOKENS)
  return Array.from({ length: blocks }, (_, block) => {
    const ids = tokens.slice(block * BLOCK_TOKENS, (block + 1) * BLOCK_TOKENS)
    return hash.update(Int32Array.from(ids)).copy().digest('base64')
  })
}
