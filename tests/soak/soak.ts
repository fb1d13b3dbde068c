/**
 * Sends many requests through the real server, with a scripted worker, and looks whether it holds
 * more memory, files or sockets afterwards than when it was warm.
 *
 *     npm run bench:soak -- [--warm-up 40000] [--requests 20000] [--json]
 *
 * A warm server has its code compiled and the caches of its databases full (16 MiB for the log, 8
 * for each view): that takes some 40,000 requests. From then on memory may grow by a tenth and
 * 20 MiB.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ProcessSize, sizeOfProcess } from '@svc/testing/process-size'
import { readOptions } from '@svc/testing/read-options'
import { ScriptedWorker } from '@svc/testing/scripted-worker'
import { type ReadyLine, ServerProcess } from '@svc/testing/server-process'

const DEFAULT_REQUESTS = 20_000
const DEFAULT_WARM_UP = 40_000
const CLIENTS = 32
const TOKENS = 8
/** Every so-many-th request is streamed, has an Idempotency-Key, or is left by its client. */
const STREAMED_EVERY = 2
const IDEMPOTENT_EVERY = 5
const LEFT_EVERY = 20
/** Kept connections are closed by then, on both sides. */
const QUIET_MS = 7_000
/** Garbage is collected by then. */
const COLLECTED_MS = 1_000
const MEBIBYTE = 1024 * 1024
const GROWTH_SHARE_MAX = 0.1
const GROWTH_BYTES_MAX = 20 * MEBIBYTE

export interface SoakSummary {
  readonly requests: number
  readonly requests_per_s: number
  readonly warm_rss_mib: number
  readonly end_rss_mib: number
  readonly allowed_rss_mib: number
  readonly warm_sockets: number
  readonly end_sockets: number
  readonly warm_files: number
  readonly end_files: number
  /** Requests that were answered otherwise than they should. */
  readonly wrong_answers: readonly string[]
  /** What holds more than it may. */
  readonly grown: readonly ('memory' | 'sockets' | 'files')[]
}

/** @param warmUp requests before the first measurement; `requests` come after it */
export async function soak(warmUp: number, requests: number): Promise<SoakSummary> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-soak-'))
  const socketPath = join(folder, 'worker.sock')
  const worker = new ScriptedWorker({ socketPath, script: { tokens: TOKENS } }, false)
  await worker.listen()
  const server = new ServerProcess(join(folder, 'data'), {
    SVC_WORKER_URLS: `unix:${socketPath}`,
    NODE_OPTIONS: `--expose-gc --import ${import.meta.resolve('./collect-garbage.ts')}`,
  })
  try {
    const ready = await server.ready()
    const wrongAnswers: string[] = []
    const measure = async (): Promise<ProcessSize> => {
      await delay(QUIET_MS)
      server.kill('SIGUSR2')
      await delay(COLLECTED_MS)
      return sizeOfProcess(server.pid)
    }
    await send(ready, warmUp, wrongAnswers)
    const warm = await measure()
    const startMs = performance.now()
    await send(ready, requests, wrongAnswers)
    const perSecond = (requests / (performance.now() - startMs)) * 1000
    return summaryOf({ requests, warm, end: await measure(), perSecond, wrongAnswers })
  } finally {
    server.kill('SIGKILL')
    await server.exited
    await worker.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Measured {
  readonly requests: number
  readonly warm: ProcessSize
  readonly end: ProcessSize
  readonly perSecond: number
  readonly wrongAnswers: readonly string[]
}

function summaryOf({ requests, warm, end, perSecond, wrongAnswers }: Measured): SoakSummary {
  const allowed = warm.bytes * (1 + GROWTH_SHARE_MAX) + GROWTH_BYTES_MAX
  const grown: SoakSummary['grown'][number][] = []
  if (end.bytes > allowed) grown.push('memory')
  if (end.sockets > warm.sockets) grown.push('sockets')
  if (end.openFiles > warm.openFiles) grown.push('files')
  return {
    requests,
    requests_per_s: Math.round(perSecond),
    warm_rss_mib: mib(warm.bytes),
    end_rss_mib: mib(end.bytes),
    allowed_rss_mib: mib(allowed),
    warm_sockets: warm.sockets,
    end_sockets: end.sockets,
    warm_files: warm.openFiles,
    end_files: end.openFiles,
    wrong_answers: wrongAnswers,
    grown,
  }
}

function mib(bytes: number): number {
  return Math.round((bytes / MEBIBYTE) * 10) / 10
}

async function send(ready: ReadyLine, requests: number, wrong: string[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  let next = 0
  const client = async () => {
    for (let index = next++; index < requests; index = next++) {
      const problem = await sendOne(ready, index, agent)
      if (problem !== undefined) wrong.push(problem)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  agent.destroy()
}

function sendOne(
  { baseUrl, apiKey }: ReadyLine,
  index: number,
  agent: Agent,
): Promise<string | undefined> {
  const leaves = index % LEFT_EVERY === 0
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${apiKey}`,
    ...(index % IDEMPOTENT_EVERY === 0
      ? { 'idempotency-key': `${performance.now()}-${index}` }
      : {}),
  }
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const url = `${baseUrl}/v1/chat/completions`
  const sent = request(url, { method: 'POST', headers, agent }, (answer) => {
    if (leaves) {
      answer.destroy()
      return resolve(undefined)
    }
    answer.resume()
    answer.on('end', () => resolve(answer.statusCode === 200 ? undefined : `${answer.statusCode}`))
    answer.on('error', (error) => resolve(error.message))
  })
  sent.on('error', (error) => resolve(leaves ? undefined : error.message))
  sent.end(
    JSON.stringify({
      model: 'svc-beta',
      max_tokens: TOKENS,
      stream: index % STREAMED_EVERY === 0,
      messages: [{ role: 'user', content: `Question ${index}` }],
    }),
  )
  return promise
}

async function main(): Promise<void> {
  const values = readOptions({
    'warm-up': { type: 'string', default: String(DEFAULT_WARM_UP) },
    requests: { type: 'string', default: String(DEFAULT_REQUESTS) },
    json: { type: 'boolean', default: false },
  })
  const summary = await soak(Number(values['warm-up']), Number(values.requests))
  process.stdout.write(`${JSON.stringify(summary, null, values.json ? undefined : 2)}\n`)
  process.exitCode = summary.wrong_answers.length + summary.grown.length === 0 ? 0 : 1
}

if (import.meta.main) await main()
