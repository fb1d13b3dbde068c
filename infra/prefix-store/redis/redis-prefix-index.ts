/**
 * Which worker holds which prefix, in a Redis that gateways share: for each noted block a sorted
 * set of instances, by the time until which the note holds.
 *
 *     PREFIXpl:NAME     instance → milliseconds since 1970
 *
 * What lies there is not sealed: a name says nothing, and a wrong note costs time and nothing else.
 * The clocks of gateways should agree to within seconds.
 */
import type { PrefixIndex, PrefixPlace } from '@svc/contracts/ports/prefix-index'
import type { Clock } from '@svc/contracts/ports/time'
import { steadyClock } from '../../system/steady-clock.ts'
import {
  HOLDERS_MAX,
  type Holder,
  NOTED_CHAIN_BLOCKS_MAX,
  notedNames,
  placesOf,
} from '../noted-blocks.ts'
import { type OnProblem, type RedisCommand, RedisConnection } from './redis-connection.ts'
import { isWriteRefusal, isWrongType, type RedisReply } from './redis-reply.ts'

const DEFAULT_TTL_MS = 300_000
/** A prompt waits for it, and it is only a hint. */
const FIND_PATIENCE_MS = 50

export interface RedisPrefixIndexOptions {
  readonly url: string
  /** What our keys begin with. */
  readonly keyPrefix: string
  /** How long a note holds. */
  readonly ttlMs?: number | undefined
  readonly onProblem: OnProblem
  readonly clock?: Clock | undefined
  /** How long a call to the server may take, a find too, which has less by default. */
  readonly callWithinMs?: number | undefined
}

/**
 * Opens the index without waiting for the server.
 *
 * @throws {StoreOpenError} when the address makes no sense
 */
export function openRedisPrefixIndex(options: RedisPrefixIndexOptions): PrefixIndex {
  return new RedisPrefixIndex(options)
}

class RedisPrefixIndex implements PrefixIndex {
  readonly #connection: RedisConnection
  readonly #keyPrefix: string
  readonly #ttlMs: number
  readonly #clock: Clock
  readonly #findPatienceMs: number
  #failures = 0

  constructor({
    url,
    keyPrefix,
    ttlMs = DEFAULT_TTL_MS,
    onProblem,
    clock = steadyClock,
    callWithinMs,
  }: RedisPrefixIndexOptions) {
    this.#connection = new RedisConnection({ url, clock, onProblem, callWithinMs })
    this.#keyPrefix = keyPrefix
    this.#ttlMs = ttlMs
    this.#clock = clock
    this.#findPatienceMs = callWithinMs ?? FIND_PATIENCE_MS
  }

  get failures(): number {
    return this.#failures
  }

  async note(instanceId: string, names: readonly string[]): Promise<void> {
    const nowMs = this.#clock.nowMs()
    await this.#call(
      notedNames(names).flatMap((name): RedisCommand[] => {
        const key = this.#keyOf(name)
        return [
          ['ZADD', key, nowMs + this.#ttlMs, instanceId],
          ['ZREMRANGEBYSCORE', key, '-inf', nowMs],
          // Only the holders with the latest ends stay.
          ['ZREMRANGEBYRANK', key, 0, -HOLDERS_MAX - 1],
          ['PEXPIRE', key, this.#ttlMs],
        ]
      }),
    )
  }

  async find(names: readonly string[]): Promise<readonly PrefixPlace[]> {
    const nowMs = this.#clock.nowMs()
    const chain = names.slice(0, NOTED_CHAIN_BLOCKS_MAX)
    const replies = await this.#call(
      chain.map((name) => {
        const living = [this.#keyOf(name), `(${nowMs}`, '+inf'] as const
        return ['ZRANGEBYSCORE', ...living, 'WITHSCORES', 'LIMIT', 0, HOLDERS_MAX]
      }),
      this.#findPatienceMs,
    )
    return placesOf(replies.map(holdersOf))
  }

  close(): Promise<void> {
    return this.#connection.close()
  }

  /** @returns nothing when the call failed */
  async #call(
    commands: readonly RedisCommand[],
    patienceMs?: number,
  ): Promise<readonly RedisReply[]> {
    const outcome = await this.#connection.call(commands, { patienceMs })
    if (outcome.kind !== 'answered') {
      this.#failures += 1
      return []
    }
    if (outcome.replies.some(isWriteRefusal)) this.#failures += 1
    const foreign = commands.filter((_, at) => isWrongType(outcome.replies[at]))
    const keys = new Set(foreign.map(([, key]) => String(key)))
    // A foreign value is removed: otherwise the block would be unknown for as long as it lies
    // there.
    if (keys.size > 0) await this.#connection.call([['UNLINK', ...keys]])
    return outcome.replies
  }

  #keyOf(name: string): string {
    return `${this.#keyPrefix}pl:${name}`
  }
}

/** Reads a reply of the form `member, score, member, score …`. */
function holdersOf(reply: RedisReply): readonly Holder[] {
  if (!Array.isArray(reply)) return []
  const texts = reply.filter((item) => Buffer.isBuffer(item)).map((item) => item.toString())
  const holders: Holder[] = []
  for (let at = 0; at + 1 < texts.length; at += 2) {
    holders.push({ instanceId: texts[at] ?? '', untilMs: Number(texts[at + 1]) })
  }
  return holders
}
