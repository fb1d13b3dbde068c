/**
 * The settings of a worker: options of its command line, and variables (see `workerVariables`),
 * which other users of the machine cannot read. Both are described in
 * docs/how-to/run-several-workers.md.
 */
import { randomBytes } from 'node:crypto'
import { availableParallelism, homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { messageOf } from '@svc/contracts/error-message'
import { issueWords } from '@svc/contracts/issue-words'
import { z } from 'zod'
import { DEMO_MODEL, type EngineSettings, type GpuChoice, gpuChoices } from '../engines/engine.ts'
import { defaultSchemaLimits, type SchemaLimits } from '../grammar/grammar.ts'
import type { CacheSettings } from '../prefix-cache/open-prefix-cache.ts'
import type { FindingsSettings } from '../process/findings.ts'
import { parseJson } from '../process/parse-json.ts'
import { StartRefused } from '../process/start-refused.ts'
import type { ListenAddress } from '../protocol/protocol-server.ts'
import { QUEUE_REQUESTS_MAX, TENANT_QUEUE_REQUESTS_MAX } from '../scheduling/scheduler.ts'
import { optionName, workerOptions } from './worker-options.ts'
import {
  SECRET_CHARACTERS_MIN,
  text,
  whole,
  withoutBrackets,
  workerVariables,
} from './worker-variables.ts'

const CONTEXT_TOKENS_DEFAULT_MAX = 4096
const SEQUENCES_DEMO = 8
const SEQUENCES_DEFAULT = 4
const QUEUE_MAX = 100_000
const PORT_MAX = 65_535
const CACHE_SECRET_BYTES = 32
/** The folder stands beside the downloaded models. */
const FINDINGS_FOLDER = '.findings'
const COMPILE_MS_DEFAULT = 250
/** Three times what 128 tokens of a prompt take a model of 8 GB on two slow cores. */
const HANG_MS_DEFAULT = 60_000

export interface WorkerSettings {
  readonly listen: ListenAddress
  readonly engine: EngineSettings
  /** What an earlier start of this worker has chosen for `auto`; null: it is to be chosen. */
  readonly chosenGpu: GpuChoice | null
  readonly queueLimit: number
  /** Requests of one tenant that may wait. */
  readonly tenantQueueLimit: number
  readonly workerId: string
  readonly supervised: boolean
  readonly secret: string | null
  /** Whether the worker loads its model and serves nobody until it is told to. */
  readonly drained: boolean
  readonly cache: CacheSettings
  /** Whether answers are read while there is nothing else to do. */
  readonly readsAnswers: boolean
  /** What is remembered of the self-tests of models. */
  readonly findings: FindingsSettings
  readonly schemas: SchemaSettings
  /** Milliseconds of silence after which the worker ends itself. */
  readonly hangMs: number
}

export interface SchemaSettings {
  readonly limits: SchemaLimits
  /** Milliseconds of processor time that the schemas of one request may take to compile. */
  readonly compileMs: number
}

const gpuChoice = z.object({
  gpu: z.enum(gpuChoices).exclude(['auto']),
  problem: z.string().nullable(),
})

const schema = z.object({
  ...workerVariables,
  /** The bearer token of every request. */
  SVC_WORKER_SECRET: z.string().optional(),
  socket: z.string().optional(),
  port: whole(0, PORT_MAX).optional(),
  host: text.optional(),
  workerId: text.default(`worker-${process.pid}`),
  modelsFolder: z.string().default(join(homedir(), '.svc', 'models')),
  queue: whole(1, QUEUE_MAX).default(QUEUE_REQUESTS_MAX),
  tenantQueue: whole(1, QUEUE_MAX).default(TENANT_QUEUE_REQUESTS_MAX),
  drained: z.boolean().default(false),
  /** Ends when stdin closes, and leaves Ctrl-C to its parent. */
  supervised: z.boolean().default(false),
  /** What the supervisor's last ready worker computed on, as JSON. */
  chosenGpu: z.string().transform(parseJson).pipe(gpuChoice).optional(),
})

/** Flags that say what a variable says too, in camel case. */
const wordOf: Readonly<Record<string, string>> = Object.fromEntries(
  workerOptions.flatMap(({ flags, variable }) =>
    variable === undefined ? [] : [[variable, camelCase(optionName(flags))]],
  ),
)

type Given = z.output<typeof schema>
type Environment = Readonly<Record<string, string | undefined>>
/** The words of a command line as commander and `parseArgs` give them, in camel case. */
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
  const secret = given.SVC_WORKER_SECRET ?? null
  return {
    listen: listenAddress(given, secret),
    engine: engineSettings(given),
    chosenGpu: given.chosenGpu ?? null,
    queueLimit: given.queue,
    tenantQueueLimit: given.tenantQueue,
    workerId: given.workerId,
    supervised: given.supervised,
    // No server sends one to a socket, whose mode lets in its owner alone.
    secret: given.socket === undefined ? secret : null,
    drained: given.drained,
    cache: {
      on: given.SVC_CACHE === 'on',
      bytes: given.SVC_CACHE_BYTES,
      secret: given.SVC_CACHE_SECRET ?? randomBytes(CACHE_SECRET_BYTES),
      redis: redisSettings(given),
    },
    readsAnswers: given.SVC_READ_ANSWERS === 'on',
    findings: {
      folder: join(given.modelsFolder, FINDINGS_FOLDER),
      anew: given.SVC_SELF_TEST === 'always',
    },
    schemas: schemaSettings(given),
    hangMs: given.SVC_WORKER_HANG_MS ?? HANG_MS_DEFAULT,
  }
}

