/** The real server as a child process, started and stopped as a user would. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { COMPILED } from './bare-environment.ts'
import { SERVER_ENVIRONMENT, SERVER_NODE_FLAGS } from './server-flags.ts'

const MAIN = fileURLToPath(new URL('../../services/cli/src/main.ts', import.meta.url))
const READY_TIMEOUT_MS = 90_000
/** Well above what running requests get to end in. */
const STOP_TIMEOUT_MS = 90_000
const STDERR_CHARACTERS_MAX = 64 * 1024

export interface ReadyLine {
  readonly type: 'ready'
  readonly baseUrl: string
  readonly apiKey?: string
  readonly accountId: string
  /** Of a first start: makes whoever opens it the owner. */
  readonly ownerLink?: string
  readonly dataDir: string
  readonly pid: number
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export class ServerProcess {
  readonly exited: Promise<Exit>
  readonly #child: ChildProcess
  readonly #lines: string[] = []
  #stderr = ''

  /** @param flags more of `svc start` */
  constructor(
    dataDir: string,
    environment: Readonly<Record<string, string>> = {},
    flags: readonly string[] = [],
  ) {
    this.#child = spawn(
      process.execPath,
      [
        ...SERVER_NODE_FLAGS,
        MAIN,
        'start',
        '--port',
        '0',
        '--data-dir',
        dataDir,
        '--json',
        ...flags,
      ],
      {
        env: {
          NODE_COMPILE_CACHE: COMPILED,
          ...SERVER_ENVIRONMENT,
          ...withoutSettings(process.env),
          ...environment,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    this.exited = once(this.#child, 'exit').then(([code, signal]) => ({ code, signal }))
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARACTERS_MAX)
    })
  }

  /** What it has said on standard error. */
  get stderr(): string {
    return this.#stderr
  }

  /** Every line of standard output so far. */
  get stdout(): readonly string[] {
    return this.#lines
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Waits for the ready line. @throws with standard error when the server ends before it */
  async ready(): Promise<ReadyLine> {
    const { promise, resolve, reject } = Promise.withResolvers<ReadyLine>()
    if (this.#child.stdout === null) throw new Error('no standard output')
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      this.#lines.push(line)
      if (line.startsWith('{"type":"ready"')) resolve(JSON.parse(line))
    })
    const timeout = setTimeout(() => reject(new Error('not ready in time')), READY_TIMEOUT_MS)
    this.exited.then(
      ({ code, signal }) => reject(new Error(`ended (${code ?? signal}): ${this.#stderr}`)),
      reject,
    )
    return promise.finally(() => clearTimeout(timeout))
  }

  /** Sends a signal to this very process. */
  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /**
   * Asks for an orderly stop and waits for the end.
   *
   * @throws with what it said when it does not come to an end; it is killed then
   */
  async stop(): Promise<Exit> {
    this.kill('SIGTERM')
    const { promise: hung, reject } = Promise.withResolvers<never>()
    const timeout = setTimeout(() => {
      this.kill('SIGKILL')
      reject(new Error(`it did not stop: ${this.#stderr}`))
    }, STOP_TIMEOUT_MS)
    return Promise.race([this.exited, hung]).finally(() => clearTimeout(timeout))
  }
}

/** The settings of whoever runs the tests do not reach the server under test. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const others = ['EVENTSTORE_URL', 'REDIS_URL', 'KAFKA_BROKERS']
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !name.startsWith('SVC_') && !others.includes(name),
    ),
  )
}
