/**
 * Blocks in a Redis that workers share: their L2. Redis 6.2 or later, one server; a cluster is not
 * spoken to. It needs no persistence, and should have a `maxmemory` with a policy that evicts.
 *
 * A block that is read lives on for another while, and dies when it was not read for that long. The
 * lengths of a chain are asked for first: so nothing is read beyond what is there, each reading has
 * a bounded size, and a value that is larger than any block of ours is never taken into memory.
 *
 * A block is written when nothing, or nothing of ours, lies under its name. Two workers that write
 * the same one at once write the same content.
 *
 * Nothing here throws because of the server, and nothing waits long for it: see
 * {@link RedisConnection}. A value that is not what its name says is removed, and was never there.
 */
import { randomInt } from 'node:crypto'
import type {
  PrefixBlock,
  PrefixClaim,
  PrefixStore,
  PrefixStoreUsage,
} from '@svc/contracts/ports/prefix-store'
import type { Clock } from '@svc/contracts/ports/time'
import { steadyClock } from '../../system/steady-clock.ts'
import { groupsOf } from './block-groups.ts'
import { BlockKeys } from './block-keys.ts'
import { KeyScan } from './key-scan.ts'
import { takeClaim } from './redis-claims.ts'
import { type OnProblem, type RedisCommand, RedisConnection } from './redis-connection.ts'
import { isWriteRefusal, isWrongType, type RedisReply } from './redis-reply.ts'
import { BlockSeal, SEAL_OVERHEAD_BYTES } from './sealed-block.ts'
import { TenantQuota } from './tenant-quota.ts'

const MIB = 1024 * 1024
const DEFAULT_BLOCK_TTL_MS = 900_000
/**
 * The most bytes of a block: one value of this size holds up the event loop for some milliseconds.
 */
const DEFAULT_BLOCK_BYTES_MAX = 4 * MIB
const DEFAULT_TENANT_BYTES_MAX = 1024 * MIB
/**
 * The most bytes that are read at once: they come in one piece over the connection, within the
 * budget of one call.
 */
const READ_BYTES_MAX = 8 * MIB
/**
 * The most bytes that are written at once. They are fewer, because writing is done beside
 * answering, and a piece is sealed without a pause.
 */
const WRITE_BYTES_MAX = 4 * MIB
/** The most blocks of a chain: those of a prompt of 131,072 tokens, 32 to a block. */
const CHAIN_BLOCKS_MAX = 4_096

export interface RedisPrefixStoreOptions {
  readonly url: string
  /** What our keys begin with. */
  readonly keyPrefix: string
  /** Covers all that the bytes of a block depend on, beside the tokens. */
  readonly fingerprint: string
  /** The secret that blocks are sealed with: the same for all workers that share them. */
  readonly secret: string | Uint8Array
  /** How long a block lives after it was written or read. */
  readonly blockTtlMs?: number | undefined
  /** The most bytes of a block's keys and values. */
  readonly blockBytesMax?: number | undefined
  /** See {@link TenantQuota}. */
  readonly tenantBytesMax?: number | undefined
  readonly onProblem: OnProblem
  readonly clock?: Clock | undefined
  /** How long a call to the server may take. */
  readonly callWithinMs?: number | undefined
}

interface SizedName {
  readonly name: string
  /** The bytes of the sealed value. */
  readonly size: number
}

interface SizedBlock {
  readonly block: PrefixBlock
  readonly size: number
}

/**
 * Opens the store without waiting for the server.
 *
 * @throws {StoreOpenError} when the address makes no sense
 */
export function openRedisPrefixStore(options: RedisPrefixStoreOptions): PrefixStore {
  return new RedisPrefixStore(options)
}

class RedisPrefixStore implements PrefixStore {
  readonly #connection: RedisConnection
  readonly #keys: BlockKeys
  readonly #seal: BlockSeal
  readonly #quota: TenantQuota
  readonly #scan: KeyScan
  readonly #ttlMs: number
  readonly #blockBytesMax: number
  readonly #counts = { hits: 0, misses: 0, writes: 0, refused: 0, failures: 0, corrupt: 0 }

  constructor({
    url,
    keyPrefix,
    fingerprint,
    secret,
    blockTtlMs = DEFAULT_BLOCK_TTL_MS,
    blockBytesMax = DEFAULT_BLOCK_BYTES_MAX,
    tenantBytesMax: bytesMax = DEFAULT_TENANT_BYTES_MAX,
    onProblem,
    clock = steadyClock,
    callWithinMs,
  }: RedisPrefixStoreOptions) {
    const connection = new RedisConnection({ url, clock, onProblem, callWithinMs })
    const keys = new BlockKeys({ keyPrefix, fingerprint, secret })
    this.#connection = connection
    this.#keys = keys
    this.#seal = new BlockSeal(secret, fingerprint)
    this.#quota = new TenantQuota({ connection, keys, bytesMax, spanMs: blockTtlMs, clock })
    this.#scan = new KeyScan(connection, keys.blockPattern)
    this.#ttlMs = blockTtlMs
    this.#blockBytesMax = blockBytesMax
  }

  async get(names: readonly string[], signal?: AbortSignal): Promise<readonly PrefixBlock[]> {
    const found: PrefixBlock[] = []
    const here = await this.#leading(names, signal)
    for (const group of groupsOf(here, READ_BYTES_MAX)) {
      const opened = await this.#read(group, signal)
      found.push(...opened)
      if (opened.length < group.length) break
    }
    this.#counts.hits += found.length
    this.#counts.misses += names.length - found.length
    return found
  }

