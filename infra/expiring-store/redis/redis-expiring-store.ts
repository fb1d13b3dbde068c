/**
 * An expiring store in a Redis that several gateways share, so that each of them finds what another
 * has kept. What lies there is sealed, and its names are keyed hashes: who reads that Redis learns
 * how many texts an account has, and neither whose they are nor what they say.
 *
 *     PREFIXk:KIND:at:ACCOUNT/NAME  hash   s sealed text · e when it expires
 *     PREFIXk:KIND:of:ACCOUNT       sorted texts of an account, the oldest first
 *     PREFIXk:KIND:sizes:ACCOUNT    hash   what each of them counts for, in bytes
 *     PREFIXk:KIND:expiry           sorted ACCOUNT/NAME of all texts, by their expiry
 *     PREFIXk:KIND:room             sorted accounts by the bytes that they use
 *     PREFIXk:KIND:total            number bytes of all together
 *
 * Redis may throw any of it away. A text that is gone was never kept; a count that is gone begins
 * again, and then the bound on the server's own memory holds. One script makes each change, so
 * gateways never see half of one. It names keys that it finds in the counts, which one server
 * allows and a cluster does not.
 */
import { createHmac, hkdfSync } from 'node:crypto'
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import {
  type OnProblem,
  type RedisCommand,
  RedisConnection,
} from '../../prefix-store/redis/redis-connection.ts'
import { isErrorReply, type RedisReply } from '../../prefix-store/redis/redis-reply.ts'
import { openText, SEAL_KEY_BYTES, sealText } from '../../sqlite/sealed-text.ts'
import { steadyClock } from '../../system/steady-clock.ts'
import { SHARE_OF_ACCOUNT_MAX, type StoreBounds } from '../store-bounds.ts'

const NAME_BYTES = 16
/** Texts that one script removes: the Redis does nothing else meanwhile. */
const REMOVAL_BATCH = 250
/** How long the counts of a text may outlive it. */
const COUNTS_OUTLIVE_MS = 3_600_000

/**
 * The beginning of all scripts. `KEYS[1]` is what all keys begin with; the functions know the
 * layout above.
 */
const LAYOUT = `
local base = KEYS[1]
local function drop(account, name)
  local bytes = tonumber(redis.call('HGET', base .. 'sizes:' .. account, name) or '0')
  redis.call('UNLINK', base .. 'at:' .. account .. '/' .. name)
  redis.call('HDEL', base .. 'sizes:' .. account, name)
  redis.call('ZREM', base .. 'expiry', account .. '/' .. name)
  redis.call('ZREM', base .. 'of:' .. account, name)
  if bytes > 0 then
    redis.call('ZINCRBY', base .. 'room', -bytes, account)
    redis.call('ZREMRANGEBYSCORE', base .. 'room', '-inf', 0)
    redis.call('DECRBY', base .. 'total', bytes)
  end
end`

const SAVE = `${LAYOUT}
local account, name, sealed = ARGV[1], ARGV[2], ARGV[3]
local expires, bytes = tonumber(ARGV[4]), tonumber(ARGV[5])
local ofAccount, ofAll, outlives = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local function dropOldest(of)
  local oldest = redis.call('ZRANGE', base .. 'of:' .. of, 0, 0)[1]
  if not oldest or oldest == name then return false end
  drop(of, oldest)
  return true
end
drop(account, name)
if bytes == 0 then return 0 end
local at = base .. 'at:' .. account .. '/' .. name
redis.call('HSET', at, 's', sealed, 'e', ARGV[4])
redis.call('PEXPIREAT', at, ARGV[4])
local time = redis.call('TIME')
redis.call('ZADD', base .. 'of:' .. account, time[1] .. string.format('%06d', time[2]), name)
redis.call('HSET', base .. 'sizes:' .. account, name, bytes)
redis.call('ZADD', base .. 'expiry', expires, account .. '/' .. name)
redis.call('ZINCRBY', base .. 'room', bytes, account)
redis.call('INCRBY', base .. 'total', bytes)
for _, key in ipairs({'of:' .. account, 'sizes:' .. account, 'expiry', 'room', 'total'}) do
  redis.call('PEXPIREAT', base .. key, expires + outlives)
end
-- Counts without texts are of texts that the server has thrown away.
while tonumber(redis.call('ZSCORE', base .. 'room', account) or '0') > ofAccount do
  if not dropOldest(account) then redis.call('ZADD', base .. 'room', bytes, account) end
end
while tonumber(redis.call('GET', base .. 'total') or '0') > ofAll do
  local largest = redis.call('ZREVRANGE', base .. 'room', 0, 0)[1] or account
  if not dropOldest(largest) then
    if largest == account then redis.call('SET', base .. 'total', bytes, 'KEEPTTL') end
    redis.call('ZREM', base .. 'room', largest)
  end
end
return 1`

const REMOVE = `${LAYOUT}
local there = redis.call('EXISTS', base .. 'at:' .. ARGV[1] .. '/' .. ARGV[2])
drop(ARGV[1], ARGV[2])
return there`

