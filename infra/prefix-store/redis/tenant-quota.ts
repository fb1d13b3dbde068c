/**
 * How many bytes of blocks a tenant may write into Redis within a span of time, counted there for
 * all workers. The span is as long as a block lives unused.
 *
 * What that bounds: of blocks that nobody uses, a tenant has no more here than what fits into two
 * spans. Blocks that are used go on living, so by using all it ever wrote within each span a tenant
 * can have more; that is what the server's own `maxmemory` is for. A counter that the server evicts
 * begins again at 0.
 */
import type { Clock } from '@svc/contracts/ports/time'
import type { BlockKeys } from './block-keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { isErrorReply, isWriteRefusal } from './redis-reply.ts'

export interface TenantQuotaOptions {
  readonly connection: RedisConnection
  readonly keys: BlockKeys
  readonly bytesMax: number
  readonly spanMs: number
  readonly clock: Clock
}

export class TenantQuota {
  readonly #options: TenantQuotaOptions

  constructor(options: TenantQuotaOptions) {
    this.#options = options
  }

  /**
   * Counts what is going to be written, before it is: so several writers together do not pass the
   * bound.
   *
   * @param sizes in bytes, in the order of writing
   * @returns how many of them, from the first on, may be written; undefined when the call failed
   */
  async take(tenant: string, sizes: readonly number[]): Promise<number | undefined> {
    const { connection, keys, bytesMax, spanMs, clock } = this.#options
    const key = keys.writtenBytes(tenant, Math.floor(clock.nowMs() / spanMs))
    const asked = sizes.reduce((sum, size) => sum + size, 0)
    const outcome = await connection.call([
      ['INCRBY', key, asked],
      ['PEXPIRE', key, 2 * spanMs],
    ])
    if (outcome.kind !== 'answered') return undefined
    const [written] = outcome.replies
    if (typeof written !== 'number') {
      // The value is no counter of ours, and the next write begins a new one.
      if (isErrorReply(written) && !isWriteRefusal(written))
        await connection.call([['UNLINK', key]])
      return 0
    }
    let freeBytes = bytesMax - (written - asked)
    let count = 0
    for (const size of sizes) {
      if (size > freeBytes) break
      freeBytes -= size
      count += 1
    }
    const unused = sizes.slice(count).reduce((sum, size) => sum + size, 0)
    if (unused > 0) await connection.call([['DECRBY', key, unused]])
    return count
  }
}
