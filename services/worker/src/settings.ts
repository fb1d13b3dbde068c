/**
 * The settings of a worker, in one schema: options of its command line, and environment variables,
 * which other users of the machine cannot read. Both are described in `workerOptions` and
 * docs/how-to/run-several-workers.md.
 */
import { randomBytes } from 'node:crypto'
import { availableParallelism, homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readRedisUrl } from '@svc/infra/prefix-store/redis/redis-url'
import { z } from 'zod'
import { DEMO_MODEL, type EngineSettings, gpuChoices } from './engines/engine.ts'
import { defaultSchemaLimits, type SchemaLimits } from './grammar/schema-limits.ts'
import type { CacheSettings } from './prefix-cache/open-prefix-cache.ts'
import { StartRefused } from './process/start-refused.ts'
import type { ListenAddress } from './protocol/protocol-server.ts'
import { SECRET_CHARACTERS_MIN } from './protocol/shared-secret.ts'
import { QUEUE_REQUESTS_MAX, TENANT_QUEUE_REQUESTS_MAX } from './scheduling/scheduler.ts'
import { variableOf, workerOptions } from './worker-options.ts'

const CONTEXT_TOKENS_DEFAULT_MAX = 4096
const CONTEXT_TOKENS_MIN = 256
const CONTEXT_TOKENS_MAX = 16_777_216
const SEQUENCES_DEMO = 8
const SEQUENCES_DEFAULT = 4
const SEQUENCES_MAX = 256
const QUEUE_MAX = 100_000
const PORT_MAX = 65_535
const CACHE_SECRET_BYTES = 32
const CACHE_BYTES_DEFAULT = 512 * 1024 ** 2
const CACHE_TTL_S_MAX = 86_400
const CACHE_TTL_S_DEFAULT = 900
const CACHE_TENANT_BYTES_DEFAULT = 1024 ** 3
const COMPILE_MS_DEFAULT = 250
const SCHEMA_LIMIT_MAX = Number.MAX_SAFE_INTEGER
/** Three times what 128 tokens of a prompt take a model of 8 GB on two slow cores. */
const HANG_MS_DEFAULT = 60_000

export interface WorkerSettings {
  readonly listen: ListenAddress
  readonly engine: EngineSettings
  readonly queueLimit: number
  /** Of one tenant. */
  readonly tenantQueueLimit: number
  readonly workerId: string
  readonly supervised: boolean
  readonly secret: string | null
  /** Loaded, and serving nobody until told to. */
  readonly drained: boolean
  readonly cache: CacheSettings
  readonly schemas: SchemaSettings
  /** Milliseconds of silence after which the worker ends itself. */
  readonly hangMs: number
}

export interface SchemaSettings {
  readonly limits: SchemaLimits
  /** Milliseconds of processor time that the schemas of one request may take to compile. */
  readonly compileMs: number
}

