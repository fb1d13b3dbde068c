/**
 * Names blocks of 128 prompt tokens by a keyed hash chain: a block's name depends on all tokens
 * before it, on the tenant and on the fingerprint of the model. Nobody without the key can tell
 * from a name what the tokens were, or whether two tenants sent the same.
 */
import { createHmac } from 'node:crypto'
import { BLOCK_TOKENS } from '../engine/engine.ts'

const CHAIN_START = 'pc1|'
const HASH_BYTES_KEPT = 16

export interface BlockHashes {
  /** The name of the last of the first `blocks` blocks, in hex, or null for no block. */
  lastOf(tenant: string, tokens: readonly number[], blocks: number): string | null
}

/** @param secret keeps the names comparable between workers and restarts that share it */
export function blockHashes(secret: string | Uint8Array, fingerprint: string): BlockHashes {
  return {
    lastOf(tenant, tokens, blocks) {
      if (blocks === 0) return null
      const salt = createHmac('sha256', secret).update(tenant).digest()
      let hash = createHmac('sha256', salt).update(`${CHAIN_START}${fingerprint}`).digest()
      for (let block = 0; block < blocks; block += 1) {
        const ids = Int32Array.from(tokens.slice(block * BLOCK_TOKENS, (block + 1) * BLOCK_TOKENS))
        hash = createHmac('sha256', salt).update(hash).update(littleEndian(ids)).digest()
      }
      return hash.toString('hex', 0, HASH_BYTES_KEPT)
    },
  }
}

function littleEndian(ids: Int32Array): Buffer {
  const bytes = Buffer.alloc(ids.length * 4)
  ids.forEach((id, index) => {
    bytes.writeInt32LE(id, index * 4)
  })
  return bytes
}
