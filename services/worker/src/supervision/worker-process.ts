/** One run of a worker process: its start, its one line on stdout, its log, its end. */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { messageOf } from '@svc/contracts/error-message'
import { type HealthResponse, healthResponse } from '@svc/contracts/worker/protocol'
import { z } from 'zod'
import { childEnvironment } from '../process/child-environment.ts'
import { forwardLog, onLines } from '../process/child-log.ts'
import { LIBUV_THREADS } from '../process/libuv-threads.ts'
import type { Log } from '../process/log.ts'
import { parseJson } from '../process/parse-json.ts'
import { EXIT_REFUSED } from '../process/start-refused.ts'

const MAIN_PATH = fileURLToPath(new URL('../main.ts', import.meta.url))
/**
 * V8's own threads, which collect garbage for all threads of the process at the priority of those
 * that serve: four of them, for schemas that are compiled, take both cores of a small machine.
 */
const V8_THREADS = 1

/** No process kills itself so. Who supervises it knows whether it has killed it. */
const KILLED = 'most likely the system ended it for lack of memory'

const firstLine = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), health: healthResponse }),
  z.object({ type: z.literal('refused'), reason: z.string() }),
])

export interface WorkerEnd {
  /** One line: why the worker ended, or why it could not start. */
  readonly reason: string
  /** True when another start would end the same way. */
  readonly definite: boolean
}

export interface WorkerProcessOptions {
  readonly socketPath: string
  readonly workerId: string
  readonly modelArguments: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly log: Log
  readonly onReady: (health: HealthResponse) => void
  /** Is called for each line of the process's log, so that a slow start is not taken for a hang. */
  readonly onSign: () => void
  readonly onEnd: (end: WorkerEnd) => void
}

export interface WorkerProcess {
  readonly pid: number | undefined
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
}

/** Starts the process. `onEnd` is called exactly once, and never before this returns. */
export function startWorkerProcess(options: WorkerProcessOptions): WorkerProcess {
  try {
    const child = spawned(options)
    if (hasPipes(child)) return followed(child, options)
    child.once('error', (error) => options.onEnd(notStarted(error)))
  } catch (error) {
    process.nextTick(() => options.onEnd(notStarted(error)))
  }
  return { pid: undefined, kill() {} }
}

/** @throws when the system has no memory for it */
function spawned({
  socketPath,
  workerId,
  modelArguments,
  env,
}: WorkerProcessOptions): ChildProcess {
  return spawn(
    process.execPath,
    [
      // Without this flag the signal opens a debugger, through which anybody on the machine reads
      // the worker's memory.
      '--disable-sigusr1',
      `--v8-pool-size=${V8_THREADS}`,
      MAIN_PATH,
      ...['--socket', socketPath, '--worker-id', workerId, '--supervised'],
      ...modelArguments,
    ],
    { stdio: ['pipe', 'pipe', 'pipe'], env: environment(env) },
  )
}

/** Where no more files can be opened there is no process, and there are no pipes to it. */
function hasPipes(child: ChildProcess): child is ChildProcessWithoutNullStreams {
  return Boolean(child.stdin && child.stdout && child.stderr)
}

function followed(
  child: ChildProcessWithoutNullStreams,
  options: WorkerProcessOptions,
): WorkerProcess {
  const { workerId } = options
  // The worker ends when this pipe closes; a write error on it only says that it has ended.
  child.stdin.on('error', () => {})
  let refusal: string | undefined
  let wasReady = false
  onLines(child.stdout, (line) => {
    const parsed = firstLine.safeParse(parseJson(line))
    if (!parsed.success) options.log('warn', "unexpected line on the worker's stdout", { workerId })
    else if (parsed.data.type === 'refused') refusal = parsed.data.reason
    else {
      wasReady = true
      options.onReady(parsed.data.health)
    }
  })
  const said = forwardLog(child.stderr, options.log, { workerId }, options.onSign)
  reportEnd(child, options.onEnd, (how) => {
    if (refusal !== undefined) return refusal
    return wasReady ? servedUntil(how) : neverReady(how, said.firstError)
  })
  return {
    pid: child.pid,
    kill: (signal) => {
      child.kill(signal)
    },
  }
}

function servedUntil(how: string): string {
  const end = `the worker process ended (${how})`
  return how === 'SIGKILL' ? `${end}: ${KILLED}` : end
}

/**
 * Native code ends the process when it meets bytes that it does not expect, or a GPU that cannot do
 * what it asks. Only of the latter does it say anything.
 */
function neverReady(how: string, firstError: string | undefined): string {
  const why = firstError ?? (how === 'SIGKILL' ? KILLED : 'the model file may be damaged')
  return `the worker process ended (${how}) before it was ready: ${why}`
}

function reportEnd(
  child: ChildProcess,
  onEnd: (end: WorkerEnd) => void,
  reasonOf: (how: string) => string,
): void {
  let ended = false
  const end = (result: WorkerEnd) => {
    if (ended) return
    ended = true
    onEnd(result)
  }
  child.on('error', (error) => end(notStarted(error)))
  // 'close' and not 'exit': only then are the last lines of stdout and stderr read.
  child.on('close', (code, signal) => {
    const reason = reasonOf(signal ?? `exit code ${code}`)
    end({ reason, definite: code === EXIT_REFUSED })
  })
}

function notStarted(error: unknown): WorkerEnd {
  return { reason: `the worker process cannot be started: ${messageOf(error)}`, definite: true }
}

function environment(extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _ofTheHost, ...inherited } = childEnvironment()
  return { ...inherited, UV_THREADPOOL_SIZE: LIBUV_THREADS, ...extra }
}
