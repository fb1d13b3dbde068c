/** An inference worker on TCP as an operator starts it by hand; it ends with the test. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { bareEnvironment } from './bare-environment.ts'

const MAIN = fileURLToPath(new URL('../../services/worker/src/main.ts', import.meta.url))

/**
 * @param words further ones of its command line
 * @returns the port that it listens on
 */
export async function startWorkerOnTcp(
  secret: string,
  words: readonly string[] = [],
): Promise<number> {
  const child = spawn(process.execPath, [MAIN, '--port', '0', ...words], {
    env: { ...bareEnvironment(), SVC_WORKER_SECRET: secret },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  for await (const line of createInterface({ input: child.stdout })) {
    return JSON.parse(line).address.port
  }
  throw new Error('the worker ended before it was ready')
}
