/**
 * A worker that speaks the worker protocol and runs no model: for tests and benchmarks.
 *
 *     node tests/support/scripted-worker.ts --socket PATH --tokens N --delay-ms D
 *
 * Its `/prepare` counts one token per four bytes of text, so that every number is known in advance;
 * calls of tools and the tools themselves count as the bytes of their JSON.
 */
import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { parseArgs } from 'node:util'
import {
  type AnswerPlan,
  type GenerateRequest,
  type HealthAnswer,
  type PrepareRequest,
  workerPaths,
} from '@svc/contracts/worker-protocol'
import { ScriptedRun } from './scripted-worker-run.ts'
import { plainScript, type WorkerScript } from './scripted-worker-script.ts'

export {
  type Fault,
  plainScript,
  type ScriptedEvent,
  type WorkerScript,
} from './scripted-worker-script.ts'

const BYTES_PER_TOKEN = 4

export interface ScriptedWorkerOptions {
  readonly socketPath: string
  readonly script?: Partial<WorkerScript>
  readonly workerId?: string
  readonly fingerprint?: string
  readonly contextSize?: number
}

/** Tokens of a conversation, as `/prepare` counts them. */
export function scriptedPromptTokens(
  messages: PrepareRequest['messages'],
  toolUse: PrepareRequest['toolUse'] = null,
): number {
  const texts = messages.flatMap((message) => {
    if (message.role !== 'assistant') return [message.content]
    const calls = (message.toolCalls ?? []).map((call) => JSON.stringify(call))
    return [message.content, message.reasoning ?? '', ...calls]
  })
  for (const tool of toolUse?.tools ?? []) texts.push(JSON.stringify(tool))
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return Math.max(1, Math.ceil(bytes / BYTES_PER_TOKEN))
}

export class ScriptedWorker {
  /** What the next requests get; change it between requests. */
  script: WorkerScript
  status: HealthAnswer['status'] = 'ready'
  /** Every run so far, in the order of its start. */
  readonly runs: ScriptedRun[] = []
  readonly prepared: PrepareRequest[] = []
  readonly #options: ScriptedWorkerOptions
  readonly #server: Server
  readonly #running = new Map<string, ScriptedRun>()
  /** Benchmarks make millions of runs: only tests look at them. */
  readonly #remember: boolean

  constructor(options: ScriptedWorkerOptions, remember = true) {
    this.#options = options
    this.#remember = remember
    this.script = { ...plainScript, ...options.script }
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  get running(): number {
    return this.#running.size
  }

  listen(): Promise<void> {
    rmSync(this.#options.socketPath, { force: true })
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(this.#options.socketPath, resolve)
    })
  }

  /** Ends as a killed process would: every connection breaks. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    if (request.url === workerPaths.health) sendJson(response, this.#health())
    else if (request.url === workerPaths.prepare) await this.#prepare(JSON.parse(body), response)
    else if (request.url === workerPaths.generate) await this.#generate(JSON.parse(body), response)
    else if (request.url === workerPaths.cancel) this.#cancel(JSON.parse(body), response)
    else sendJson(response, { error: { code: 'not_found', message: 'no such path' } }, 404)
  }

  #health(): HealthAnswer {
    return {
      status: this.status,
      workerId: this.#options.workerId ?? 'wrk_scripted',
      fingerprint: this.#fingerprint(),
      modelName: 'scripted',
      toy: true,
      contextSize: this.#contextSize(),
      threads: 1,
      cpuVariant: 'none',
    }
  }

  async #prepare(request: PrepareRequest, response: ServerResponse): Promise<void> {
    if (this.#remember) this.prepared.push(request)
    if (this.script.prepareMs > 0) {
      await new Promise((resolve) => setTimeout(resolve, this.script.prepareMs))
    }
    const { prepareRefusal } = this.script
    if (prepareRefusal !== null) {
      const { status, ...error } = prepareRefusal
      sendJson(response, { error }, status)
      return
    }
    const count = scriptedPromptTokens(request.messages, request.toolUse)
    sendJson(response, {
      tokens: Array.from({ length: count }, (_, index) => index),
      fingerprint: this.#fingerprint(),
      contextSize: this.#contextSize(),
      maxOutputTokens: this.#contextSize() - count,
      plan: this.#plan(request),
    })
  }

  #plan({ toolUse }: PrepareRequest): AnswerPlan {
    const names = toolUse?.tools.map(({ name }) => name) ?? []
    const callable =
      toolUse === null || toolUse.choice === 'none' ? [] : (toolUse.callable ?? names)
    return { grammar: null, grammarFrom: 'answer', callable, ...this.script.plan }
  }

  async #generate(request: GenerateRequest, response: ServerResponse): Promise<void> {
    const { fault } = this.script
    if (fault?.kind === 'refuse') {
      sendJson(response, { error: { code: fault.code, message: 'scripted' } }, fault.status)
      return
    }
    const workerId = this.#options.workerId ?? 'wrk_scripted'
    const run = new ScriptedRun({ script: this.script, request, response, workerId })
    if (this.#remember) this.runs.push(run)
    this.#running.set(request.requestId, run)
    await run.play()
    this.#running.delete(request.requestId)
  }

  #cancel({ requestId }: { requestId: string }, response: ServerResponse): void {
    const run = this.#running.get(requestId)
    run?.cancel()
    sendJson(response, { requestId, found: run !== undefined })
  }

  #contextSize(): number {
    return this.#options.contextSize ?? 8_192
  }

  #fingerprint(): string {
    return this.#options.fingerprint ?? 'scripted-fingerprint'
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function sendJson(response: ServerResponse, body: object, status = 200): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      socket: { type: 'string' },
      tokens: { type: 'string', default: '8' },
      'delay-ms': { type: 'string', default: '0' },
    },
  })
  if (values.socket === undefined) throw new Error('--socket PATH is needed')
  const script = { tokens: Number(values.tokens), delayMs: Number(values['delay-ms']) }
  const worker = new ScriptedWorker({ socketPath: values.socket, script }, false)
  await worker.listen()
  process.stdout.write(`${JSON.stringify({ type: 'ready', socket: values.socket })}\n`)
  process.once('SIGTERM', () => void worker.close().then(() => process.exit(0)))
}

if (import.meta.main) await main()
