/**
 * Clients that call a server which may die at any moment, and write down what they were told: the
 * client's side of the books, against which the ledger is checked.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '@svc/testing/random'

export interface Customer {
  readonly accountId: string
  readonly apiKey: string
}

/** An answer that a client has read to its end: it must have been billed exactly so. */
export interface ToldAnswer {
  readonly requestId: string
  readonly accountId: string
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
}

/** A retried key whose first attempt got no answer: at most one debit may come of it. */
export interface UnansweredKey {
  readonly customer: Customer
  readonly idempotencyKey: string
  readonly body: string
}

export interface LoadHistory {
  readonly told: ToldAnswer[]
  readonly unanswered: UnansweredKey[]
  /** How often each status came: the load must be one that mostly succeeds. */
  readonly statuses: Map<number | 'broken', number>
}

export interface LoadOptions {
  readonly baseUrl: string
  readonly customers: readonly Customer[]
  readonly clients: number
  readonly random: Random
  readonly history: LoadHistory
  readonly signal: AbortSignal
  /** Of each client between two requests; 0 by default. */
  readonly pauseMs?: number
}

const OUTPUT_TOKENS_MAX = 24
const SHARE_STREAMING = 0.5
const SHARE_IDEMPOTENT = 0.3
const SHARE_HANGING_UP = 0.1
const PAUSE_AFTER_BROKEN_MS = 20

/** Runs until the signal. Never rejects: a broken connection is what the test is about. */
export async function runLoad(options: LoadOptions): Promise<void> {
  const clients = Array.from({ length: options.clients }, () => runClient(options))
  await Promise.all(clients)
}

async function runClient(options: LoadOptions): Promise<void> {
  while (!options.signal.aborted) {
    const retried = options.history.unanswered.shift()
    const attempt = retried ?? newAttempt(options)
    const hangsUp = retried === undefined && options.random.next() < SHARE_HANGING_UP
    const status = await call(options, attempt, hangsUp)
    const seen = options.history.statuses.get(status) ?? 0
    options.history.statuses.set(status, seen + 1)
    const pauseMs = options.pauseMs ?? 0
    if (status === 'broken') await delay(Math.max(PAUSE_AFTER_BROKEN_MS, pauseMs))
    else if (pauseMs > 0) await delay(pauseMs)
  }
}

function newAttempt({ customers, random }: LoadOptions): UnansweredKey {
  const customer = random.pick(customers)
  const stream = random.next() < SHARE_STREAMING
  const body = JSON.stringify({
    model: 'svc-beta',
    max_tokens: OUTPUT_TOKENS_MAX,
    messages: [{ role: 'user', content: `Question ${random.integer(1_000_000)}: what is it?` }],
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  })
  const idempotent = random.next() < SHARE_IDEMPOTENT
  return { customer, body, idempotencyKey: idempotent ? `key-${random.integer(2 ** 48)}` : '' }
}

async function call(
  { baseUrl, history }: LoadOptions,
  attempt: UnansweredKey,
  hangsUp: boolean,
): Promise<number | 'broken'> {
  try {
    const answer = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${attempt.customer.apiKey}`,
        ...(attempt.idempotencyKey === '' ? {} : { 'idempotency-key': attempt.idempotencyKey }),
      },
      body: attempt.body,
    })
    if (hangsUp) {
      await answer.body?.cancel()
      return answer.status
    }
    const text = await answer.text()
    const told = answer.status === 200 ? readAnswer(text, answer, attempt.customer) : undefined
    if (told !== undefined) history.told.push(told)
    return answer.status
  } catch {
    if (attempt.idempotencyKey !== '') history.unanswered.push(attempt)
    return 'broken'
  }
}

/** The usage of an answer that was read to its end; a stream without `[DONE]` has told nothing. */
function readAnswer(text: string, answer: Response, customer: Customer): ToldAnswer | undefined {
  const streamed = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  if (streamed && !text.trimEnd().endsWith('data: [DONE]')) {
    throw new Error('the stream was cut')
  }
  const usage = streamed ? lastUsage(text) : JSON.parse(text).usage
  const requestId = answer.headers.get('x-request-id')
  if (requestId === null || usage === undefined) throw new Error('an answer without id or usage')
  return {
    requestId,
    accountId: customer.accountId,
    promptTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_cache_hit_tokens,
    outputTokens: usage.completion_tokens,
  }
}

function lastUsage(text: string) {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)).usage)
    .findLast((usage) => usage !== undefined && usage !== null)
}
