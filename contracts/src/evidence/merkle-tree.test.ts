import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  consistencyProof,
  EMPTY_ROOT,
  inclusionProof,
  isConsistent,
  isIncluded,
  leafHash,
  type NodeOf,
  nodeHash,
  rootOf,
  rootOfHashes,
  writeLeafHash,
} from './merkle-tree.ts'

/** The leaves and roots that Certificate Transparency publishes for RFC 6962. */
const entries = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657']
  .concat('606162636465666768696a6b6c6d6e6f')
  .map((hex) => Buffer.from(hex, 'hex'))
const roots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

/** Section 2.1, word by word. */
function naiveRoot(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves
  if (first === undefined) return EMPTY_ROOT
  if (leaves.length === 1) return first
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return nodeHash(naiveRoot(leaves.slice(0, split)), naiveRoot(leaves.slice(split)))
}

const nodesOver =
  (leaves: readonly Buffer[]): NodeOf =>
  (level, index) =>
    naiveRoot(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level))

test('roots are those that RFC 6962 has for known leaves', () => {
  const leaves = entries.map(leafHash)
  const found = roots.map((_, size) => Buffer.from(rootOf(size, nodesOver(leaves))).toString('hex'))
  expect(found).toEqual(roots)
})

const leavesOf = (count: number) => Array.from({ length: count }, (_, i) => leafHash(Buffer.of(i)))
const sizes = fc.integer({ min: 1, max: 80 })

test('a leaf that is written in place is the same, also of an entry that is no hash', () => {
  for (const entry of ['ab'.repeat(32), roots[3] ?? '', '', 'ab', 'xy'.repeat(32)]) {
    const into = Buffer.alloc(96, 7)
    writeLeafHash(entry, into, 32)
    const leaf = leafHash(Buffer.from(entry, 'hex'))
    expect(into).toEqual(Buffer.concat([Buffer.alloc(32, 7), leaf, Buffer.alloc(32, 7)]))
  }
})

test('the leaf of a hash is as the RFC says, whatever was hashed before', () => {
  for (const entry of [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]) {
    const expected = createHash('sha256').update(Buffer.of(0)).update(entry).digest()
    expect(leafHash(entry)).toEqual(expected)
    leafHash(Buffer.alloc(32, 3))
  }
})

test('a node is over two hashes, and a proof is of what is in the tree', () => {
  const [hash, short] = [Buffer.alloc(32), Buffer.alloc(31)]
  expect(() => nodeHash(hash, short)).toThrow(RangeError)
  expect(() => nodeHash(short, hash)).toThrow(RangeError)
  const nodes = nodesOver(leavesOf(4))
  expect(() => inclusionProof(4, 4, nodes)).toThrow(RangeError)
  expect(() => inclusionProof(-1, 4, nodes)).toThrow(RangeError)
  expect(() => consistencyProof(5, 4, nodes)).toThrow(RangeError)
  expect(() => consistencyProof(-1, 4, nodes)).toThrow(RangeError)
})

test.each([1, 2, 4, 64, 256])('the root of %i neighbours is that of their tree', (count) => {
  const leaves = leavesOf(count)
  const hashes = Buffer.concat(leaves)
  expect(rootOfHashes(hashes)).toEqual(naiveRoot(leaves))
  expect(hashes).toEqual(Buffer.concat(leaves))
})

test('a path with something that is no hash proves nothing', () => {
  const leaves = leavesOf(4)
  const root = naiveRoot(leaves)
  const [index, size, short] = [0, 4, Buffer.alloc(31)]
  const proof = [short, nodeHash(leaves[2] ?? short, leaves[3] ?? short)]
  expect(isIncluded({ leaf: leaves[0] ?? short, index, size, root, proof })).toBe(false)
  const claim = { first: 2, second: 4, firstRoot: root, secondRoot: root }
  expect(isConsistent({ ...claim, proof: [short] })).toBe(false)
})

