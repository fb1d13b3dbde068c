/** A customer with credit who asks at a steady pace, however slow the answers are. */
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { ClientAnswer } from '@svc/testing/checker/history'

/** In ten seconds 300: the 99th percentile is then not just the slowest. */
const PACE_MAX = 30
/**
 * Of what the server answers it when nobody else asks. Half of that is its share beside one other
 * account, and a customer who asks for more waits for itself, whoever attacks.
 */
const PACE_SHARE = 0.25
/** As many as its key has places. */
const PRESSING = 8
/** Shares of addresses are bounds too: the attackers come from another one. */
const ADDRESS = '127.0.1.1'
const OUTPUT_TOKENS = 2
/** As most clients: the server ends what has rested for ten seconds, also when it is busy. */
const REST_MS = 4_000
/** Longer than any answer may take beside an attack, so that a hanging one is counted. */
const PATIENCE_MS = 60_000

export interface VictimResult {
  readonly requests: number
  /** Not answered, or not with 200. */
  readonly failed: number
  /** One of the failures, in words. */
  readonly failure: string | null
  /** Of whole answers, in milliseconds; NaN without one. */
  readonly p50Ms: number
  readonly p99Ms: number
}

export class Victim {
  /** What it was told, against which the ledger is checked. */
  readonly told: ClientAnswer[] = []
  readonly #url: string
  readonly #apiKey: string
  readonly #agent = new Agent({ keepAlive: true, timeout: REST_MS })
  #number = 0

  constructor(baseUrl: string, apiKey: string) {
    this.#url = `${baseUrl}/v1/chat/completions`
    this.#apiKey = apiKey
  }

  /**
   * Asks again as soon as it is answered, with all its places.
   *
   * @returns how many requests were answered in a second
   */
  async press(seconds: number): Promise<number> {
    const startMs = performance.now()
    const spentMs = () => performance.now() - startMs
    let answers = 0
    const ask = async () => {
      while (spentMs() < seconds * 1000 && (await this.#answer()) === null) answers += 1
    }
    await Promise.all(Array.from({ length: PRESSING }, ask))
    return answers / (spentMs() / 1000)
  }

  /**
   * Asks for this long, and waits for the last answer.
   *
   * @param pace requests in a second
   */
  async load(seconds: number, pace: number): Promise<VictimResult> {
    const latenciesMs: number[] = []
    const failures: string[] = []
    const running: Promise<void>[] = []
    const startMs = performance.now()
    for (let sent = 0; sent < seconds * pace; sent += 1) {
      const dueMs = startMs + (sent / pace) * 1000
      await delay(Math.max(0, dueMs - performance.now()))
      running.push(this.#ask(dueMs, latenciesMs, failures))
    }
    await Promise.all(running)
    const sorted = latenciesMs.toSorted((one, other) => one - other)
    return {
      requests: running.length,
      failed: failures.length,
      failure: failures[0] ?? null,
      p50Ms: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  /** @param dueMs when it should have been sent: what made it late counts */
  async #ask(dueMs: number, latenciesMs: number[], failures: string[]): Promise<void> {
    const problem = await this.#answer()
    if (problem === null) latenciesMs.push(performance.now() - dueMs)
    else failures.push(problem)
  }

  /** @returns what is wrong with the answer */
  #answer(): Promise<string | null> {
    const { promise, resolve } = Promise.withResolvers<string | null>()
    const options = {
      method: 'POST',
      agent: this.#agent,
      localAddress: ADDRESS,
      signal: AbortSignal.timeout(PATIENCE_MS),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#apiKey}` },
    }
    const sent = request(this.#url, options, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      answer.on('error', (error) => resolve(error.message))
      answer.on('end', () => {
        if (answer.statusCode !== 200) {
          return resolve(`${answer.statusCode}: ${text.slice(0, 200)}`)
        }
        this.told.push(asClientAnswer(String(answer.headers['x-request-id']), text))
        resolve(null)
      })
    })
    sent.on('error', ({ message }) => {
      resolve(`${message} on a ${sent.reusedSocket ? 'kept' : 'new'} connection`)
    })
    sent.end(
      JSON.stringify({
        model: 'svc-beta',
        max_tokens: OUTPUT_TOKENS,
        messages: [{ role: 'user', content: `Question ${this.#number++}: what is it?` }],
      }),
    )
    return promise
  }
}

/** @param capacity requests that the server answers in a second when nobody else asks */
export function paceOf(capacity: number): number {
  return Math.min(PACE_MAX, Math.floor(capacity * PACE_SHARE))
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function asClientAnswer(requestId: string, text: string): ClientAnswer {
  const { usage } = JSON.parse(text)
  const cached: number = usage.prompt_cache_hit_tokens
  return {
    requestId,
    status: 200,
    usage: {
      inputTokens: usage.prompt_tokens - cached,
      cachedInputTokens: cached,
      outputTokens: usage.completion_tokens,
    },
  }
}
