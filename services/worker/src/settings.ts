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
 *             [--worker-id ID]            default worker-<pid>
 *             [--supervised]              end when stdin closes; ignore SIGINT
 *
 *     SVC_WORKER_SECRET   the bearer token of every request; needed with --port, 16 characters
 *     SVC_CACHE_SECRET    keys the names of cached blocks; random when unset
 */
import { randomBytes } from 'node:crypto'
import { availableParallelism, homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { QUEUE_REQUESTS_MAX } from './engine/scheduler.ts'
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

export interface WorkerSettings {
  readonly listen: ListenAddress
  readonly model: string
  readonly modelsFolder: string
  /** Tokens of each sequence; null takes the model's own size up to the default's limit. */
  readonly contextSize: number | null
  readonly sequences: number
  readonly threads: number
  readonly queueLimit: number
  readonly workerId: string
  readonly supervised: boolean
  readonly secret: string | null
  readonly cacheSecret: string | Uint8Array
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
    workerId: values['worker-id'] ?? `worker-${process.pid}`,
    supervised: values.supervised ?? false,
    secret,
    cacheSecret: env.SVC_CACHE_SECRET || randomBytes(CACHE_SECRET_BYTES),
  }
}

type Values = ReturnType<typeof parseArguments>
type NumberSetting = 'port' | 'context-size' | 'sequences' | 'threads' | 'queue'

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
        'worker-id': { type: 'string' },
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
