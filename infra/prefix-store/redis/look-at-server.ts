/** Asks a Redis what it is, for an operator who wants to know whether it can be used. */

import { StoreOpenError } from '../../store-open-error.ts'
import { patientTimer } from '../../system/patient-timer.ts'
import { systemClock } from '../../system/system-clock.ts'
import { openRedisClient } from './redis-connection.ts'
import { isErrorReply, replyOf } from './redis-reply.ts'
import { addressText, readRedisUrl } from './redis-url.ts'

/** For a connection, and for each answer: nobody is served meanwhile, and machines can be busy. */
const ANSWERS_WITHIN_MS = 10_000
/** The code of a refusal to a user that is known and has not the right. */
const FORBIDDEN = 'NOPERM'

export interface SeenRedis {
  /** The address without user and password. */
  readonly place: string
  /** The server's version; `unknown` where our user may not ask. */
  readonly version: string
  /** How far its clock is ahead of ours at least; null where our user may not ask. */
  readonly clockAheadMs: number | null
}

/**
 * Reads only. It insists on no right beyond those that our pages give to a user: TIME and INFO may
 * be refused.
 *
 * @param keyPrefix what the names of our keys begin with
 * @throws {StoreOpenError} that says what to do, and holds no secret
 */
export async function lookAtServer(url: string, keyPrefix: string): Promise<SeenRedis> {
  const read = readRedisUrl(url)
  if (!read.ok) throw new StoreOpenError('bad-address', `the address of Redis: ${read.message}`)
  const place = addressText(read.address)
  const redis = openRedisClient(url, ANSWERS_WITHIN_MS)
  try {
    await ready(redis, place)
    await redis.strlen(`${keyPrefix}doctor`)
    const clockAheadMs = await clockAhead(redis).catch(nullWhereForbidden)
    const version = await redis.info('server').then(versionIn, () => 'unknown')
    return { place, version, clockAheadMs }
  } catch (error) {
    if (error instanceof StoreOpenError) throw error
    throw refused(place, error)
  } finally {
    redis.disconnect()
  }
}

type RedisClient = ReturnType<typeof openRedisClient>

async function clockAhead(redis: RedisClient): Promise<number> {
  const before = systemClock.nowMs()
  const [seconds = 0, microseconds = 0] = (await redis.time()).map(Number)
  const after = systemClock.nowMs()
  const theirs = seconds * 1_000 + microseconds / 1_000
  // It was read at any time between: what that leaves open is no difference.
  return theirs - Math.min(Math.max(theirs, before), after)
}

function nullWhereForbidden(error: unknown): null {
  if (codeOf(error) === FORBIDDEN) return null
  throw error
}

async function ready(redis: RedisClient, place: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  redis.on('ready', resolve)
  redis.on('error', (error: unknown) => reject(refused(place, error)))
  const cancel = patientTimer.after(ANSWERS_WITHIN_MS, () => reject(refused(place, undefined)))
  if (redis.status === 'ready') resolve()
  await promise.finally(cancel)
}

/**
 * Makes the refusal without the client's own message: its errors carry the command, and that may be
 * the password.
 */
function refused(place: string, error: unknown): StoreOpenError {
  const refusal = codeOf(error)
  if (refusal !== undefined) {
    const what = `Redis at ${place} refuses us (${refusal})`
    const advice =
      refusal === FORBIDDEN
        ? 'give its user the rights that docs/how-to/run-several-workers.md lists'
        : 'check user and password in REDIS_URL'
    return new StoreOpenError('access-denied', `${what}: ${advice}`)
  }
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
  const what = `no Redis answers at ${place}${code}`
  return new StoreOpenError('unreachable', `${what}: check that it runs, its host and port`)
}

/** @returns the code with which the server itself refused; undefined when it was not the server */
function codeOf(error: unknown): string | undefined {
  const reply = error instanceof Error ? replyOf(error, null) : undefined
  return isErrorReply(reply) ? reply.code : undefined
}

function versionIn(info: string): string {
  return /redis_version:(\S+)/.exec(info)?.[1] ?? 'unknown'
}
