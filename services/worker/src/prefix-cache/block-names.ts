/**
 * Names blocks of 128 prompt tokens by a keyed hash chain: a block's name depends on all tokens
 * before it, on the tenant and on the fingerprint of the model. Nobody without the key can tell
 * from a name what the tokens were, or whether two tenants sent the same; and who has another
 * prompt, another tenant or another model has other names, so finding a block by its name is all
 * the comparing that reuse needs.
 */
import { createHmac } from 'node:crypto'
import { BLOCK_TOKENS } from '@svc/contracts/ports/prefix-store'

const CHAIN_START = 'pc1|'
const NAME_BYTES = 16

/** A prompt as the cache sees it. */
export interface Chain {
  readonly tenant: string
  readonly tokens: readonly number[]
  /**
   * Its blocks that can be reused, the earliest first. The block of the last token is not among
   * them: that token is always computed, because the first draw needs its result.
   */
  readonly names: readonly string[]
}

export interface BlockNames {
  chain(tenant: string, tokens: readonly number[]): Chain
}

/** @param secret keeps the names comparable between workers and restarts that share it */
export function blockNames(secret: string | Uint8Array, fingerprint: string): BlockNames {
  return {
    chain(tenant, tokens) {
      const salt = createHmac('sha256', secret).update(tenant).digest()
      let hash = createHmac('sha256', salt).update(`${CHAIN_START}${fingerprint}`).digest()
      const names: string[] = []
      const ids = littleEndian(tokens)
      for (let end = BLOCK_TOKENS; end < tokens.length; end += BLOCK_TOKENS) {
        const block = ids.subarray(4 * (end - BLOCK_TOKENS), 4 * end)
        hash = createHmac('sha256', salt).update(hash).update(block).digest()
        names.push(hash.toString('hex', 0, NAME_BYTES))
      }
      return { tenant, tokens, names }
    },
  }
}

/** How many leading names are the same. */
export function sharedLength(one: readonly string[], other: readonly string[]): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

/** No block can be reused: for a model whose memory cannot be taken apart. */
export const noBlocks: BlockNames = {
  chain: (tenant, tokens) => ({ tenant, tokens, names: [] }),
}

function littleEndian(ids: readonly number[]): Buffer {
  const bytes = Buffer.alloc(ids.length * 4)
  ids.forEach((id, index) => {
    bytes.writeInt32LE(id, index * 4)
  })
  return bytes
}