function engineSettings(given: Given): EngineSettings {
  const { SVC_MODEL: model, modelsFolder, SVC_GPU: gpu, SVC_SEQUENCES, SVC_CONTEXT_SIZE } = given
  const isDemo = model === DEMO_MODEL
  return {
    model,
    modelsFolder,
    gpu,
    contextSize: SVC_CONTEXT_SIZE ?? null,
    contextSizeMax: CONTEXT_TOKENS_DEFAULT_MAX,
    sequences: SVC_SEQUENCES ?? (isDemo ? SEQUENCES_DEMO : SEQUENCES_DEFAULT),
    threads: threadCount(given, isDemo),
  }
}

function schemaSettings(given: Given): SchemaSettings {
  const { bytesMax, alternativesMax, stepsMax, stacksMax } = defaultSchemaLimits
  return {
    limits: {
      bytesMax: given.SVC_SCHEMA_BYTES ?? bytesMax,
      alternativesMax: given.SVC_SCHEMA_ALTERNATIVES ?? alternativesMax,
      stepsMax: given.SVC_SCHEMA_STEPS ?? stepsMax,
      stacksMax: given.SVC_SCHEMA_STACKS ?? stacksMax,
    },
    compileMs: given.SVC_SCHEMA_COMPILE_MS ?? COMPILE_MS_DEFAULT,
  }
}

/** An empty variable is none. What has a flag alone is in no variable, whatever has its name. */
function parsed(words: WorkerWords, environment: Environment): Given {
  const named = Object.keys(schema.shape).map((name) => {
    const variable = isVariable(name) ? environment[name] || undefined : undefined
    return [name, words[wordOf[name] ?? name] ?? variable] as const
  })
  const result = schema.safeParse(Object.fromEntries(named), { error: issueWords })
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new StartRefused(`${shownName(String(issue?.path[0]), words)} ${issue?.message}`)
}

/** The flag, or the variable where no flag was given. */
function shownName(name: string, words: WorkerWords): string {
  const word = wordOf[name] ?? name
  return words[word] === undefined && isVariable(name) ? `${name}:` : flagOf(word)
}

function isVariable(name: string): boolean {
  return /^[A-Z]/.test(name)
}

function redisSettings(given: Given) {
  if (given.REDIS_URL === undefined) return null
  return {
    url: given.REDIS_URL,
    keyPrefix: given.SVC_REDIS_PREFIX,
    blockTtlMs: given.SVC_CACHE_TTL_S * 1000,
    tenantBytesMax: given.SVC_CACHE_TENANT_BYTES,
    blockBytesMax: given.SVC_CACHE_BLOCK_BYTES,
  }
}

function wordsOf(argv: readonly string[]): WorkerWords {
  const flags = [...workerOptions.map(({ flags }) => flags), '--supervised', '--chosen-gpu <json>']
  const options = flags.map((flag) => {
    return [optionName(flag), { type: flag.includes(' ') ? 'string' : 'boolean' }] as const
  })
  try {
    const { values } = parseArgs({ args: [...argv], options: Object.fromEntries(options) })
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [camelCase(name), value as string | boolean]),
    )
  } catch (error) {
    throw new StartRefused(messageOf(error))
  }
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

function listenAddress({ socket, port, host }: Given, secret: string | null): ListenAddress {
  if ((socket === undefined) === (port === undefined)) {
    throw new StartRefused('give either --socket PATH or --port N')
  }
  if (socket !== undefined && host !== undefined) {
    throw new StartRefused('--host goes with --port: a socket is of this machine')
  }
  if (socket !== undefined) return { socketPath: socket }
  if (secret === null || secret.length < SECRET_CHARACTERS_MIN) {
    throw new StartRefused(
      `--port needs SVC_WORKER_SECRET, a secret of ${SECRET_CHARACTERS_MIN} characters or more`,
    )
  }
  return { port: port ?? 0, host: host === undefined ? undefined : withoutBrackets(host) }
}

/** The demo model is so small that a second thread only makes it slower (fourteen times). */
function threadCount({ SVC_THREADS: threads }: Given, isDemo: boolean): number {
  const cores = availableParallelism()
  const asked = threads ?? Math.max(1, cores - 1)
  if (asked > cores) {
    throw new StartRefused(
      `--threads ${asked} is too many: there are ${cores} cores, ` +
        'and more threads than cores make llama.cpp slower by far',
    )
  }
  return isDemo ? 1 : asked
}
