/**
 * A worker that speaks the worker protocol and runs no model: for tests and benchmarks.
 *
 *     node tests/support/scripted-worker/scripted-worker.ts --socket PATH --tokens N --delay-ms D \
 *         --worker-id NAME
 *
 * Its `/prepare` counts one token per four bytes of text, so that every number is known in advance;
 * calls of tools and the tools themselves count as the bytes of their JSON.
 */
import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { parseArgs } from 'node:util'
import { parsedExactly } from '@svc/contracts/exact-number'
import {
  type AnswerPlan,
  type AuditRequest,
  type AuditResponse,
  type GenerateRequest,
  type HealthResponse,
  type PrepareRequest,
  type StateResponse,
  workerPaths,
} from '@svc/contracts/worker/protocol'
import { ScriptedRun } from './run.ts'
import { freshState, plainScript, type WorkerScript } from './script.ts'

export {
  emptyTier,
  type Fault,
  freshState,
  messageBlocks,
  plainScript,
  type ScriptedEvent,
  type WorkerScript,
} from './script.ts'

const BYTES_PER_TOKEN = 4
const DEFAULT_ID = 'wrk_scripted'

export interface ScriptedWorkerOptions {
  readonly socketPath: string
  readonly script?: Partial<WorkerScript>
  readonly workerId?: string
  readonly fingerprint?: string
  readonly contextSize?: number
  /** Whether it takes no requests after its start until it is told to. */
  readonly drained?: boolean
}

