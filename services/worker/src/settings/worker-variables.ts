/**
 * What a worker can be told by variables, in one schema. A server has these settings as its own and
 * hands them on to the workers that it starts. They are variables because other users of the
 * machine can read the words of a command line; where a flag says the same it is in
 * `workerOptions`.
 */
import { isIPv6 } from 'node:net'
import { readRedisUrl } from '@svc/infra/prefix-store/redis/redis-url'
import { z } from 'zod'
import { DEMO_MODEL, gpuChoices } from '../engines/engine.ts'

const CONTEXT_TOKENS_MIN = 256
const CONTEXT_TOKENS_MAX = 1_048_576
const SEQUENCES_MAX = 256
const THREADS_MAX = 256
const CACHE_BYTES_DEFAULT = 512 * 1024 ** 2
const CACHE_TENANT_BYTES_DEFAULT = 1024 ** 3
const CACHE_BLOCK_BYTES_DEFAULT = 4 * 1024 ** 2
const CACHE_BLOCK_BYTES_MAX = 64 * 1024 ** 2
const CACHE_TTL_S_MAX = 86_400
const CACHE_TTL_S_DEFAULT = 900
/** What a number of twelve digits can say, about a terabyte. */
export const BYTES_MAX = 999_999_999_999
const HANG_MS_MIN = 1000
const HANG_MS_MAX = 86_400_000
const SCHEMA_SIZE_MAX = 1_000_000
const COMPILE_MS_MAX = 60_000
/** Characters of every secret: the cache's, and the one that gateway and worker share on TCP. */
export const SECRET_CHARACTERS_MIN = 16

export const whole = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`
  return z
    .string(message)
    .regex(/^\d{1,16}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message))
}

export const oneOf = <const Choices extends readonly [string, ...string[]]>(choices: Choices) =>
  z.enum(choices, `must be one of ${choices.join(', ')}`)

export const text = z.string().min(1, 'must not be empty; without it the default is used')

/** The address to listen on. One of IPv6 may stand in brackets, as it does before a port. */
export const listenHost = text.transform(withoutBrackets)

export function withoutBrackets(host: string): string {
  const [, within = ''] = /^\[(.*)\]$/.exec(host) ?? []
  return isIPv6(within) ? within : host
}

export const secret = z
  .string()
  .min(SECRET_CHARACTERS_MIN, `must have ${SECRET_CHARACTERS_MIN} characters or more`)

/**
 * A prefix has one dot, at its end, so that no prefix begins with another. So two services on one
 * server never read each other's streams or keys.
 */
export const namePrefix = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,63}\.$/, 'must be letters, digits, - or _, then one dot, such as svc.')

/** An empty one is none. */
const redisUrl = z.string().transform((url, context) => {
  if (url === '') return undefined
  const read = readRedisUrl(url)
  if (read.ok) return url
  context.addIssue({ code: 'custom', message: read.message })
  return z.NEVER
})

export const workerVariables = {
  /** A path to a GGUF file, an `hf:` URI, or `demo`: the bundled toy. */
  SVC_MODEL: text.default(DEMO_MODEL),
  /** What computes. */
  SVC_GPU: oneOf(gpuChoices).default('off'),
  /** Tokens of each sequence. */
  SVC_CONTEXT_SIZE: whole(CONTEXT_TOKENS_MIN, CONTEXT_TOKENS_MAX).optional(),
  /** Requests that run at once. */
  SVC_SEQUENCES: whole(1, SEQUENCES_MAX).optional(),
  SVC_THREADS: whole(1, THREADS_MAX).optional(),
  /** Whether a start relies on what an earlier one found out about its model. */
  SVC_SELF_TEST: oneOf(['remembered', 'always']).default('remembered'),
  /** Whether a worker keeps what it computed of prompts, for the next that begins alike. */
  SVC_CACHE: oneOf(['on', 'off']).default('on'),
  /** Whether a worker that has nothing else to do reads answers for the next turn. */
  SVC_READ_ANSWERS: oneOf(['on', 'off']).default('on'),
  /** Bytes of it in the worker's memory. */
  SVC_CACHE_BYTES: whole(0, BYTES_MAX).default(CACHE_BYTES_DEFAULT),
  /** Keys the names of cached blocks and seals them: only who has the same one finds them. */
  SVC_CACHE_SECRET: secret.optional(),
  /** `redis://…`: where workers share cached blocks. Never shown. */
  REDIS_URL: redisUrl.optional(),
  /** What the names of all keys there begin with. */
  SVC_REDIS_PREFIX: namePrefix.default('svc.'),
  /** Seconds after its last use that a block is kept there. */
  SVC_CACHE_TTL_S: whole(1, CACHE_TTL_S_MAX).default(CACHE_TTL_S_DEFAULT),
  /** Bytes that one account may write there in that time. */
  SVC_CACHE_TENANT_BYTES: whole(0, BYTES_MAX).default(CACHE_TENANT_BYTES_DEFAULT),
  /** Bytes of one block there: a model with larger ones shares none. */
  SVC_CACHE_BLOCK_BYTES: whole(1, CACHE_BLOCK_BYTES_MAX).default(CACHE_BLOCK_BYTES_DEFAULT),
  /** Silence of the runtime, or of the main thread, after which a worker ends itself. */
  SVC_WORKER_HANG_MS: whole(HANG_MS_MIN, HANG_MS_MAX).optional(),
  /** Bounds on callers' JSON Schemas: of one its size, and of one value's alternatives. */
  SVC_SCHEMA_BYTES: whole(1, BYTES_MAX).optional(),
  SVC_SCHEMA_ALTERNATIVES: whole(1, SCHEMA_SIZE_MAX).optional(),
  /** Ways in which a text may be read at once under one. */
  SVC_SCHEMA_STACKS: whole(1, SCHEMA_SIZE_MAX).optional(),
  /** Bounds on all schemas of one request together: counted steps, and processor time. */
  SVC_SCHEMA_STEPS: whole(1, Number.MAX_SAFE_INTEGER).optional(),
  SVC_SCHEMA_COMPILE_MS: whole(1, COMPILE_MS_MAX).optional(),
}

export type WorkerVariable = keyof typeof workerVariables

export const workerVariableNames = Object.keys(workerVariables) as WorkerVariable[]
