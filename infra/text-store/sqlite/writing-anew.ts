/** Writes a file of texts anew in a thread of its own: nothing else waits for the disk. */
import { Worker } from 'node:worker_threads'

/** What the thread says when it failed. */
export interface Failure {
  readonly message: string
  /** SQLite's own code of the error. */
  readonly errcode: number | undefined
}

/**
 * Resolves when the file, which nobody has open, and its log hold nothing but what is in its
 * tables. Rejects with what the thread failed with: then the file may hold more.
 */
export function writtenAnew(path: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const thread = new Worker(new URL('write-anew-thread.ts', import.meta.url), {
    workerData: path,
    env: {},
    argv: [],
    execArgv: [],
    name: 'texts',
  })
  thread.on('message', ({ message, errcode }: Failure) => {
    const failed = new Error(`${path} could not be written anew: ${message}`)
    reject(Object.assign(failed, { errcode }))
  })
  thread.on('error', reject)
  thread.on('exit', () => resolve())
  return promise
}
