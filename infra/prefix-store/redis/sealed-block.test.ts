import type { PrefixBlock } from '@svc/contracts/ports/prefix-store'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeChain, newName, plain } from '../testing/chains.ts'
import { BlockSeal, SEAL_OVERHEAD_BYTES } from './sealed-block.ts'

const seal = new BlockSeal('a secret', 'a model on a build')

function makeBlock(blockBytes = 64): PrefixBlock {
  const [block] = makeChain({ blocks: 1, blockBytes, parent: newName() })
  if (block === undefined) throw new Error('a chain of one block')
  return block
}

/** The end of a prompt: fewer tokens than a block has. */
function shortBlock(): PrefixBlock {
  return { ...makeBlock(), tokens: Int32Array.of(5, -1, 7) }
}

describe('a sealed block', () => {
  test('opens to what was sealed', () => {
    const blocks = [makeBlock(), makeBlock(0), { ...makeBlock(), parent: null }, shortBlock()]
    const extremes = Int32Array.from({ length: 128 }, (_, at) =>
      at % 2 ? -(2 ** 31) : 2 ** 31 - 1,
    )
    for (const block of [...blocks, { ...makeBlock(), tokens: extremes }]) {
      const sealed = seal.seal(block)
      expect(sealed.length).toBe(block.bytes.length + SEAL_OVERHEAD_BYTES)
      const opened = seal.open(block.name, sealed)
      expect(plain(opened === undefined ? [] : [opened])).toEqual(plain([block]))
    }
  })

  test('is another each time', () => {
    const block = makeBlock()
    expect(seal.seal(block).equals(seal.seal(block))).toBe(false)
  })

  test('does not open when any bit of it was changed', () => {
    const block = makeBlock()
    const sealed = seal.seal(block)
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const altered = Buffer.from(sealed)
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(seal.open(block.name, altered), `bit ${bit}`).toBeUndefined()
    }
  })

  test('does not open at any other length', () => {
    const block = makeBlock()
    const sealed = seal.seal(block)
    for (let length = 0; length < sealed.length; length += 1) {
      expect(seal.open(block.name, sealed.subarray(0, length)), `${length}`).toBeUndefined()
    }
    expect(seal.open(block.name, Buffer.concat([sealed, Buffer.alloc(1)]))).toBeUndefined()
  })

  test('opens under its own name, secret and fingerprint only', () => {
    const block = makeBlock()
    const sealed = seal.seal(block)
    expect(seal.open(newName(), sealed)).toBeUndefined()
    for (const other of [
      new BlockSeal('another secret', 'a model on a build'),
      new BlockSeal('a secret', 'a model on another build'),
      new BlockSeal('a secret', ''),
    ]) {
      expect(other.open(block.name, sealed)).toBeUndefined()
    }
    const same = new BlockSeal(Buffer.from('a secret'), 'a model on a build')
    expect(same.open(block.name, sealed)).toBeDefined()
  })

  test('nothing else opens', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000, size: 'max' }), (bytes) => {
        bytes[0] = 1
        expect(seal.open(newName(), Buffer.from(bytes))).toBeUndefined()
      }),
    )
  })
})
