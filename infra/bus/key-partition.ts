/**
 * Tells in which partition a key is: murmur2 over its UTF-8 bytes, as in Kafka's own client for
 * Java. This is computed here and not by a client library, because libraries differ when the number
 * of partitions is no power of two, and a key that moved would lose its order.
 */

const SEED = 0x9747b28c
const MULTIPLIER = 0x5bd1e995
const ROTATION = 24
const POSITIVE = 0x7fffffff

/** @param partitions of the topic, a power of two */
export function keyPartition(key: string, partitions: number): number {
  return (murmur2(Buffer.from(key, 'utf8')) & POSITIVE) % partitions
}

export function isPowerOfTwo(count: number): boolean {
  return Number.isSafeInteger(count) && count > 0 && (count & (count - 1)) === 0
}

function murmur2(bytes: Buffer): number {
  const tail = bytes.length & ~3
  let hash = SEED ^ bytes.length
  for (let at = 0; at < tail; at += 4) {
    let word = Math.imul(bytes.readInt32LE(at), MULTIPLIER)
    word ^= word >>> ROTATION
    hash = Math.imul(hash, MULTIPLIER) ^ Math.imul(word, MULTIPLIER)
  }
  const left = bytes.length - tail
  if (left >= 3) hash ^= (bytes[tail + 2] ?? 0) << 16
  if (left >= 2) hash ^= (bytes[tail + 1] ?? 0) << 8
  if (left >= 1) hash = Math.imul(hash ^ (bytes[tail] ?? 0), MULTIPLIER)
  hash ^= hash >>> 13
  hash = Math.imul(hash, MULTIPLIER)
  return hash ^ (hash >>> 15)
}
