/** What a Redis server has done, as it tells itself, without what asking it costs. */
import type { RedisServer } from '@svc/testing/redis/redis-server'

export interface RedisUsage {
  readonly commands: number
  /** On the wire, both ways. */
  readonly bytesIn: number
  readonly bytesOut: number
  /** Processor time of the server. */
  readonly cpuMs: number
}

/** @returns what the server did while `work` was done */
export async function redisUsageOf(
  redis: RedisServer,
  work: () => Promise<void>,
): Promise<RedisUsage> {
  const before = await usage(redis)
  const justAsked = await usage(redis)
  await work()
  const after = await usage(redis)
  // Asking once costs what the second question saw of the first.
  return difference(difference(after, justAsked), difference(justAsked, before))
}

function difference(later: RedisUsage, earlier: RedisUsage): RedisUsage {
  return {
    commands: later.commands - earlier.commands,
    bytesIn: later.bytesIn - earlier.bytesIn,
    bytesOut: later.bytesOut - earlier.bytesOut,
    cpuMs: later.cpuMs - earlier.cpuMs,
  }
}

async function usage(redis: RedisServer): Promise<RedisUsage> {
  const told = String(await redis.command('INFO', 'everything'))
  const number = (name: string): number => {
    const found = new RegExp(`^${name}:([0-9.]+)`, 'm').exec(told)?.[1]
    if (found === undefined) throw new Error(`Redis does not tell ${name}`)
    return Number(found)
  }
  return {
    commands: number('total_commands_processed'),
    bytesIn: number('total_net_input_bytes'),
    bytesOut: number('total_net_output_bytes'),
    cpuMs: (number('used_cpu_user') + number('used_cpu_sys')) * 1000,
  }
}
