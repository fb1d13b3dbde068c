/** The requests of attackers: many at once, until the end. */
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Target } from './attack.ts'

/** After a broken connection or a refusal: an attacker whose processor is busy attacks nobody. */
const PAUSE_MS = 2

export interface AttackRequest {
  readonly path: string
  /** `POST` by default. */
  readonly method?: 'GET' | 'POST'
  readonly key: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
  /** The address that it comes from, one of the loopback's. */
  readonly localAddress?: string
  /** Called with the answer as it begins; it reads or leaves it. By default it is read whole. */
  readonly onAnswer?: (answer: IncomingMessage) => void
}

/** @param next the request with this number, from 0 */
export async function flood(
  target: Target,
  connections: number,
  next: (number: number) => AttackRequest,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let number = 0
  const connection = async (): Promise<void> => {
    while (!target.signal.aborted) {
      const status = await send(target, next(number++), agent)
      target.ended(status)
      if (status !== 200) await delay(PAUSE_MS)
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  agent.destroy()
}

/** @returns how it ended: its status, or `broken` */
function send(
  { baseUrl, signal }: Target,
  { path, method = 'POST', key, body, headers, localAddress, onAnswer }: AttackRequest,
  agent: Agent,
): Promise<number | 'broken'> {
  const { promise, resolve } = Promise.withResolvers<number | 'broken'>()
  const options = {
    method,
    agent,
    signal,
    ...(localAddress === undefined ? {} : { localAddress }),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
  }
  const sent = request(`${baseUrl}${path}`, options, (answer) => {
    const status = answer.statusCode ?? 'broken'
    answer.on('error', () => resolve(status))
    answer.on('close', () => resolve(status))
    if (onAnswer === undefined) answer.resume()
    else onAnswer(answer)
  })
  sent.on('error', () => resolve('broken'))
  sent.end(body)
  return promise
}

/** A chat request with these fields beside the model. */
export function chat(key: string, fields: object): AttackRequest {
  return {
    path: '/v1/chat/completions',
    key,
    body: JSON.stringify({ model: 'svc-beta', ...fields }),
  }
}

/** A count of input in the Messages format: free of charge. */
export function count(key: string, fields: object): AttackRequest {
  return {
    path: '/v1/messages/count_tokens',
    key,
    body: JSON.stringify({ model: 'svc-beta', ...fields }),
  }
}

export function asks(content: string): readonly object[] {
  return [{ role: 'user', content }]
}

/** Takes turns between the keys. */
export function keyOf({ keys }: Target, number: number): string {
  return keys[number % keys.length] ?? ''
}
