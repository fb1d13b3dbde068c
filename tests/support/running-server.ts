/** A real server that runs for one test, with what the test needs to use and to inspect it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Operations } from '@svc/contracts/admin/operations'
import { createRemoteOperations } from '@svc/operator/remote/remote-operations'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { onTestFinished } from 'vitest'
import { type ReadyLine, ServerProcess } from './server-process.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface RunningServer {
  readonly process: ServerProcess
  readonly ready: ReadyLine
  /** As the operator sees it. */
  readonly operations: Operations
  /** The metrics, as Prometheus gets them. */
  metrics(): Promise<string>
  /** Asks for a chat completion with the key of the demo account. */
  chat(fields: object, signal?: AbortSignal): Promise<Response>
}

/** Starts one on a new data folder; it ends with the test. */
export async function startRunningServer(
  environment: Readonly<Record<string, string>> = {},
  dataDir = join(temporaryFolder(), 'data'),
  flags: readonly string[] = [],
): Promise<RunningServer> {
  const server = new ServerProcess(dataDir, environment, flags)
  const ending = new AbortController()
  onTestFinished(async () => {
    ending.abort()
    server.kill('SIGKILL')
    await server.exited
  })
  const ready = await server.ready()
  const { operatorToken } = new DataFolder(dataDir).readSecrets() ?? { operatorToken: '' }
  const { signal } = ending
  return {
    process: server,
    ready,
    operations: createRemoteOperations({ baseUrl: ready.baseUrl, operatorToken, signal }),
    async metrics() {
      const headers = { authorization: `Bearer ${operatorToken}` }
      return (await fetch(`${ready.baseUrl}/admin/v1/metrics`, { headers })).text()
    },
    chat: (fields, aborted) => postChat(ready, fields, aborted),
  }
}

/** An inference worker that a server started: its child process, found by Linux's /proc. */
export interface ChildWorker {
  readonly workerId: string
  readonly pid: number
  readonly socketPath: string
}

/** The workers that a server started, in the order of their names. */
export function workersOf({ pid }: ServerProcess): readonly ChildWorker[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  const workers = children.filter(Boolean).flatMap((child) => {
    const words = commandOf(child)
    const socketPath = words[words.indexOf('--socket') + 1]
    const workerId = words[words.indexOf('--worker-id') + 1]
    if (!words.includes('--socket') || socketPath === undefined) return []
    return [{ workerId: workerId ?? '', pid: Number(child), socketPath }]
  })
  return workers.toSorted((a, b) => a.workerId.localeCompare(b.workerId))
}

/** Empty for a process that has just ended. */
function commandOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

/** The only worker that a server started. */
export function workerOf(server: ServerProcess): ChildWorker {
  const [worker] = workersOf(server)
  if (worker === undefined) throw new Error(`process ${server.pid} has no worker`)
  return worker
}

function postChat(
  { baseUrl, apiKey }: ReadyLine,
  fields: object,
  signal: AbortSignal | undefined,
): Promise<Response> {
  return fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model: 'svc-beta', temperature: 0, ...fields }),
    ...(signal === undefined ? {} : { signal }),
  })
}
