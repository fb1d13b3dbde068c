/** A server in a container, as a client of it sees it: over a port of the loopback. */
import assert from 'node:assert/strict'
import { eventually } from './checks.ts'

const READY_MS = 180_000
const KEY = /sk-svc-[\w-]+/

/** @returns the key that a first start prints */
export function keyIn(output: string): string {
  const key = KEY.exec(output)?.[0]
  assert.ok(key !== undefined, 'its log names no key')
  return key
}

export class Served {
  readonly url: string
  key = ''

  constructor(port: number) {
    this.url = `http://127.0.0.1:${port}`
  }

  /** @param logs for the message, when it does not become ready */
  async untilReady(logs: () => string): Promise<void> {
    try {
      await eventually(READY_MS, async () => {
        assert.equal((await fetch(`${this.url}/readyz`)).status, 200)
      })
    } catch (error) {
      throw new Error(`not ready (${error}): ${logs().slice(-2_000)}`)
    }
  }

  /** @returns its id and its cost, as text */
  async paidAnswer(headers: Readonly<Record<string, string>> = {}) {
    const messages = [{ role: 'user', content: 'What is the capital of France?' }]
    const body = { model: 'svc-beta', max_tokens: 16, messages }
    const answer = await this.#post('/v1/chat/completions', body, headers)
    const cost = answer.headers.get('x-svc-cost')
    assert.notEqual(cost, null)
    return { cost, ...((await answer.json()) as { id: string }) }
  }

  /** @param previous the id of the response that this one goes on from */
  async response(input: string, previous?: string): Promise<string> {
    const before = previous === undefined ? {} : { previous_response_id: previous }
    const body = { model: 'svc-beta', max_output_tokens: 16, input, ...before }
    return ((await (await this.#post('/v1/responses', body)).json()) as { id: string }).id
  }

  async balance(): Promise<string> {
    const headers = { authorization: `Bearer ${this.key}` }
    return JSON.stringify(await (await fetch(`${this.url}/v1/balance`, { headers })).json())
  }

  async #post(path: string, body: object, more: Readonly<Record<string, string>> = {}) {
    const headers = {
      authorization: `Bearer ${this.key}`,
      'content-type': 'application/json',
      ...more,
    }
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`${this.url}${path}`, request)
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`)
    return answer
  }
}