  async has(names: readonly string[]): Promise<number> {
    return (await this.#leading(names)).length
  }

  async put(tenant: string, blocks: readonly PrefixBlock[]): Promise<void> {
    const isTooLarge = ({ bytes }: PrefixBlock) => bytes.byteLength > this.#blockBytesMax
    const tooLargeAt = blocks.findIndex(isTooLarge)
    const fitting = blocks.slice(0, tooLargeAt === -1 ? CHAIN_BLOCKS_MAX : tooLargeAt)
    this.#counts.refused += blocks.length - fitting.length
    const missing = await this.#missing(fitting)
    if (missing.length === 0) return
    const count = await this.#quota.take(
      tenant,
      missing.map(({ size }) => size),
    )
    if (count === undefined) return this.#fail()
    await this.#write(missing.slice(0, count))
    this.#counts.refused += missing.length - count
  }

  async remove(name: string): Promise<void> {
    const outcome = await this.#connection.call([['UNLINK', this.#keys.block(name)]])
    if (outcome.kind === 'failed') this.#fail()
  }

  async sample(limit: number): Promise<readonly string[]> {
    const count = Math.max(0, Math.floor(limit))
    const keys = count === 0 ? [] : await this.#scan.next(count)
    if (keys === undefined) this.#fail()
    const names = (keys ?? []).map((key) => this.#keys.nameOf(key))
    while (names.length > count) names.splice(randomInt(names.length), 1)
    return names
  }

  async claim(name: string, forMs: number): Promise<PrefixClaim | null> {
    const claim = await takeClaim(this.#connection, this.#keys.claim(name), forMs)
    if (claim !== undefined) return claim
    this.#fail()
    return { release: async () => {} }
  }

  /**
   * Tells nothing but counts of this process. How much lies in Redis is known there, and not to one
   * of those who use it: 0.
   */
  usage(): PrefixStoreUsage {
    return { blocks: 0, bytes: 0, bytesMax: 0, evictions: 0, ...this.#counts }
  }

  close(): Promise<void> {
    return this.#connection.close()
  }

  /** Finds what is there of the beginning of a chain, by its length alone. */
  async #leading(names: readonly string[], signal?: AbortSignal): Promise<readonly SizedName[]> {
    const chain = names.slice(0, CHAIN_BLOCKS_MAX)
    const lengths = await this.#lengths(chain, signal)
    const found: SizedName[] = []
    for (const [at, name] of chain.entries()) {
      const length = lengths[at] ?? 0
      if (this.#isForeign(length)) await this.#discard(name)
      if (typeof length !== 'number' || length === 0 || this.#isForeign(length)) break
      found.push({ name, size: length })
    }
    return found
  }

  async #missing(blocks: readonly PrefixBlock[]): Promise<readonly SizedBlock[]> {
    const lengths = await this.#lengths(blocks.map(({ name }) => name))
    const missing = blocks.filter((_, at) => lengths[at] === 0 || this.#isForeign(lengths[at]))
    return missing.map((block) => ({ block, size: block.bytes.byteLength + SEAL_OVERHEAD_BYTES }))
  }

  /** @returns nothing when the call failed */
  async #lengths(names: readonly string[], signal?: AbortSignal): Promise<readonly RedisReply[]> {
    const ask = names.map((name): RedisCommand => ['STRLEN', this.#keys.block(name)])
    const outcome = await this.#connection.call(ask, { signal })
    if (outcome.kind === 'failed') this.#fail()
    return outcome.kind === 'answered' ? outcome.replies : []
  }

  /** Whether what is there cannot be a block of ours. */
  #isForeign(length: RedisReply | undefined): boolean {
    if (typeof length !== 'number') return isWrongType(length)
    return length > this.#blockBytesMax + SEAL_OVERHEAD_BYTES
  }

  /** Reads values and opens them, up to the first that is not what it should be. */
  async #read(group: readonly SizedName[], signal?: AbortSignal): Promise<readonly PrefixBlock[]> {
    const outcome = await this.#connection.call(
      group.map(({ name }) => ['GETEX', this.#keys.block(name), 'PX', this.#ttlMs]),
      { signal },
    )
    if (outcome.kind === 'failed') this.#fail()
    if (outcome.kind !== 'answered') return []
    const opened: PrefixBlock[] = []
    for (const [at, { name }] of group.entries()) {
      const value = outcome.replies[at]
      const block = Buffer.isBuffer(value) ? this.#seal.open(name, value) : undefined
      if (block === undefined) {
        if (Buffer.isBuffer(value) || isWrongType(value)) await this.#discard(name)
        break
      }
      opened.push(block)
    }
    return opened
  }

  async #write(blocks: readonly SizedBlock[]): Promise<void> {
    let left = blocks.length
    for (const group of groupsOf(blocks, WRITE_BYTES_MAX)) {
      const outcome = await this.#connection.call(
        group.map(({ block }) => {
          return ['SET', this.#keys.block(block.name), this.#seal.seal(block), 'PX', this.#ttlMs]
        }),
      )
      if (outcome.kind !== 'answered') return this.#fail()
      const written = outcome.replies.filter((reply) => Buffer.isBuffer(reply)).length
      this.#counts.writes += written
      left -= written
      if (outcome.replies.some(isWriteRefusal)) {
        this.#counts.refused += left
        return
      }
    }
  }

  async #discard(name: string): Promise<void> {
    this.#counts.corrupt += 1
    await this.#connection.call([['UNLINK', this.#keys.block(name)]])
  }

  #fail(): void {
    this.#counts.failures += 1
  }
}
