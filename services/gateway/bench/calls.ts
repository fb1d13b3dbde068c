/** One request of the load, to its last byte. */
import type { WireFormat } from '@svc/contracts/events/account'
import { type PicoDollars, parseDollars } from '@svc/contracts/money'
import {
  type GenerateRequest,
  type PrepareRequest,
  prepareResponse,
  type Thinking,
  workerPaths,
} from '@svc/contracts/worker/protocol'
import type { Dispatcher, Pool } from 'undici'
import type { GatewayTarget, WorkerTarget } from './load-plan.ts'

const QUESTION = 'What is the capital of France? Answer in one word, please.'
const HTTP_OK = 200
const noThinking: Thinking = { enabled: false, effort: 'low', budgetTokens: 0 }

/**
 * Resolves when the answer is complete, to what it says that it cost: 0 where nobody looks.
 *
 * @throws when it is not a good one
 */
export type Call = (pool: Pool, number: number) => Promise<PicoDollars>

export function callOf(target: GatewayTarget | WorkerTarget): Call {
  return target.kind === 'gateway' ? gatewayCall(target) : workerCall(target)
}

interface FormatCall {
  readonly path: string
  readonly fields: (outputTokens: number) => object
  /** How a stream ends. */
  readonly end: string
}
const messages = [{ role: 'user', content: QUESTION }]
const formats: Readonly<Record<WireFormat, FormatCall>> = {
  chat: {
    path: '/chat/completions',
    fields: (outputTokens) => ({ messages, max_tokens: outputTokens }),
    end: 'data: [DONE]',
  },
  responses: {
    path: '/responses',
    fields: (outputTokens) => ({ input: QUESTION, max_output_tokens: outputTokens, store: false }),
    end: 'data: [DONE]',
  },
  messages: {
    path: '/messages',
    fields: (outputTokens) => ({ messages, max_tokens: outputTokens }),
    end: '{"type":"message_stop"}',
  },
}

function gatewayCall({
  format,
  baseUrl,
  apiKeys,
  stream,
  outputTokens,
  readsCost = false,
}: GatewayTarget): Call {
  const called = formats[format]
  const path = new URL(baseUrl).pathname + called.path
  const headersInTurn = apiKeys.map((apiKey) => ({
    'content-type': 'application/json',
    authorization: `Bearer ${apiKey}`,
  }))
  const body = JSON.stringify({
    model: 'svc-beta',
    ...called.fields(outputTokens),
    stream,
    ...(readsCost && stream && format === 'chat' && { stream_options: { include_usage: true } }),
  })
  const end = stream ? called.end : '}'
  return async (pool, number) => {
    const headers = headersInTurn[number % headersInTurn.length] ?? {}
    const text = await textOf(await pool.request({ method: 'POST', path, headers, body }))
    if (!text.trimEnd().endsWith(end)) throw new Error(`an answer that ends in ${text.slice(-80)}`)
    return readsCost ? costIn(text) : 0n
  }
}

/** The last one: a stream of Messages says one at its beginning as well. */
function costIn(text: string): PicoDollars {
  const [, cost] = /.*"cost":"([\d.]+)"/s.exec(text) ?? []
  if (cost === undefined) throw new Error(`an answer without its cost: ${text.slice(-80)}`)
  return parseDollars(cost)
}

function workerCall({ outputTokens }: WorkerTarget): Call {
  const headers = { 'content-type': 'application/json' }
  const question: PrepareRequest = {
    tenant: 'bench',
    messages: [{ role: 'user', content: QUESTION }],
    thinking: noThinking,
    toolUse: null,
    outputFormat: { type: 'text' },
  }
  const post = async (pool: Pool, path: string, body: object) =>
    textOf(await pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) }))
  return async (pool, number) => {
    const prepared = prepareResponse.parse(
      JSON.parse(await post(pool, workerPaths.prepare, question)),
    )
    const generation: GenerateRequest = {
      requestId: `direct-${process.pid}-${number}`,
      tenant: 'bench',
      weight: 1,
      tokens: prepared.tokens,
      fingerprint: prepared.fingerprint,
      thinking: noThinking,
      plan: prepared.plan,
      logitBias: [],
      topLogprobs: null,
      maxOutputTokens: outputTokens,
      sampling: {
        temperature: 1,
        topP: 1,
        topK: 0,
        minP: 0,
        seed: null,
        frequencyPenalty: 0,
        presencePenalty: 0,
        repetitionPenalty: 1,
      },
      stop: [],
      timeLimitMs: 60_000,
    }
    const text = await post(pool, workerPaths.generate, generation)
    if (!text.includes('"done"')) throw new Error(`a run that ends in ${text.slice(-80)}`)
    return 0n
  }
}

async function textOf({ statusCode, body }: Dispatcher.ResponseData): Promise<string> {
  const text = await body.text()
  if (statusCode !== HTTP_OK) throw new Error(`status ${statusCode}: ${text.slice(0, 200)}`)
  return text
}
