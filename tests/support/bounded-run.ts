/**
 * For tests: a program that is waited for. Meanwhile this process does nothing else, and no timeout
 * of Vitest counts: so each such run has a bound of its own (`tests/tidy.test.ts`).
 */
import { type SpawnSyncOptions, spawnSync } from 'node:child_process'

/** Less than Vitest leaves a test, so that a failure says which program it was. */
const RUN_MS_MAX = 45_000

export interface EndedRun {
  /** The exit code; null when there is no such program, or a signal ended it. */
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** @throws {Error} when the program was still running after `timeout` milliseconds */
export function runToEnd(
  command: string,
  words: readonly string[] = [],
  { timeout = RUN_MS_MAX, ...options }: Omit<SpawnSyncOptions, 'encoding' | 'killSignal'> = {},
): EndedRun {
  const { error, status, stdout, stderr } = spawnSync(command, words, {
    ...options,
    timeout,
    encoding: 'utf8',
    killSignal: 'SIGKILL',
  })
  if (error !== undefined && 'code' in error && error.code === 'ETIMEDOUT') {
    const name = [command, ...words].join(' ')
    throw new Error(`not over after ${timeout} ms: ${name}\n${stdout ?? ''}${stderr ?? ''}`)
  }
  return { status, stdout: stdout ?? '', stderr: stderr ?? '' }
}