describe('inclusion', () => {
  test('of every leaf in every tree is proven', () => {
    const leaves = leavesOf(40)
    for (let size = 1; size <= leaves.length; size += 1) {
      const root = naiveRoot(leaves.slice(0, size))
      for (let index = 0; index < size; index += 1) {
        const proof = inclusionProof(index, size, nodesOver(leaves.slice(0, size)))
        const leaf = leaves[index] ?? Buffer.alloc(0)
        expect(isIncluded({ leaf, index, size, root, proof })).toBe(true)
      }
    }
  })

  test('of another leaf, place, size or path is not', () => {
    const cases = fc.tuple(sizes, fc.nat(), fc.nat(), fc.nat({ max: 255 }), fc.nat({ max: 4 }))
    fc.assert(
      fc.property(cases, ([size, at, where, bit, kind]) => {
        const leaves = leavesOf(size)
        const index = at % size
        const root = naiveRoot(leaves)
        const proof = inclusionProof(index, size, nodesOver(leaves)).map((hash) =>
          Buffer.from(hash),
        )
        const leaf = leaves[index] ?? Buffer.alloc(0)
        const claim = { leaf, index, size, root, proof }
        const altered = [
          { ...claim, leaf: flipped(leaf, bit) },
          { ...claim, index: size === 1 ? 1 : (index + 1 + (where % (size - 1))) % size },
          { ...claim, root: flipped(root, bit) },
          { ...claim, proof: [...proof, root] },
          { ...claim, proof: proof.length === 0 ? [root] : proof.slice(1) },
        ][kind]
        return altered === undefined || !isIncluded(altered)
      }),
    )
  })
})

/** Each would hold if one condition were not looked at, because an operator picks the roots. */
describe('a claim that was made to fit', () => {
  const [leaf, sibling] = leavesOf(2) as [Buffer, Buffer]
  const root = nodeHash(leaf, sibling)
  const within = { leaf, index: 0, size: 2, root, proof: [sibling] }

  test('the untouched one holds', () => {
    expect(isIncluded(within)).toBe(true)
  })

  test.each([
    { index: -1 },
    { index: 0.5 },
    { size: 1.5 },
    { index: 1, size: 1, root: leaf, proof: [] },
    { size: 1, root: nodeHash(sibling, leaf) },
  ])('of inclusion, %j, does not', (changes) => {
    expect(isIncluded({ ...within, ...changes })).toBe(false)
  })

  const empty = { first: 0, second: 1, firstRoot: EMPTY_ROOT, secondRoot: leaf, proof: [] }
  test.each([
    { ...empty, firstRoot: leaf },
    { ...empty, proof: [leaf] },
    { ...empty, second: 0.5 },
    { ...empty, first: 1, firstRoot: leaf, proof: [leaf] },
    { ...empty, first: 2, firstRoot: leaf },
    { ...empty, first: 0.5, firstRoot: leaf, proof: [leaf] },
    { ...empty, first: 3, second: 4 },
    { ...empty, first: 1, second: 2, firstRoot: leaf, secondRoot: leaf },
  ])('of consistency, %j, does not', (claim) => {
    expect(isConsistent(empty)).toBe(true)
    expect(isConsistent(claim)).toBe(false)
  })
})

describe('consistency', () => {
  test('of every two trees of one log is proven', () => {
    const leaves = leavesOf(40)
    for (let second = 0; second <= leaves.length; second += 1) {
      for (let first = 0; first <= second; first += 1) {
        const proof = consistencyProof(first, second, nodesOver(leaves))
        const firstRoot = naiveRoot(leaves.slice(0, first))
        const secondRoot = naiveRoot(leaves.slice(0, second))
        expect(isConsistent({ first, second, firstRoot, secondRoot, proof })).toBe(true)
      }
    }
  })

  test('of a log whose past was rewritten is not', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), (second, at, which) => {
        const first = 1 + (at % second)
        const leaves = leavesOf(second)
        const rewritten = leaves.with(which % first, leafHash(Buffer.from('another')))
        const proof = consistencyProof(first, second, nodesOver(rewritten))
        const firstRoot = naiveRoot(leaves.slice(0, first))
        return !isConsistent({ first, second, firstRoot, secondRoot: naiveRoot(rewritten), proof })
      }),
    )
  })
})

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return copy
}
