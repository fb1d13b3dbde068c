/** One chat completion, asked of either server by the same official client. */
import OpenAI from 'openai'
import { Agent } from 'undici'
import type { ModelUnderTest } from '../model-under-test.ts'
import type { ChatText } from '../parts/chat-conversations.ts'
import type { WholeServer } from './whole-server.ts'

const TIME_LIMIT_MS = 600_000
/** Biases: such a token is never drawn, or whenever it may be. */
const NEVER = -100
const ALWAYS = 100

export interface ChatQuestion {
  readonly tenant: number
  readonly messages: readonly ChatText[]
  /** The answer has exactly as many: tokens that end one are never drawn. */
  readonly outputTokens: number
  /**
   * Whether each token of the answer is the same word. Of a model with random weights most have no
   * text, and when those were made nobody can see.
   */
  readonly isOneWord?: boolean
}

export interface Arrival {
  /** On the clock of `performance.now()`. */
  readonly atMs: number
  readonly text: string
}

export interface ChatAnswer {
  readonly text: string
  /** From before the question was sent to its first text, or to its end where it has none. */
  readonly firstTokenMs: number
  /** From before the question was sent to its end. */
  readonly wholeMs: number
  /** The pieces of its text, in their order. */
  readonly arrivals: readonly Arrival[]
  readonly promptTokens: number
  /** Of those of the prompt, as the server tells it. */
  readonly cachedTokens: number
  readonly outputTokens: number
}

/** @throws Error when the server refuses, or tells no usage */
export async function askServer(
  server: WholeServer,
  model: ModelUnderTest,
  { tenant, messages, outputTokens, isOneWord = false }: ChatQuestion,
): Promise<ChatAnswer> {
  const client = clientOf(server, tenant)
  const startedMs = performance.now()
  const stream = await client.chat.completions.create({
    model: 'svc-beta',
    messages: [...messages],
    max_tokens: outputTokens,
    temperature: 0,
    logit_bias: {
      ...Object.fromEntries(model.endOfGeneration.map((token) => [token, NEVER])),
      ...(isOneWord ? { [model.wordToken]: ALWAYS } : {}),
    },
    stream: true,
    stream_options: { include_usage: true },
  })
  const arrivals: Arrival[] = []
  let usage: OpenAI.CompletionUsage | undefined
  for await (const { choices, usage: told } of stream) {
    const text = choices[0]?.delta.content ?? ''
    usage = told ?? usage
    if (text !== '') arrivals.push({ atMs: performance.now(), text })
  }
  const endedMs = performance.now()
  if (usage === undefined) throw new Error(`${server.name} told no usage`)
  return {
    text: arrivals.map(({ text }) => text).join(''),
    firstTokenMs: (arrivals[0]?.atMs ?? endedMs) - startedMs,
    wholeMs: endedMs - startedMs,
    arrivals,
    promptTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    outputTokens: usage.completion_tokens,
  }
}

// A connection for each request: llama-server ends one that it kept also while a request arrives.
const dispatcher = new Agent({ pipelining: 0 })
const clients = new Map<string, OpenAI>()

/** One client a tenant, as long as its server runs. */
function clientOf(server: WholeServer, tenant: number): OpenAI {
  const name = `${tenant} of ${server.baseUrl}`
  const known = clients.get(name)
  if (known !== undefined) return known
  const client = new OpenAI({
    baseURL: `${server.baseUrl}/v1`,
    apiKey: server.keyOf(tenant),
    maxRetries: 0,
    timeout: TIME_LIMIT_MS,
    fetchOptions: { dispatcher },
  })
  clients.set(name, client)
  return client
}
