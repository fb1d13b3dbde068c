/** Connections that say nothing, read nothing or leave. */
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Attack, Target } from '../attack.ts'
import { asks, chat, flood, keyOf } from '../requests.ts'

const SILENT = 2_050
const READ_LITTLE_BYTES = 16

export const socketAttacks: readonly Attack[] = [
  {
    name: 'silent-sockets',
    about: '2,050 connections of one address that say nothing',
    credit: '0',
    keys: 1,
    run: (target) => hold(target, SILENT, () => {}),
  },
  {
    name: 'slow-headers',
    about: '1,000 connections that send a header each second',
    credit: '0',
    keys: 1,
    run: (target) =>
      hold(target, 1_000, (socket) => {
        socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n')
        const timer = setInterval(() => socket.write('X-Slow: y\r\n'), 1_000)
        socket.once('close', () => clearInterval(timer))
      }),
  },
  {
    name: 'idle-keep-alive',
    about: '1,000 connections that stay after one request',
    credit: '0',
    keys: 1,
    run: (target) =>
      hold(target, 1_000, (socket) => {
        socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
      }),
  },
  {
    name: 'slow-readers',
    about: '64 streams that are not read',
    credit: '5',
    keys: 8,
    run: (target) =>
      flood(target, 64, (number) => ({
        ...chat(keyOf(target, number), {
          messages: asks('Count from one to one hundred.'),
          max_tokens: 512,
          stream: true,
          logprobs: true,
          top_logprobs: 20,
        }),
        onAnswer: (answer) => {
          answer.once('readable', () => answer.read(READ_LITTLE_BYTES))
          target.signal.addEventListener('abort', () => answer.destroy(), { once: true })
        },
      })),
  },
  {
    name: 'aborts',
    about: '64 connections that leave at the first byte of the answer',
    credit: '5',
    keys: 4,
    run: (target) =>
      flood(target, 64, (number) => ({
        ...chat(keyOf(target, number), {
          messages: asks('Count from one to one hundred.'),
          max_tokens: 256,
          stream: true,
        }),
        onAnswer: (answer) => {
          answer.once('data', () => answer.destroy())
          answer.once('end', () => answer.destroy())
        },
      })),
  },
]

/** Keeps this many connections open; one that the server closes is opened again. */
async function hold(
  target: Target,
  connections: number,
  begin: (socket: Socket) => void,
): Promise<void> {
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (!target.signal.aborted) {
        await heldSocket(target, begin)
        await delay(50)
      }
    }),
  )
}

async function heldSocket(target: Target, begin: (socket: Socket) => void): Promise<void> {
  const { hostname, port } = new URL(target.baseUrl)
  const socket = connect(Number(port), hostname)
  const leave = () => socket.destroy()
  target.signal.addEventListener('abort', leave, { once: true })
  socket.on('error', () => {})
  socket.on('data', () => {})
  socket.once('connect', () => begin(socket))
  await new Promise<void>((resolve) => socket.once('close', () => resolve()))
  target.signal.removeEventListener('abort', leave)
  target.ended('broken')
}
