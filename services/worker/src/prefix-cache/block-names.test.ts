import { describe, expect, it } from 'vitest'
import { anyTokenSchedule, canonicalSchedule } from '../engines/prompt-schedule.ts'
import {
  blockNames,
  blocksOf,
  kindOfName,
  namesEvery,
  noBlocks,
  sharedTokens,
  tokensOf,
} from './block-names.ts'

const canonical = canonicalSchedule(64)
const { blockTokens: BLOCK_TOKENS } = canonical
const tokens = Array.from({ length: 3 * BLOCK_TOKENS + 1 }, (_, index) => index)
const changed = tokens.with(5, 9)
const names = blockNames('secret', 'fingerprint', canonical)
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
      ...blockNames('other secret', 'fingerprint', canonical).chain('t', tokens).names,
      ...blockNames('secret', 'other', canonical).chain('t', tokens).names,
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

describe('a prompt that can be cut after any token', () => {
  const anywhere = blockNames('secret', 'fingerprint', anyTokenSchedule(64))
  const chain = (length: number) => anywhere.chain('t', tokens.slice(0, length))

  it('has smaller blocks, and one for what is left, up to its last token', () => {
    expect([1, 2, 33, 34, 100].map((length) => chain(length).names.length)).toEqual([0, 1, 1, 2, 4])
    expect(chain(100).names.slice(0, 3)).toEqual(chain(98).names.slice(0, 3))
    expect(chain(100).names[3]).not.toBe(chain(98).names[3])
  })

  it('knows which tokens its blocks stand for', () => {
    const one = chain(100)
    expect([0, 1, 3, 4, 5].map((blocks) => tokensOf(one, blocks))).toEqual([0, 32, 96, 99, 99])
    expect([0, 31, 32, 98, 99].map((tokens) => blocksOf(one, tokens))).toEqual([0, 0, 1, 3, 4])
  })

  it('shares tokens with another of the tenant, as far as both can be reused', () => {
    const forked = anywhere.chain('t', tokens.slice(0, 200).with(77, 9))
    expect(sharedTokens(chain(150), forked, 199)).toBe(77)
    expect(sharedTokens(chain(70), forked, 199)).toBe(69)
    expect(sharedTokens(chain(33), chain(20), 19)).toBe(19)
    expect(sharedTokens(chain(150), forked, 40)).toBe(40)
    expect(sharedTokens(chain(150), chain(150), 149)).toBe(149)
    expect(sharedTokens(chain(150), anywhere.chain('other', tokens), 300)).toBe(0)
    const whole = names.chain('t', tokens.slice(0, 300))
    expect(sharedTokens(whole, whole, 256)).toBe(256)
    expect(sharedTokens(whole, names.chain('t', tokens.slice(0, 290).with(200, 1)), 256)).toBe(128)
  })

  it('shares nothing with one of the other kind, short or long', () => {
    expect(sharedTokens(chain(33), chain(34), 33)).toBe(0)
    expect(sharedTokens(chain(34), chain(33), 32)).toBe(0)
    expect(chain(34).names[0]).toBe(chain(300).names[0])
    expect(chain(33).names[0]).not.toBe(chain(34).names[0])
  })

  it('tells its kind by the names of its blocks', () => {
    for (const [length, kind] of [
      [2, 'short'],
      [33, 'short'],
      [34, 'long'],
      [300, 'long'],
    ] as const) {
      expect(chain(length).kind).toBe(kind)
      for (const name of chain(length).names) {
        expect(kindOfName(name)).toBe(kind)
        expect(name).toMatch(/^[0-9a-f]{32}$/)
      }
    }
  })

  it('tells the names of some blocks only', () => {
    const { names } = chain(300)
    expect(namesEvery(chain(300), 128)).toEqual([names[3], names[7]])
  })
})
