/** Bodies that are large, slow, deep or wrong in every part. */
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Attack, Target } from '../attack.ts'
import { asks, chat, count, flood, keyOf } from '../requests.ts'

const MEBIBYTE = 1024 * 1024
/** Below the largest body that is taken. */
const LARGE = 3.9 * MEBIBYTE
const MANY = 200
const SOME = 16
const HOSTILE = 2_000
const ADDRESSES = 4

/** Just below the largest body of an account without credit. */
const unpaidText = 'many words '.repeat(5_900)
const largeText = 'many words '.repeat(Math.floor(LARGE / 11))

export const bodyAttacks: readonly Attack[] = [
  {
    name: 'large-bodies-no-credit',
    about: '200 connections without credit send 3.9 MB each',
    credit: '0',
    keys: 4,
    run: (target) =>
      flood(target, MANY, (number) => count(keyOf(target, number), { messages: asks(largeText) })),
  },
  {
    name: 'hostile-connections',
    about:
      '2,000 connections without credit, from four addresses, with the largest bodies they may',
    credit: '0',
    keys: 16,
    run: (target) =>
      flood(target, HOSTILE, (number) => ({
        ...chat(keyOf(target, number), { messages: asks(unpaidText), max_tokens: 1 }),
        localAddress: `127.0.0.${2 + (number % ADDRESSES)}`,
      })),
  },
  {
    name: 'giant-prompts',
    about: 'paid requests of 3.9 MB',
    credit: '5',
    keys: 2,
    run: (target) =>
      flood(target, SOME, (number) =>
        chat(keyOf(target, number), { messages: asks(largeText), max_tokens: 1 }),
      ),
  },
  {
    name: 'long-prompts',
    about: 'prompts that just fit the context, all different',
    credit: '5',
    keys: 2,
    run: (target) =>
      flood(target, SOME, (number) =>
        chat(keyOf(target, number), {
          messages: asks(`${number} ${'word '.repeat(1_500)}`),
          max_tokens: 1,
        }),
      ),
  },
  {
    name: 'wrong-parts',
    about: '4 MB of content parts, each of them wrong',
    credit: '1',
    keys: 2,
    run: (target) => {
      const parts = Array.from({ length: 90_000 }, (_, index) => ({ type: 'nothing', index }))
      const body = JSON.stringify({
        model: 'svc-beta',
        messages: [{ role: 'user', content: parts }],
      })
      return flood(target, SOME, (number) => ({
        path: '/v1/chat/completions',
        key: keyOf(target, number),
        body,
      }))
    },
  },
  {
    name: 'deep-json',
    about: '1 MB of nested arrays',
    credit: '1',
    keys: 1,
    run: (target) => {
      const depth = MEBIBYTE / 2
      const body = `{"model":"svc-beta","messages":${'['.repeat(depth)}${']'.repeat(depth)}}`
      return flood(target, SOME, (number) => ({
        path: '/v1/chat/completions',
        key: keyOf(target, number),
        body,
      }))
    },
  },
  {
    name: 'many-fields',
    about: 'objects of 80,000 fields',
    credit: '1',
    keys: 1,
    run: (target) => {
      const metadata = Object.fromEntries(
        Array.from({ length: 80_000 }, (_, index) => [`field_${index}`, index]),
      )
      return flood(target, SOME, (number) =>
        chat(keyOf(target, number), { messages: asks('x'), metadata }),
      )
    },
  },
  {
    name: 'stop-strings',
    about: 'four stop strings, 300 biases and log probabilities, in long answers',
    credit: '1',
    keys: 2,
    run: (target) =>
      flood(target, SOME, (number) =>
        chat(keyOf(target, number), {
          messages: asks('Count from one to one hundred.'),
          max_tokens: 256,
          stop: Array.from({ length: 4 }, (_, index) => `${'a'.repeat(60)}${index}`),
          logit_bias: Object.fromEntries(
            Array.from({ length: 300 }, (_, index) => [String(index), -1]),
          ),
          logprobs: true,
          top_logprobs: 20,
        }),
      ),
  },
  {
    name: 'slow-bodies',
    about: '500 connections that send a byte of their body each second',
    credit: '1',
    keys: 4,
    run: (target) => slowBodies(target, 500),
  },
]

async function slowBodies(target: Target, connections: number): Promise<void> {
  await Promise.all(
    Array.from({ length: connections }, async (_, number) => {
      while (!target.signal.aborted) await slowBody(target, number)
    }),
  )
}

async function slowBody(target: Target, number: number): Promise<void> {
  const { hostname, port } = new URL(target.baseUrl)
  const socket = connect(Number(port), hostname)
  let status: number | 'broken' = 'broken'
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => {})
  socket.on('data', (data) => {
    status = Number(/^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1'))?.[1] ?? 0)
    socket.end()
  })
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: ${hostname}:${port}\r\n` +
      `Authorization: Bearer ${keyOf(target, number)}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n',
  )
  const isOver = () => target.signal.aborted || socket.destroyed
  while (!isOver()) {
    socket.write('{')
    await Promise.race([delay(1_000, undefined, { ref: false }), closed])
  }
  socket.destroy()
  target.ended(status)
}
