/**
 * The Merkle tree of RFC 6962, section 2.1: hashes, paths and their verification. Pure; where the
 * nodes are kept is the business of whoever gives them.
 *
 *     hash of a leaf   SHA-256( 0x00 ‖ entry )
 *     hash of a node   SHA-256( 0x01 ‖ left ‖ right )
 *     hash of nothing  SHA-256( )
 */
import { hash } from 'node:crypto'

export const HASH_BYTES = 32
const LEAF = 0
const NODE = 1
/**
 * The bytes that are hashed are put together here again and again, because a log has two hashes for
 * each event.
 */
const leaf = Buffer.alloc(1 + HASH_BYTES, LEAF)
const node = Buffer.alloc(1 + 2 * HASH_BYTES, NODE)
export const EMPTY_ROOT: Buffer = hash('sha256', '', 'buffer')

/** @param entry in this log the 32 bytes of a hash */
export function leafHash(entry: Uint8Array): Buffer {
  if (entry.length !== HASH_BYTES) return sha256(Buffer.concat([Buffer.of(LEAF), entry]))
  leaf.set(entry, 1)
  return sha256(leaf)
}

/**
 * Does the same as {@link leafHash} for an entry in hex, into bytes that are there. It takes half
 * the time, because nothing is made on the way.
 */
export function writeLeafHash(entry: string, into: Buffer, at: number): void {
  if (entry.length !== 2 * HASH_BYTES || leaf.write(entry, 1, 'hex') !== HASH_BYTES) {
    into.set(leafHash(Buffer.from(entry, 'hex')), at)
    return
  }
  into.write(hash('sha256', leaf, 'latin1'), at, 'latin1')
}

/** @throws {RangeError} when one of them is no hash */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  checkRange(isHash(left) && isHash(right), 'a hash has 32 bytes')
  node.set(left, 1)
  node.set(right, 1 + HASH_BYTES)
  return sha256(node)
}

/** @param hashes of a complete subtree, a power of two of them @returns its root */
export function rootOfHashes(hashes: Uint8Array): Buffer {
  const level = Buffer.from(hashes)
  for (let pairs = hashes.length / HASH_BYTES / 2; pairs >= 1; pairs /= 2) {
    for (let pair = 0; pair < pairs; pair += 1) {
      const from = pair * 2 * HASH_BYTES
      level.copy(node, 1, from, from + 2 * HASH_BYTES)
      level.write(hash('sha256', node, 'latin1'), pair * HASH_BYTES, 'latin1')
    }
  }
  return level.subarray(0, HASH_BYTES)
}

/** Three times as fast as a digest that comes as a buffer. */
function sha256(bytes: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', bytes, 'latin1'), 'latin1')
}

/** The root of the complete subtree over the leaves from `index · 2^level` on. */
export type NodeOf = (level: number, index: number) => Uint8Array

/** The root of the first `size` leaves. */
export function rootOf(size: number, nodeOf: NodeOf): Uint8Array {
  return size === 0 ? EMPTY_ROOT : rangeHash(0, size, nodeOf)
}

/** Section 2.1.1: shows that a leaf is in the tree of the first `size` leaves. */
export function inclusionProof(index: number, size: number, nodeOf: NodeOf): Uint8Array[] {
  checkRange(index >= 0 && index < size, 'the leaf is not in the tree')
  const path: Uint8Array[] = []
  for (let [low, high] = [0, size]; high - low > 1; ) {
    const middle = low + splitOf(high - low)
    if (index < middle) {
      path.push(rangeHash(middle, high, nodeOf))
      high = middle
    } else {
      path.push(rangeHash(low, middle, nodeOf))
      low = middle
    }
  }
  return path.reverse()
}

