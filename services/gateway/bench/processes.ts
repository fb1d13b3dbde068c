/**
 * The processes of the benchmark: each is its own, so that none measures another's work as its own.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { LoadPlan, LoadResult } from './load-plan.ts'

/** Runs one load to its end. @throws when any request failed */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const child = start('./load.ts', JSON.stringify(plan))
  const exited = once(child, 'exit')
  const result = JSON.parse(await firstLine(child)) as LoadResult
  await exited
  if (result.failures > 0) {
    throw new Error(`${result.failures} of the requests failed, such as: ${result.failure}`)
  }
  return result
}

export interface Service {
  /** What it said when it was ready. */
  readonly ready: string
  /** Asks for an orderly stop and waits for the end. */
  stop(): Promise<void>
}

/** A worker that answers at once, so that what is measured is everything else. */
export function startWorker(socketPath: string, outputTokens: number): Promise<Service> {
  const file = '@svc/testing/scripted-worker'
  return startService(file, '--socket', socketPath, '--tokens', `${outputTokens}`)
}

/** The server's real parts on a data folder; `ready` is its base URL. */
export function startServer(dataFolder: string, socketPath: string): Promise<Service> {
  return startService('./server.ts', dataFolder, socketPath)
}

/** @param file relative to this folder, or a door of a package */
async function startService(file: string, ...words: readonly string[]): Promise<Service> {
  const child = start(file, ...words)
  return {
    ready: await firstLine(child),
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

function start(file: string, ...words: readonly string[]): ChildProcess {
  const path = fileURLToPath(import.meta.resolve(file))
  return spawn(process.execPath, [path, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no standard output')
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('a process of the benchmark ended before it said anything')
}
