/** The threads that the process of a test starts. */
import type { Worker } from 'node:worker_threads'
import { afterAll, afterEach, beforeAll } from 'vitest'

/**
 * Gathers the threads that start. To be called once in a file.
 *
 * @returns in the order of their start, empty again after each test
 */
export function startedThreads(): Worker[] {
  const started: Worker[] = []
  const add = (thread: Worker): void => {
    started.push(thread)
  }
  beforeAll(() => void process.on('worker', add))
  afterEach(() => {
    started.length = 0
  })
  afterAll(() => void process.off('worker', add))
  return started
}
