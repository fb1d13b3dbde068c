import { describe, expect, it } from 'vitest'
import { BLOCK_TOKENS } from '../engine/engine.ts'
import { blockHashes } from './block-hash.ts'

const tokens = Array.from({ length: 3 * BLOCK_TOKENS }, (_, index) => index)
const changed = tokens.with(5, 9)
const hashes = blockHashes('secret', 'fingerprint')

describe('names of blocks', () => {
  it('are the same for the same tokens of the same tenant', () => {
    expect(hashes.lastOf('t', tokens, 2)).toBe(hashes.lastOf('t', tokens.slice(0, 256), 2))
  })

  it('depend on all tokens before, the tenant, the secret and the model', () => {
    const names = [
      hashes.lastOf('t', tokens, 1),
      hashes.lastOf('t', tokens, 2),
      hashes.lastOf('t', changed, 2),
      hashes.lastOf('other', tokens, 2),
      blockHashes('other secret', 'fingerprint').lastOf('t', tokens, 2),
      blockHashes('secret', 'other').lastOf('t', tokens, 2),
    ]
    expect(new Set(names).size).toBe(names.length)
  })

  it('do not exist for no block', () => {
    expect(hashes.lastOf('t', tokens, 0)).toBeNull()
  })
})
