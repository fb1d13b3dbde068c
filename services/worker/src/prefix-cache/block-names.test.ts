import { BLOCK_TOKENS } from '@svc/contracts/ports/prefix-store'
import { describe, expect, it } from 'vitest'
import { blockNames, noBlocks } from './block-names.ts'

const tokens = Array.from({ length: 3 * BLOCK_TOKENS + 1 }, (_, index) => index)
const changed = tokens.with(5, 9)
const names = blockNames('secret', 'fingerprint')
const of = (tenant: string, prompt: readonly number[]) => names.chain(tenant, prompt).names

describe('names of blocks', () => {
  it('are the same for the same tokens of the same tenant', () => {
    expect(of('t', tokens)).toHaveLength(3)
    expect(of('t', tokens.slice(0, 300))).toEqual(of('t', tokens).slice(0, 2))
  })

  it('depend on all tokens before, the tenant, the secret and the model', () => {
    const all = [
      ...of('t', tokens),
      ...of('t', changed),
      ...of('other', tokens),
      ...blockNames('other secret', 'fingerprint').chain('t', tokens).names,
      ...blockNames('secret', 'other').chain('t', tokens).names,
    ]
    expect(new Set(all).size).toBe(15)
    for (const name of all) expect(name).toMatch(/^[0-9a-f]{32}$/)
  })

  it('leave out the block of the last token, which is always computed', () => {
    expect(of('t', tokens.slice(0, BLOCK_TOKENS))).toEqual([])
    expect(of('t', tokens.slice(0, BLOCK_TOKENS + 1))).toHaveLength(1)
  })

  it('do not exist without a cache', () => {
    expect(noBlocks.chain('t', tokens).names).toEqual([])
  })
})