const REMOVE_SOME = `${LAYOUT}
local names = redis.call('ZRANGE', base .. 'of:' .. ARGV[1], 0, ARGV[2] - 1)
for _, name in ipairs(names) do drop(ARGV[1], name) end
return #names`

const REMOVE_EXPIRED = `${LAYOUT}
local expired = redis.call('ZRANGEBYSCORE', base .. 'expiry', '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, member in ipairs(expired) do
  local slash = string.find(member, '/', 1, true)
  drop(string.sub(member, 1, slash - 1), string.sub(member, slash + 1))
end
return #expired`

export interface RedisExpiringStoreOptions {
  readonly url: string
  /** What our keys begin with. */
  readonly keyPrefix: string
  /** Tells texts of one kind from those of another. */
  readonly kind: string
  /**
   * The secret that is the same for all gateways that share the texts. With another one there are
   * none.
   */
  readonly secret: string | Uint8Array
  readonly bounds: StoreBounds
  readonly onProblem: OnProblem
}

/** The Redis gave no answer, or refused: whether anything was kept or removed is not known. */
export class SharedTextsAwayError extends Error {
  override readonly name = 'SharedTextsAwayError'

  constructor() {
    super('the Redis of the gateways does not answer')
  }
}

/**
 * Keeps texts in Redis. Unlike a store of its own folder, every method but `close` may throw
 * {@link SharedTextsAwayError}.
 */
export class RedisExpiringStore implements ExpiringStore {
  readonly #connection: RedisConnection
  readonly #base: string
  readonly #bounds: StoreBounds
  readonly #sealKey: Buffer
  readonly #nameKey: Buffer

  /** Begins to connect, and does not wait for it. @throws {StoreOpenError} for a bad address */
  constructor({ url, keyPrefix, kind, secret, bounds, onProblem }: RedisExpiringStoreOptions) {
    this.#connection = new RedisConnection({ url, clock: steadyClock, onProblem })
    this.#base = `${keyPrefix}k:${kind}:`
    this.#bounds = bounds
    this.#sealKey = derivedKey(secret, `shared ${kind}`)
    this.#nameKey = derivedKey(secret, `names of shared ${kind}`)
  }

  async save(accountId: string, id: string, text: string, expiresAt: number): Promise<void> {
    const sealed = sealText(this.#sealKey, [accountId, id], text)
    const { maxAccountBytes, maxTotalBytes } = this.#bounds
    const fits = sealed.length <= maxAccountBytes * SHARE_OF_ACCOUNT_MAX
    await this.#change(SAVE, [
      ...this.#names(accountId, id),
      ...(fits ? [sealed, expiresAt, sealed.length] : ['', expiresAt, 0]),
      ...[maxAccountBytes, maxTotalBytes, COUNTS_OUTLIVE_MS],
    ])
  }

  async load(accountId: string, id: string, now: number): Promise<string | undefined> {
    const [account, name] = this.#names(accountId, id)
    const reply = await this.#call(['HMGET', `${this.#base}at:${account}/${name}`, 's', 'e'])
    if (!Array.isArray(reply)) throw new SharedTextsAwayError()
    const [sealed, expiresAt] = reply
    if (!Buffer.isBuffer(sealed) || !(Number(expiresAt) > now)) return undefined
    return openText(this.#sealKey, [accountId, id], sealed)
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    return (await this.#change(REMOVE, this.#names(accountId, id))) > 0
  }

  async removeAll(accountId: string): Promise<number> {
    let removed = 0
    for (let some = REMOVAL_BATCH; some === REMOVAL_BATCH; removed += some) {
      some = await this.#change(REMOVE_SOME, [this.#nameOf([accountId]), REMOVAL_BATCH])
    }
    return removed
  }

  removeExpired(now: number, limit: number): Promise<number> {
    return this.#change(REMOVE_EXPIRED, [now, limit])
  }

  close(): Promise<void> {
    return this.#connection.close()
  }

  #names(accountId: string, id: string): [account: string, name: string] {
    return [this.#nameOf([accountId]), this.#nameOf([accountId, id])]
  }

  #nameOf(parts: readonly string[]): string {
    const digest = createHmac('sha256', this.#nameKey).update(JSON.stringify(parts)).digest()
    return digest.subarray(0, NAME_BYTES).toString('base64url')
  }

  async #change(script: string, args: readonly (string | number | Buffer)[]): Promise<number> {
    const reply = await this.#call(['EVAL', script, 1, this.#base, ...args])
    if (typeof reply !== 'number') throw new SharedTextsAwayError()
    return reply
  }

  async #call(command: RedisCommand): Promise<RedisReply | undefined> {
    const outcome = await this.#connection.call([command])
    const [reply] = outcome.kind === 'answered' ? outcome.replies : []
    if (reply === undefined || isErrorReply(reply)) throw new SharedTextsAwayError()
    return reply
  }
}

function derivedKey(secret: string | Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, SEAL_KEY_BYTES))
}
