/**
 * The worker's settings, from the command line and the environment:
 *
 *     main.ts --socket PATH | --port N    where to listen; TCP is loopback only
 *             [--model demo|PATH|hf:URI]  default: demo, the bundled toy model
 *             [--models-folder PATH]      where hf: downloads go; default ~/.svc/models
 *             [--context-size TOKENS]     of each sequence; default: the model's, at most 4096
 *             [--sequences N]             requests at once; default 8 (demo) or 4
 *             [--threads N]               default and most: cores − 1, at least 1; demo: always 1
 *             [--queue N]                 requests that may wait; default 256
 *             [--tenant-queue N]          of one tenant; default 64
 *             [--worker-id ID]            default worker-<pid>
 *             [--gpu off|auto|cuda|vulkan|metal]  default off
 *             [--cache on|off]            whether prompts are reused; default on
 *             [--cache-bytes BYTES]       of cached blocks in memory; default 512 MiB
 *             [--drained]                 takes no requests until it is told to
 *             [--supervised]              end when stdin closes; ignore SIGINT
 *
 *     SVC_SCHEMA_BYTES         of one schema; default 65536
 *     SVC_SCHEMA_ALTERNATIVES  that one value may have; default 512
 *     SVC_SCHEMA_STEPS         that all schemas of a request may cost; default 500000
 *     SVC_SCHEMA_COMPILE_MS    of processor time that they may take; default 250
 *
 *     SVC_WORKER_SECRET   the bearer token of every request; needed with --port, 16 characters
 *     SVC_CACHE_SECRET    keys the names of cached blocks and seals them; random when unset, and
 *                         then no other worker finds them
 *     REDIS_URL           where cached blocks are shared with other workers; unset: nowhere
 *     SVC_REDIS_PREFIX    what keys begin with there; default svc.
 *     SVC_CACHE_TTL_S     seconds that an unused block stays there; default 900
 *     SVC_CACHE_TENANT_BYTES  that one tenant may write there in that time; default 1 GiB
 */
import { randomBytes } from 'node:crypto'
import { availableParallelism, homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readRedisUrl } from '@svc/infra/prefix-store/redis/redis-url'
import { type Gpu, gpuChoices } from './engine/gpu.ts'
import { QUEUE_REQUESTS_MAX, TENANT_QUEUE_REQUESTS_MAX } from './engine/scheduler.ts'
import { defaultSchemaLimits, type SchemaLimits } from './grammar/schema-limits.ts'
import { SECRET_CHARACTERS_MIN } from './protocol/shared-secret.ts'
import type { ListenAddress } from './protocol-server.ts'
import { StartRefused } from './start-refused.ts'

export const DEMO_MODEL = 'demo'
export const CONTEXT_TOKENS_DEFAULT_MAX = 4096
const CONTEXT_TOKENS_MIN = 256
const CONTEXT_TOKENS_MAX = 16_777_216
const SEQUENCES_DEMO = 8
const SEQUENCES_DEFAULT = 4
const SEQUENCES_MAX = 256
const QUEUE_MAX = 100_000
const PORT_MAX = 65_535
const CACHE_SECRET_BYTES = 32
const CACHE_BYTES_DEFAULT = 512 * 1024 ** 2
const CACHE_TTL_S_DEFAULT = 900
const CACHE_TENANT_BYTES_DEFAULT = 1024 ** 3
const REDIS_PREFIX_DEFAULT = 'svc.'
const COMPILE_MS_DEFAULT = 250

export interface WorkerSettings {
  readonly listen: ListenAddress
  readonly model: string
  readonly modelsFolder: string
  /** Tokens of each sequence; null takes the model's own size up to the default's limit. */
  readonly contextSize: number | null
  readonly sequences: number
  readonly threads: number
  readonly queueLimit: number
  /** Of one tenant. */
  readonly tenantQueueLimit: number
  readonly workerId: string
  readonly supervised: boolean
  readonly secret: string | null
  readonly gpu: Gpu
  /** Loaded, and serving nobody until told to. */
  readonly drained: boolean
  readonly cache: CacheSettings
  readonly schemas: SchemaSettings
}

export interface SchemaSettings {
  readonly limits: SchemaLimits
  /** Milliseconds of processor time that the schemas of one request may take to compile. */
  readonly compileMs: number
}

export interface CacheSettings {
  readonly on: boolean
  /** Of blocks in memory. */
  readonly bytes: number
  readonly secret: string | Uint8Array
  /** Null: blocks are shared with no other worker. */
  readonly redis: {
    readonly url: string
    readonly keyPrefix: string
    readonly blockTtlMs: number
    readonly tenantBytesMax: number
  } | null
}