/** Tokens of a conversation, as `/prepare` counts them. */
function scriptedPromptTokens(
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
  status: HealthResponse['status'] = 'ready'
  /** The one that it says computes for it; null is the CPU. */
  gpu: string | null = null
  /** Why it says that it does without another GPU. */
  gpuProblem: string | null = null
  cacheProblem: string | null = null
  /** What it says that it has to do for other gateways. */
  othersLoad = { queued: 0, running: 0 }
  cache: HealthResponse['cache'] = {
    mode: 'off',
    schedule: 'any-token',
    reason: 'it runs no model',
    tiers: [],
  }
  /** What `/state` tells; `silent`: who asks waits. */
  state: StateResponse | 'silent' = freshState
  /** Sends what it says of its health a byte at a time, with this pause; 0: at once. */
  healthByteMs = 0
  /** What `/audit` finds; `broken`: an error. */
  found: Omit<AuditResponse, 'workerId'> | 'broken' = 'broken'
  /** Of the audits so far, how many blocks they were to read. */
  readonly audits: number[] = []
  /** Every run so far, in the order of its start. */
  readonly runs: ScriptedRun[] = []
  readonly prepared: PrepareRequest[] = []
  /** Prompts whose connection was closed before they were prepared. */
  abandoned = 0
  /** How often it told how it is. */
  healthCalls = 0
  /** How often a run was asked for, refused ones too. */
  generateCalls = 0
  /** What `/drain` was told so far. */
  readonly drainOrders: boolean[] = []
  #starts = 0
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

  get workerId(): string {
    return this.#options.workerId ?? DEFAULT_ID
  }

  get socketPath(): string {
    return this.#options.socketPath
  }

  /** Of this start: a worker that closes and listens again is another instance. */
  get instanceId(): string {
    return `${this.workerId}/${this.#starts}`
  }

  listen(): Promise<void> {
    this.#starts += 1
    this.status = this.#options.drained ? 'draining' : 'ready'
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
    if (request.url === workerPaths.health) await this.#tellHealth(response)
    else if (request.url === workerPaths.prepare) await this.#prepare(body, response)
    else if (request.url === workerPaths.generate) await this.#generate(JSON.parse(body), response)
    else if (request.url === workerPaths.cancel) this.#cancel(JSON.parse(body), response)
    else if (request.url === workerPaths.drain) this.#drain(JSON.parse(body), response)
    else if (request.url === workerPaths.state) this.#tellState(response)
    else if (request.url === workerPaths.audit) this.#audit(JSON.parse(body), response)
    else sendJson(response, { error: { code: 'not_found', message: 'no such path' } }, 404)
  }

  #health(): HealthResponse {
    this.healthCalls += 1
    return {
      status: this.status,
      workerId: this.workerId,
      fingerprint: this.#fingerprint(),
      modelName: 'scripted',
      toy: true,
      contextSize: this.#contextSize(),
      threads: 1,
      cpuVariant: 'none',
      instanceId: this.instanceId,
      device: this.gpu === null ? 'cpu' : 'cuda',
      gpu: this.gpu,
      gpuProblem: this.gpuProblem,
      cache: this.cache,
      cacheProblem: this.cacheProblem,
      load: {
        queued: this.othersLoad.queued,
        running: this.othersLoad.running + this.running,
        sequences: 8,
      },
    }
  }

  async #tellHealth(response: ServerResponse): Promise<void> {
    const health = this.#health()
    if (this.healthByteMs === 0) return sendJson(response, health)
    for (const byte of Buffer.from(JSON.stringify(health))) {
      if (response.destroyed) return
      response.write(Buffer.of(byte))
      await new Promise((resolve) => setTimeout(resolve, this.healthByteMs))
    }
    response.end()
  }

  #tellState(response: ServerResponse): void {
    if (this.state !== 'silent') sendJson(response, this.state)
  }

  #audit({ sample }: AuditRequest, response: ServerResponse): void {
    this.audits.push(sample)
    const { found } = this
    if (found !== 'broken') sendJson(response, { workerId: this.workerId, ...found })
    else sendJson(response, { error: { code: 'failed', message: 'it broke' } }, 500)
  }

  async #prepare(body: string, response: ServerResponse): Promise<void> {
    const request = parsedExactly(body) as PrepareRequest
    if (this.#remember) this.prepared.push(request)
    response.once('close', () => {
      if (!response.writableFinished) this.abandoned += 1
    })
    if (this.script.prepareMs > 0) {
      await new Promise((resolve) => setTimeout(resolve, this.script.prepareMs))
    }
    await this.script.prepareAfter
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
      blocks: this.script.blocks(request),
    })
  }

  #plan({ toolUse }: PrepareRequest): AnswerPlan {
    const names = toolUse?.tools.map(({ name }) => name) ?? []
    const callable =
      toolUse === null || toolUse.choice === 'none' ? [] : (toolUse.callable ?? names)
    return { grammar: null, grammarFrom: 'answer', callable, mustCall: false, ...this.script.plan }
  }

  async #generate(request: GenerateRequest, response: ServerResponse): Promise<void> {
    const { fault } = this.script
    this.generateCalls += 1
    if (this.status === 'draining') {
      sendJson(response, { error: { code: 'draining', message: 'scripted' } }, 503)
      return
    }
    if (fault?.kind === 'refuse') {
      const { kind: _, status, ...error } = fault
      sendJson(response, { error: { ...error, message: 'scripted' } }, status)
      return
    }
    const workerId = this.workerId
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

  #drain({ draining }: { draining: boolean }, response: ServerResponse): void {
    this.drainOrders.push(draining)
    this.status = draining ? 'draining' : 'ready'
    sendJson(response, this.#health())
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
      'worker-id': { type: 'string', default: DEFAULT_ID },
    },
  })
  if (values.socket === undefined) throw new Error('--socket PATH is needed')
  const script = { tokens: Number(values.tokens), delayMs: Number(values['delay-ms']) }
  const options = { socketPath: values.socket, script, workerId: values['worker-id'] }
  const worker = new ScriptedWorker(options, false)
  await worker.listen()
  process.stdout.write(`${JSON.stringify({ type: 'ready', socket: values.socket })}\n`)
  process.once('SIGTERM', () => void worker.close().then(() => process.exit(0)))
}

if (import.meta.main) await main()
