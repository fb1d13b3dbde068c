/**
 * Who computes which block, among all workers of one Redis: a key that is set when there is none,
 * with an end of its own, so that a worker that died holds up nobody for long.
 *
 * Only its holder may remove it, and after its end it may be another's: so it holds a random token,
 * and a script compares and removes in one step. In two steps, with GET and DEL, another's claim
 * could come in between; with WATCH it would need a connection of its own. To a user without the
 * right to EVAL claims are granted all the same, and end by their time.
 */
import { randomUUID } from 'node:crypto'
import type { PrefixClaim } from '@svc/contracts/ports/prefix-store'
import type { RedisConnection } from './redis-connection.ts'
import { isErrorReply } from './redis-reply.ts'

/** A claim is renewed by nobody, so it must not outlive what it is for by much. */
const CLAIM_MS_MAX = 60_000
const REMOVE_IF_OWN = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`

/** @returns null when somebody else has it; undefined when that cannot be told */
export async function takeClaim(
  connection: RedisConnection,
  key: string,
  forMs: number,
): Promise<PrefixClaim | null | undefined> {
  const token = randomUUID()
  const endsInMs = Math.ceil(Math.min(Math.max(forMs, 1), CLAIM_MS_MAX))
  const outcome = await connection.call([['SET', key, token, 'NX', 'PX', endsInMs]])
  if (outcome.kind !== 'answered') return undefined
  const [reply] = outcome.replies
  if (reply === null) return null
  if (isErrorReply(reply)) return undefined
  return {
    release: async () => void (await connection.call([['EVAL', REMOVE_IF_OWN, 1, key, token]])),
  }
}