const whole = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`
  return z
    .string(message)
    .regex(/^\d{1,16}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message))
}

const oneOf = <const Choices extends readonly [string, ...string[]]>(choices: Choices) =>
  z.enum(choices, `must be one of ${choices.join(', ')}`)

const redisUrl = z.string().superRefine((url, context) => {
  const read = readRedisUrl(url)
  if (!read.ok) context.addIssue({ code: 'custom', message: `cannot be used: ${read.message}` })
})

const bytes = whole(0, Number.MAX_SAFE_INTEGER)
const schemaLimit = whole(1, SCHEMA_LIMIT_MAX)

const schema = z.object({
  socket: z.string().optional(),
  port: whole(0, PORT_MAX).optional(),
  workerId: z.string().min(1, 'must not be empty').default(`worker-${process.pid}`),
  model: z.string().min(1, 'must not be empty').default(DEMO_MODEL),
  modelsFolder: z.string().default(join(homedir(), '.svc', 'models')),
  contextSize: whole(CONTEXT_TOKENS_MIN, CONTEXT_TOKENS_MAX).optional(),
  sequences: whole(1, SEQUENCES_MAX).optional(),
  threads: whole(1, Number.MAX_SAFE_INTEGER).optional(),
  queue: whole(1, QUEUE_MAX).default(QUEUE_REQUESTS_MAX),
  tenantQueue: whole(1, QUEUE_MAX).default(TENANT_QUEUE_REQUESTS_MAX),
  gpu: oneOf(gpuChoices).default('off'),
  cache: oneOf(['on', 'off']).default('on'),
  cacheBytes: bytes.default(CACHE_BYTES_DEFAULT),
  drained: z.boolean().default(false),
  /** Ends when stdin closes, and leaves Ctrl-C to its parent. */
  supervised: z.boolean().default(false),
  /** The bearer token of every request. */
  SVC_WORKER_SECRET: z.string().optional(),
  /** Keys the names of cached blocks and seals them. Random: then no other worker finds them. */
  SVC_CACHE_SECRET: z.string().optional(),
  /** Where cached blocks are shared with other workers. */
  REDIS_URL: redisUrl.optional(),
  SVC_REDIS_PREFIX: z.string().default('svc.'),
  /** Seconds that an unused block stays there. */
  SVC_CACHE_TTL_S: whole(1, CACHE_TTL_S_MAX).default(CACHE_TTL_S_DEFAULT),
  /** What one tenant may write there in that time. */
  SVC_CACHE_TENANT_BYTES: bytes.default(CACHE_TENANT_BYTES_DEFAULT),
  /** Of one schema. */
  SVC_SCHEMA_BYTES: schemaLimit.default(defaultSchemaLimits.bytesMax),
  /** That one value may have. */
  SVC_SCHEMA_ALTERNATIVES: schemaLimit.default(defaultSchemaLimits.alternativesMax),
  /** That all schemas of a request may cost. */
  SVC_SCHEMA_STEPS: schemaLimit.default(defaultSchemaLimits.stepsMax),
  /** Ways in which a text may be read at once under one. */
  SVC_SCHEMA_STACKS: schemaLimit.default(defaultSchemaLimits.stacksMax),
  SVC_SCHEMA_COMPILE_MS: schemaLimit.default(COMPILE_MS_DEFAULT),
  /** Silence of the runtime or of the main thread after which the worker ends itself. */
  SVC_WORKER_HANG_MS: schemaLimit.default(HANG_MS_DEFAULT),
})

type Given = z.output<typeof schema>
type Environment = Readonly<Record<string, string | undefined>>
/** As commander and `parseArgs` give them, in camel case. */
export type WorkerWords = Readonly<Record<string, string | boolean | undefined>>

/** @throws StartRefused with one line that names the setting */
export function readSettings(argv: readonly string[], environment: Environment): WorkerSettings {
  return settingsOf(wordsOf(argv), environment)
}

/**
 * @param words of the command line; what they leave out, the environment may say
 * @throws StartRefused with one line that names the setting
 */
export function settingsOf(words: WorkerWords, environment: Environment): WorkerSettings {
  const given = parsed(words, environment)
  const isDemo = given.model === DEMO_MODEL
  const secret = given.SVC_WORKER_SECRET ?? null
  return {
    listen: listenAddress(given, secret),
    engine: {
      model: given.model,
      modelsFolder: given.modelsFolder,
      contextSize: given.contextSize ?? null,
      contextSizeMax: CONTEXT_TOKENS_DEFAULT_MAX,
      sequences: given.sequences ?? (isDemo ? SEQUENCES_DEMO : SEQUENCES_DEFAULT),
      threads: threadCount(given, isDemo),
      gpu: given.gpu,
    },
    queueLimit: given.queue,
    tenantQueueLimit: given.tenantQueue,
    workerId: given.workerId,
    supervised: given.supervised,
    secret,
    drained: given.drained,
    cache: {
      on: given.cache === 'on',
      bytes: given.cacheBytes,
      secret: given.SVC_CACHE_SECRET ?? randomBytes(CACHE_SECRET_BYTES),
      redis: redisSettings(given),
    },
    schemas: {
      limits: {
        bytesMax: given.SVC_SCHEMA_BYTES,
        alternativesMax: given.SVC_SCHEMA_ALTERNATIVES,
        stepsMax: given.SVC_SCHEMA_STEPS,
        stacksMax: given.SVC_SCHEMA_STACKS,
      },
      compileMs: given.SVC_SCHEMA_COMPILE_MS,
    },
    hangMs: given.SVC_WORKER_HANG_MS,
  }
}

/** An empty variable is none. */
function parsed(words: WorkerWords, environment: Environment): Given {
  const named = Object.keys(schema.shape).map((name) => {
    const word = words[name]
    return [name, word ?? (environment[variableOf[name] ?? name] || undefined)] as const
  })
  const result = schema.safeParse(Object.fromEntries(named))
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new StartRefused(`${shownName(String(issue?.path[0]), words)} ${issue?.message}`)
}

/** The flag, or the variable where no flag was given. */
function shownName(name: string, words: WorkerWords): string {
  if (/^[A-Z]/.test(name)) return name
  return (words[name] === undefined ? variableOf[name] : undefined) ?? flagOf(name)
}

function redisSettings(given: Given) {
  if (given.REDIS_URL === undefined) return null
  return {
    url: given.REDIS_URL,
    keyPrefix: given.SVC_REDIS_PREFIX,
    blockTtlMs: given.SVC_CACHE_TTL_S * 1000,
    tenantBytesMax: given.SVC_CACHE_TENANT_BYTES,
  }
}

function wordsOf(argv: readonly string[]): WorkerWords {
  const flags = [...workerOptions.map(({ flags }) => flags), '--supervised']
  const options = flags.map((flag) => {
    const [name = '', value] = flag.slice('--'.length).split(' ')
    return [name, { type: value === undefined ? 'boolean' : 'string' }] as const
  })
  try {
    const { values } = parseArgs({ args: [...argv], options: Object.fromEntries(options) })
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [camelCase(name), value as string | boolean]),
    )
  } catch (error) {
    throw new StartRefused(error instanceof Error ? error.message : String(error))
  }
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

function listenAddress({ socket, port }: Given, secret: string | null): ListenAddress {
  if ((socket === undefined) === (port === undefined)) {
    throw new StartRefused('give either --socket PATH or --port N')
  }
  if (socket !== undefined) return { socketPath: socket }
  if (secret === null || secret.length < SECRET_CHARACTERS_MIN) {
    throw new StartRefused(
      `--port needs SVC_WORKER_SECRET, a secret of ${SECRET_CHARACTERS_MIN} characters or more`,
    )
  }
  return { port: port ?? 0 }
}

/** The demo model is so small that a second thread only makes it slower (fourteen times). */
function threadCount({ threads }: Given, isDemo: boolean): number {
  const allowed = Math.max(1, availableParallelism() - 1)
  const asked = threads ?? allowed
  if (asked > allowed) {
    throw new StartRefused(
      `--threads ${asked} is too many: ${allowed} of ${availableParallelism()} cores may be used, ` +
        'and more threads than that make llama.cpp slower by far',
    )
  }
  return isDemo ? 1 : asked
}