/** @throws StartRefused with one line that names the setting */
export function readSettings(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): WorkerSettings {
  const values = parseArguments(argv)
  const model = values.model ?? DEMO_MODEL
  const secret = env.SVC_WORKER_SECRET || null
  return {
    listen: listenAddress(values, secret),
    model,
    modelsFolder: values['models-folder'] ?? join(homedir(), '.svc', 'models'),
    contextSize:
      values['context-size'] === undefined
        ? null
        : wholeNumber(values, 'context-size', CONTEXT_TOKENS_MIN, CONTEXT_TOKENS_MAX, 0),
    sequences: wholeNumber(
      values,
      'sequences',
      1,
      SEQUENCES_MAX,
      model === DEMO_MODEL ? SEQUENCES_DEMO : SEQUENCES_DEFAULT,
    ),
    threads: threadCount(values, model),
    queueLimit: wholeNumber(values, 'queue', 1, QUEUE_MAX, QUEUE_REQUESTS_MAX),
    tenantQueueLimit: wholeNumber(values, 'tenant-queue', 1, QUEUE_MAX, TENANT_QUEUE_REQUESTS_MAX),
    workerId: values['worker-id'] ?? `worker-${process.pid}`,
    supervised: values.supervised ?? false,
    secret,
    gpu: oneOf(values, 'gpu', gpuChoices, 'off'),
    drained: values.drained ?? false,
    cache: {
      on: oneOf(values, 'cache', ['on', 'off'], 'on') === 'on',
      bytes: wholeNumber(values, 'cache-bytes', 0, Number.MAX_SAFE_INTEGER, CACHE_BYTES_DEFAULT),
      secret: env.SVC_CACHE_SECRET || randomBytes(CACHE_SECRET_BYTES),
      redis: redisSettings(env),
    },
    schemas: schemaSettings(env),
  }
}

function schemaSettings(env: Readonly<Record<string, string | undefined>>): SchemaSettings {
  const { bytesMax, alternativesMax, stepsMax } = defaultSchemaLimits
  return {
    limits: {
      bytesMax: variable(env, 'SVC_SCHEMA_BYTES', bytesMax),
      alternativesMax: variable(env, 'SVC_SCHEMA_ALTERNATIVES', alternativesMax),
      stepsMax: variable(env, 'SVC_SCHEMA_STEPS', stepsMax),
    },
    compileMs: variable(env, 'SVC_SCHEMA_COMPILE_MS', COMPILE_MS_DEFAULT),
  }
}

function redisSettings(env: Readonly<Record<string, string | undefined>>) {
  const url = env.REDIS_URL
  if (!url) return null
  const read = readRedisUrl(url)
  if (!read.ok) throw new StartRefused(`REDIS_URL: ${read.message}`)
  return {
    url,
    keyPrefix: env.SVC_REDIS_PREFIX || REDIS_PREFIX_DEFAULT,
    blockTtlMs: variable(env, 'SVC_CACHE_TTL_S', CACHE_TTL_S_DEFAULT) * 1000,
    tenantBytesMax: variable(env, 'SVC_CACHE_TENANT_BYTES', CACHE_TENANT_BYTES_DEFAULT),
  }
}

function variable(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  fallback: number,
): number {
  const text = env[name]
  if (!text) return fallback
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new StartRefused(`${name} must be a whole number`)
  return Number(text)
}

function oneOf<Choice extends string>(
  values: Values,
  name: 'gpu' | 'cache',
  choices: readonly Choice[],
  fallback: Choice,
): Choice {
  const text = values[name] ?? fallback
  const choice = choices.find((each) => each === text)
  if (choice !== undefined) return choice
  throw new StartRefused(`--${name} must be one of ${choices.join(', ')}, not "${text}"`)
}

type Values = ReturnType<typeof parseArguments>
type NumberSetting =
  | 'port'
  | 'context-size'
  | 'sequences'
  | 'threads'
  | 'queue'
  | 'tenant-queue'
  | 'cache-bytes'

function parseArguments(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        socket: { type: 'string' },
        port: { type: 'string' },
        model: { type: 'string' },
        'models-folder': { type: 'string' },
        'context-size': { type: 'string' },
        sequences: { type: 'string' },
        threads: { type: 'string' },
        queue: { type: 'string' },
        'tenant-queue': { type: 'string' },
        'worker-id': { type: 'string' },
        gpu: { type: 'string' },
        cache: { type: 'string' },
        'cache-bytes': { type: 'string' },
        drained: { type: 'boolean' },
        supervised: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    throw new StartRefused(error instanceof Error ? error.message : String(error))
  }
}

function listenAddress(values: Values, secret: string | null): ListenAddress {
  if ((values.socket === undefined) === (values.port === undefined)) {
    throw new StartRefused('give either --socket PATH or --port N')
  }
  if (values.socket !== undefined) return { socketPath: values.socket }
  if (secret === null || secret.length < SECRET_CHARACTERS_MIN) {
    throw new StartRefused(
      `--port needs SVC_WORKER_SECRET, a secret of ${SECRET_CHARACTERS_MIN} characters or more`,
    )
  }
  return { port: wholeNumber(values, 'port', 0, PORT_MAX, 0) }
}

/** The demo model is so small that a second thread only makes it slower (fourteen times). */
function threadCount(values: Values, model: string): number {
  const allowed = Math.max(1, availableParallelism() - 1)
  const asked = wholeNumber(values, 'threads', 1, Number.MAX_SAFE_INTEGER, allowed)
  if (asked > allowed) {
    throw new StartRefused(
      `--threads ${asked} is too many: ${allowed} of ${availableParallelism()} cores may be used, ` +
        'and more threads than that make llama.cpp slower by far',
    )
  }
  return model === DEMO_MODEL ? 1 : asked
}

function wholeNumber(
  values: Values,
  name: NumberSetting,
  min: number,
  max: number,
  fallback: number,
): number {
  const text = values[name]
  if (text === undefined) return fallback
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < min || number > max) {
    throw new StartRefused(`--${name} must be a whole number from ${min} to ${max}, not "${text}"`)
  }
  return number
}