/** Section 2.1.2: shows that the tree of `first` leaves is the beginning of that of `second`. */
export function consistencyProof(first: number, second: number, nodeOf: NodeOf): Uint8Array[] {
  checkRange(first >= 0 && first <= second, 'the first tree is larger than the second')
  if (first === 0) return []
  const path: Uint8Array[] = []
  let [low, high] = [0, second]
  while (first !== high) {
    const middle = low + splitOf(high - low)
    if (first <= middle) {
      path.push(rangeHash(middle, high, nodeOf))
      high = middle
    } else {
      path.push(rangeHash(low, middle, nodeOf))
      low = middle
    }
  }
  // The first tree itself is known to whoever verifies.
  if (low > 0) path.push(rangeHash(low, high, nodeOf))
  return path.reverse()
}

export interface InclusionClaim {
  readonly leaf: Uint8Array
  readonly index: number
  readonly size: number
  readonly root: Uint8Array
  readonly proof: readonly Uint8Array[]
}

/** RFC 9162, section 2.1.3.2. */
export function isIncluded({ leaf, index, size, root, proof }: InclusionClaim): boolean {
  if (!isSize(index) || !isSize(size) || index >= size || !proof.every(isHash)) return false
  let node: Uint8Array = leaf
  const isWhole = climb({ position: index, last: size - 1 }, proof, (sibling, side) => {
    node = side === 'left' ? nodeHash(sibling, node) : nodeHash(node, sibling)
  })
  return isWhole && isSame(node, root)
}

export interface ConsistencyClaim {
  readonly first: number
  readonly second: number
  readonly firstRoot: Uint8Array
  readonly secondRoot: Uint8Array
  readonly proof: readonly Uint8Array[]
}

/** RFC 9162, section 2.1.4.2. */
export function isConsistent(claim: ConsistencyClaim): boolean {
  const { first, second, firstRoot, secondRoot, proof } = claim
  if (!isSize(first) || !isSize(second) || first > second || !proof.every(isHash)) return false
  if (first === second) return proof.length === 0 && isSame(firstRoot, secondRoot)
  if (first === 0) return proof.length === 0 && isSame(firstRoot, EMPTY_ROOT)
  const place = { position: first - 1, last: second - 1 }
  while (place.position % 2 === 1) ascend(place)
  const [start, ...rest] = place.position === 0 ? [firstRoot, ...proof] : proof
  if (start === undefined) return false
  let [one, other]: [Uint8Array, Uint8Array] = [start, start]
  const isWhole = climb(place, rest, (sibling, side) => {
    if (side === 'left') one = nodeHash(sibling, one)
    other = side === 'left' ? nodeHash(sibling, other) : nodeHash(other, sibling)
  })
  return isWhole && isSame(one, firstRoot) && isSame(other, secondRoot)
}

/** A node of one level of the tree, and the last node of that level. */
interface NodePlace {
  position: number
  last: number
}

/** @returns whether the path has just as many hashes as lead from the node to the root */
function climb(
  place: NodePlace,
  path: readonly Uint8Array[],
  take: (sibling: Uint8Array, side: 'left' | 'right') => void,
): boolean {
  for (const sibling of path) {
    if (place.last === 0) return false
    if (place.position % 2 === 1 || place.position === place.last) {
      take(sibling, 'left')
      // The last node of a level can be the last of levels above, without a sibling there.
      while (place.position % 2 === 0) ascend(place)
    } else {
      take(sibling, 'right')
    }
    ascend(place)
  }
  return place.last === 0
}

function ascend(place: NodePlace): void {
  place.position = Math.floor(place.position / 2)
  place.last = Math.floor(place.last / 2)
}

/** Hashes leaves `low` to `high`, as the tree divides them: `low` is a multiple of its split. */
function rangeHash(low: number, high: number, nodeOf: NodeOf): Uint8Array {
  const count = high - low
  const level = Math.log2(count)
  if (Number.isInteger(level)) return nodeOf(level, low / count)
  const middle = low + splitOf(count)
  return nodeHash(rangeHash(low, middle, nodeOf), rangeHash(middle, high, nodeOf))
}

/** The largest power of two below `count`, which is 2 or more. */
function splitOf(count: number): number {
  return 2 ** Math.floor(Math.log2(count - 1))
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function isHash({ length }: Uint8Array): boolean {
  return length === HASH_BYTES
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}

function checkRange(holds: boolean, problem: string): void {
  if (!holds) throw new RangeError(problem)
}
