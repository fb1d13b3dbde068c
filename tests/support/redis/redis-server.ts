/**
 * For tests and benches: a real Redis. Where `REDIS_URL` names one it is used, and may be flushed,
 * but cannot be broken; else the `redis-server` of the machine is started on the loopback, in a
 * folder of its own and without persistence: after a kill it comes back empty.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../free-port.ts'
import { makeTemporaryFolder } from '../temporary-folder.ts'
import { callRedis, type RedisArgument, type RedisValue } from './redis-call.ts'

const PROGRAM = 'redis-server'
const STARTED_WITHIN_MS = 30_000
const LOOK_AGAIN_MS = 10
/** A server that is silent for this long is frozen. */
const SILENT_MS = 50

export interface RedisServerOptions {
  /** Such as `2mb`. */
  readonly maxmemory?: string | undefined
  /** Such as `noeviction`. */
  readonly maxmemoryPolicy?: string | undefined
  /** One that is free, when it is left out. */
  readonly port?: number | undefined
  /** Further arguments of redis-server, such as `--requirepass`. */
  readonly settings?: readonly string[] | undefined
}

export interface RedisServer {
  readonly url: string
  /** The same server, where it is one of our own. */
  readonly socketPath: string
  /** Of the process that runs now, where it is one of our own. */
  readonly pid: number | undefined
  /** Sends one command over a connection of its own. @throws {Error} what the server says */
  command(...args: readonly RedisArgument[]): Promise<RedisValue>
  /** Removes all keys of the database. */
  flush(): Promise<void>
  /** Stops the process without ending it: connections stay open, and nothing is answered. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  /** As `kill -9` does. */
  kill(): Promise<void>
  /** Starts it again at the same address, and waits until it answers. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** Where the tests of Redis run. */
export function redisPlace(): 'given' | 'own' | 'missing' {
  if (process.env.REDIS_URL) return 'given'
  return spawnSync(PROGRAM, ['--version']).status === 0 ? 'own' : 'missing'
}

export function redisIsHere(): boolean {
  return redisPlace() !== 'missing'
}

/** @throws {Error} when there is none; see `redisIsHere` */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const given = process.env.REDIS_URL
  if (given) return givenServer(given, options)
  return OwnRedisServer.start(options)
}

function givenServer(url: string, options: RedisServerOptions): RedisServer {
  const refuse = (): never => {
    throw new Error('the server that REDIS_URL names is not the test’s to set or to break')
  }
  if (Object.keys(options).length > 0) refuse()
  return {
    url,
    socketPath: '',
    pid: undefined,
    command: (...args) => callRedis(url, args),
    flush: async () => void (await callRedis(url, ['FLUSHDB'])),
    freeze: async () => refuse(),
    thaw: async () => refuse(),
    kill: async () => refuse(),
    restart: async () => refuse(),
    close: async () => {},
  }
}

class OwnRedisServer implements RedisServer {
  readonly url: string
  readonly socketPath: string
  readonly #arguments: readonly string[]
  readonly #folder = makeTemporaryFolder()
  #process: ChildProcess | undefined
  readonly #endWithUs = (): void => {
    this.#process?.kill('SIGKILL')
    this.#folder.remove()
  }

  private constructor(port: number, { maxmemory, maxmemoryPolicy, settings }: RedisServerOptions) {
    this.url = `redis://127.0.0.1:${port}`
    this.socketPath = join(this.#folder.path, 'redis.sock')
    this.#arguments = [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', this.#folder.path],
      ...['--unixsocket', this.socketPath, '--save', '', '--appendonly', 'no'],
      ...(maxmemory === undefined ? [] : ['--maxmemory', maxmemory]),
      ...(maxmemoryPolicy === undefined ? [] : ['--maxmemory-policy', maxmemoryPolicy]),
      ...(settings ?? []),
    ]
    process.once('exit', this.#endWithUs)
  }

  static async start(options: RedisServerOptions): Promise<OwnRedisServer> {
    const server = new OwnRedisServer(options.port ?? (await freePort()), options)
    await server.restart()
    return server
  }

  get pid(): number | undefined {
    return this.#process?.pid
  }

  command(...args: readonly RedisArgument[]): Promise<RedisValue> {
    return callRedis(this.url, args)
  }

  async flush(): Promise<void> {
    await this.command('FLUSHALL')
  }

  async freeze(): Promise<void> {
    this.#process?.kill('SIGSTOP')
    while (await this.#answers()) await delay(LOOK_AGAIN_MS)
  }

  async thaw(): Promise<void> {
    this.#process?.kill('SIGCONT')
    await this.#untilItAnswers()
  }

  async kill(): Promise<void> {
    const running = this.#process
    this.#process = undefined
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    running.kill('SIGKILL')
    await ended
  }

  async restart(): Promise<void> {
    await this.kill()
    this.#process = spawn(PROGRAM, this.#arguments, { stdio: ['ignore', 'ignore', 'ignore'] })
    await this.#untilItAnswers()
  }

  async close(): Promise<void> {
    await this.kill()
    process.removeListener('exit', this.#endWithUs)
    this.#folder.remove()
  }

  async #untilItAnswers(): Promise<void> {
    const deadline = performance.now() + STARTED_WITHIN_MS
    while (!(await this.#answers())) {
      if (performance.now() > deadline || this.#process?.exitCode !== null) {
        throw new Error(`${PROGRAM} does not run: ${this.#arguments.join(' ')}`)
      }
      await delay(LOOK_AGAIN_MS)
    }
  }

  /** A refusal, such as of one who has no password, is an answer too. */
  async #answers(): Promise<boolean> {
    try {
      await callRedis(this.url, ['PING'], SILENT_MS)
      return true
    } catch (error) {
      return error instanceof Error && error.message.startsWith('NOAUTH')
    }
  }
}
