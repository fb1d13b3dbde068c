/**
 * The processes of the benchmark: each is its own, so that none measures another's work as its own.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { COMPILED } from '@svc/testing/bare-environment'
import { memoryOfProcess } from '@svc/testing/process-size'
import { processorMs } from '@svc/testing/processor-time'
import { SERVER_ENVIRONMENT, SERVER_NODE_FLAGS } from '@svc/testing/server-flags'
import type { LoadPlan, LoadResult } from './load-plan.ts'

/** Runs one load to its end. @throws when any request failed */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const child = start(['./load.ts', JSON.stringify(plan)])
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
  /** Processor time of all its threads, in microseconds. NaN where the system does not tell. */
  processorUs(): number
  /** What it holds of the machine's memory. NaN where the system does not tell. */
  residentBytes(): number
  /** Asks for an orderly stop and waits for the end. */
  stop(): Promise<void>
}

/** A worker that answers at once, so that what is measured is everything else. */
export function startWorker(socketPath: string, outputTokens: number): Promise<Service> {
  const file = '@svc/testing/scripted-worker'
  return startService([file, '--socket', socketPath, '--tokens', `${outputTokens}`])
}

/** An EventStoreDB in memory; `ready` is its connection string. */
export function startDouble(): Promise<Service> {
  return startService(['@svc/testing/eventstoredb-double/main'])
}

/**
 * The server's real parts on a data folder; `ready` is its base URL.
 *
 * @param options of Node
 * @param more arguments of the server
 */
export function startServer(
  dataFolder: string,
  socketPath: string,
  options: readonly string[] = [],
  more: readonly string[] = [],
): Promise<Service> {
  const command = ['./server.ts', dataFolder, socketPath, ...more] as const
  // As `./svc` starts it: a process that strips the types of its files itself holds the stripper
  // too.
  const environment = { ...SERVER_ENVIRONMENT, NODE_COMPILE_CACHE: COMPILED }
  return startService(command, [...SERVER_NODE_FLAGS, ...options], environment)
}

/** @param command a file, relative to this folder or a door of a package, and its arguments */
async function startService(
  command: readonly [file: string, ...words: string[]],
  options: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const child = start(command, options, environment)
  return {
    ready: await firstLine(child),
    processorUs: () => onLinux(child, processorMs) * 1000,
    residentBytes: () => onLinux(child, memoryOfProcess),
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

/** NaN where the system does not tell. */
function onLinux(child: ChildProcess, measure: (pid: number) => number): number {
  const isTold = process.platform === 'linux' && child.pid !== undefined
  return isTold ? measure(child.pid) : Number.NaN
}

function start(
  [file, ...words]: readonly [file: string, ...words: string[]],
  options: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  const path = fileURLToPath(import.meta.resolve(file))
  return spawn(process.execPath, [...options, path, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...environment, ...process.env },
  })
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no standard output')
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('a process of the benchmark ended before it said anything')
}
