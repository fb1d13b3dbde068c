/**
 * For tests and benches: a real Redis. Where `REDIS_URL` names one it is used, and may be flushed,
 * but cannot be broken; else one is started on the loopback, without persistence, so that it comes
 * back empty after a kill: in a container of the image that `SVC_TEST_REDIS_IMAGE` names, as the
 * `redis-server` of the machine, or, where there is none, in a container of the public image.
 */

import { setTimeout as delay } from 'node:timers/promises'
import { runToEnd } from '../bounded-run.ts'
import { containerEngineIsHere } from '../containers/test-container.ts'
import { freePort } from '../free-port.ts'
import type { ServerRun } from '../server-run.ts'
import { callRedis, type RedisArgument, type RedisValue } from './redis-call.ts'
import { RedisContainer } from './redis-container.ts'
import { REDIS_PROGRAM, RedisProcess } from './redis-process.ts'

const PUBLIC_IMAGE = 'redis:7'
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

/** What keeps a Redis of our own running. */
export interface RedisRun extends ServerRun {
  /** Of the process that runs now, where it is one of this machine. */
  readonly pid: number | undefined
  /** With all that it has. */
  remove(): Promise<void>
}

export interface RedisServer {
  readonly url: string
  /** Of the process that runs now, where it is one of this machine. */
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

/** Where the tests of Redis run: one that they start themselves they may break. */
export function redisPlace(): 'given' | 'container' | 'process' | 'missing' {
  if (process.env.REDIS_URL) return 'given'
  const host = redisHost()
  if (host === undefined) return 'missing'
  return host.image === undefined ? 'process' : 'container'
}

/** What runs one of our own: the image of a container, or the machine. */
function redisHost(): { readonly image?: string } | undefined {
  const image = process.env.SVC_TEST_REDIS_IMAGE
  if (image) return { image }
  if (runToEnd(REDIS_PROGRAM, ['--version']).status === 0) return {}
  return containerEngineIsHere() ? { image: PUBLIC_IMAGE } : undefined
}

export function redisIsHere(): boolean {
  return redisPlace() !== 'missing'
}

/** @throws {Error} when there is none; see `redisIsHere` */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const given = process.env.REDIS_URL
  if (given) return givenServer(given, options)
  const { image } = redisHost() ?? {}
  const port = options.port ?? (await freePort())
  const words = wordsOf(port, options)
  const run = image === undefined ? new RedisProcess(words) : new RedisContainer(image, words)
  const server = new OwnRedisServer(port, run)
  await server.restart()
  return server
}

function wordsOf(port: number, options: RedisServerOptions): readonly string[] {
  const { maxmemory, maxmemoryPolicy, settings } = options
  return [
    ...['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    ...(maxmemory === undefined ? [] : ['--maxmemory', maxmemory]),
    ...(maxmemoryPolicy === undefined ? [] : ['--maxmemory-policy', maxmemoryPolicy]),
    ...(settings ?? []),
  ]
}

function givenServer(url: string, options: RedisServerOptions): RedisServer {
  const refuse = (): never => {
    throw new Error('the server that REDIS_URL names is not the test’s to set or to break')
  }
  if (Object.keys(options).length > 0) refuse()
  return {
    url,
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
  readonly #run: RedisRun

  constructor(port: number, run: RedisRun) {
    this.url = `redis://127.0.0.1:${port}`
    this.#run = run
  }

  get pid(): number | undefined {
    return this.#run.pid
  }

  command(...args: readonly RedisArgument[]): Promise<RedisValue> {
    return callRedis(this.url, args)
  }

  async flush(): Promise<void> {
    await this.command('FLUSHALL')
  }

  async freeze(): Promise<void> {
    await this.#run.freeze()
    while (await this.#answers()) await delay(LOOK_AGAIN_MS)
  }

  async thaw(): Promise<void> {
    await this.#run.thaw()
    await this.#untilItAnswers()
  }

  async kill(): Promise<void> {
    await this.#run.kill()
  }

  async restart(): Promise<void> {
    await this.#run.kill()
    await this.#run.start()
    await this.#untilItAnswers()
  }

  async close(): Promise<void> {
    await this.#run.kill()
    await this.#run.remove()
  }

  async #untilItAnswers(): Promise<void> {
    const deadline = performance.now() + STARTED_WITHIN_MS
    while (!(await this.#answers())) {
      if (performance.now() > deadline || (await this.#run.hasEnded())) {
        throw new Error(`the Redis for tests does not run at ${this.url}`)
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
