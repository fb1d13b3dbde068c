/** Speaks the worker protocol for tests. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import {
  type CancelResponse,
  type GenerateEvent,
  type GenerateRequest,
  generateEvent,
  type HealthResponse,
  healthResponse,
  type PrepareRequest,
  type PrepareResponse,
  type PromptMessage,
  prepareResponse,
  type StateResponse,
  stateResponse,
  type WorkerMeter,
} from '@svc/contracts/worker/protocol'

export type Address = { readonly socketPath: string } | { readonly port: number }

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

/** What came out of a generate stream. */
export interface Outcome {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly { readonly name: string; readonly arguments: string }[]
  readonly events: readonly GenerateEvent[]
  readonly meter: WorkerMeter | undefined
  readonly last: GenerateEvent | undefined
  readonly outputTokens: number
}

export interface OpenStream {
  readonly requestId: string
  readonly events: AsyncIterableIterator<GenerateEvent>
  destroy(): void
}

/** The most likely token each time, and nothing else. */
export const COLD = {
  temperature: 0,
  topP: 1,
  topK: 0,
  minP: 0,
  seed: 1,
  frequencyPenalty: 0,
  presencePenalty: 0,
  repetitionPenalty: 1,
} satisfies GenerateRequest['sampling']

/** What a request may have other than a plain one. */
export type Changes = Partial<GenerateRequest> &
  Partial<Pick<PrepareRequest, 'toolUse' | 'outputFormat'>>

/** No thinking, no tools, any text. */
export const PLAIN: Omit<PrepareRequest, 'messages'> = {
  tenant: 'tenant-a',
  thinking: { enabled: false, effort: 'medium', budgetTokens: null },
  toolUse: null,
  outputFormat: { type: 'text' },
}

/** Thinking without a limit. */
export const THINKING: PrepareRequest['thinking'] = { ...PLAIN.thinking, enabled: true }

export class WorkerClient {
  readonly #address: Address
  readonly #headers: Readonly<Record<string, string>>
  static #requests = 0

  constructor(address: Address, headers: Readonly<Record<string, string>> = {}) {
    this.#address = address
    this.#headers = headers
  }

  async health(): Promise<HealthResponse> {
    return healthResponse.parse((await this.call('GET', '/health')).body)
  }

  async state(): Promise<StateResponse> {
    return stateResponse.parse((await this.call('GET', '/state')).body)
  }

  async prepare(
    messages: readonly PromptMessage[],
    asked: Partial<PrepareRequest> = {},
  ): Promise<PrepareResponse> {
    const body: unknown = { ...PLAIN, messages, ...asked }
    return prepareResponse.parse((await this.call('POST', '/prepare', body)).body)
  }

  async cancel(requestId: string): Promise<CancelResponse> {
    return (await this.call('POST', '/cancel', { requestId })).body as CancelResponse
  }

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await this.#send(method, path, body)
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) text += chunk
    return { status: response.statusCode ?? 0, headers: response.headers, body: parse(text) }
  }

  /** A request for a prepared prompt with every field filled. */
  async request(
    messages: readonly PromptMessage[],
    { toolUse = null, outputFormat = PLAIN.outputFormat, ...changes }: Changes = {},
  ): Promise<GenerateRequest> {
    WorkerClient.#requests += 1
    const requestId = `test-${process.pid}-${WorkerClient.#requests}`
    const thinking = changes.thinking ?? PLAIN.thinking
    const prepared = await this.prepare(messages, { thinking, toolUse, outputFormat })
    const { tokens, fingerprint, plan } = prepared
    return {
      requestId,
      tenant: 'tenant-a',
      weight: 1,
      tokens,
      fingerprint,
      plan,
      thinking,
      maxOutputTokens: 200,
      sampling: COLD,
      stop: [],
      timeLimitMs: 60_000,
      logitBias: [],
      topLogprobs: null,
      ...changes,
    }
  }

  /** Asks for an answer and reads it to its end. */
  async generate(messages: readonly PromptMessage[], changes: Changes = {}): Promise<Outcome> {
    const stream = await this.open(await this.request(messages, changes))
    return await outcome(stream.events)
  }

  async open(body: GenerateRequest): Promise<OpenStream> {
    const response = await this.#send('POST', '/generate', body)
    if (response.statusCode !== 200) throw new Error(`/generate answered ${response.statusCode}`)
    const events = readEvents(response)
    return { requestId: body.requestId, events, destroy: () => response.destroy() }
  }

  async #send(method: string, path: string, body?: unknown): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const options = { ...this.#address, host: '127.0.0.1', method, path, agent: false }
    const sent: ClientRequest = request({ ...options, headers: this.#headers }, resolve)
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    return await promise
  }
}

export async function outcome(events: AsyncIterable<GenerateEvent>): Promise<Outcome> {
  const all: GenerateEvent[] = []
  for await (const event of events) all.push(event)
  const tokens = all.filter((event) => event.type === 'token')
  const of = (kind: string) =>
    tokens.flatMap((event) => (event.kind === kind ? [event.text] : [])).join('')
  return {
    text: of('text'),
    reasoning: of('reasoning'),
    calls: callsOf(all),
    events: all,
    meter: all.find((event) => event.type === 'meter')?.meter,
    last: all.at(-1),
    outputTokens: tokens.at(-1)?.outputTokens ?? 0,
  }
}

function callsOf(events: readonly GenerateEvent[]): Outcome['calls'] {
  const calls: { name: string; arguments: string }[] = []
  for (const event of events) {
    if (event.type === 'tool_call') calls.push({ name: event.name, arguments: '' })
    const last = calls.at(-1)
    if (event.type !== 'token' || event.kind !== 'arguments') continue
    if (last === undefined) throw new Error('arguments of no call')
    last.arguments += event.text
  }
  return calls
}

async function* readEvents(response: IncomingMessage): AsyncIterableIterator<GenerateEvent> {
  try {
    let rest = ''
    for await (const chunk of response.setEncoding('utf8')) {
      // By newline only: `readline` would cut at U+2028, which JSON text may contain.
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield generateEvent.parse(JSON.parse(line))
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const user = (content: string): PromptMessage => ({ role: 'user', content })
export const assistant = (content: string): PromptMessage => ({ role: 'assistant', content })
export const system = (content: string): PromptMessage => ({ role: 'system', content })
