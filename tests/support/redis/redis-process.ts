/** For tests: a Redis that is a process of this machine, in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { makeTemporaryFolder } from '../temporary-folder.ts'
import type { RedisRun } from './redis-server.ts'

export const REDIS_PROGRAM = 'redis-server'

export class RedisProcess implements RedisRun {
  readonly #words: readonly string[]
  readonly #folder = makeTemporaryFolder()
  #process: ChildProcess | undefined
  readonly #endWithUs = (): void => {
    this.#process?.kill('SIGKILL')
    this.#folder.remove()
  }

  constructor(words: readonly string[]) {
    this.#words = [...words, '--dir', this.#folder.path]
    process.once('exit', this.#endWithUs)
  }

  get pid(): number | undefined {
    return this.#process?.pid
  }

  async start(): Promise<void> {
    this.#process = spawn(REDIS_PROGRAM, this.#words, { stdio: ['ignore', 'ignore', 'ignore'] })
  }

  async hasEnded(): Promise<boolean> {
    return this.#process?.exitCode !== null
  }

  async freeze(): Promise<void> {
    this.#process?.kill('SIGSTOP')
  }

  async thaw(): Promise<void> {
    this.#process?.kill('SIGCONT')
  }

  async kill(): Promise<void> {
    const running = this.#process
    this.#process = undefined
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    running.kill('SIGKILL')
    await ended
  }

  async remove(): Promise<void> {
    process.removeListener('exit', this.#endWithUs)
    this.#folder.remove()
  }
}
