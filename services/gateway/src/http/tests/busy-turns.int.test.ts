/** How much of a burst of first requests, or of ends, one turn of the event loop takes. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemTimer } from '@svc/infra/system/system-timer'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { defaultHttpLimits } from '../limits.ts'
import { BusyTurns } from '../pacing/busy-turns.ts'
import { SocketShares } from '../sockets/socket-shares.ts'

const MANY = 60
/** What its time is enough for, and what it takes of those that were left before. */
const IN_A_TURN_MAX = 9

/** Each look at it is a millisecond later, as if each piece of work took that long. */
const clock = { nowMs: () => (nowMs += 1) }
let nowMs = 0

/** What the server answers: who is refused was served nothing. */
let status: number
let server: Server
/** The server's ends, and the clients'. */
let accepted: Socket[]
let clients: Socket[]

beforeEach(async () => {
  status = 402
  accepted = []
  server = createServer((_request, response) => response.writeHead(status).end())
  server.on('connection', (socket) => accepted.push(socket))
  const limits = { ...defaultHttpLimits, newSocketsPerSecond: 0 }
  const turns = new BusyTurns(clock)
  const isProxy = () => false
  new SocketShares({ limits, clock, turns, timer: systemTimer, isProxy }).watch(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  clients = await Promise.all(Array.from({ length: MANY }, client))
  await expect.poll(() => accepted.length).toBe(MANY)
})

afterEach(() => {
  for (const socket of clients) socket.destroy()
  server.close()
  server.closeAllConnections()
})

async function client(): Promise<Socket> {
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {})
  await once(socket.resume(), 'connect')
  return socket
}

/** @returns the most that came in one turn, once all of them have come */
async function mostInATurn(come: (came: () => void) => void): Promise<number> {
  let [all, before, most] = [0, 0, 0]
  come(() => {
    all += 1
  })
  while (all < MANY) {
    await nextTurn()
    most = Math.max(most, all - before)
    before = all
  }
  return most
}

function ask(came: () => void): void {
  server.on('request', came)
  for (const socket of clients) socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
}

function end(came: () => void): void {
  for (const socket of accepted) socket.once('close', came)
  for (const socket of clients) socket.destroy()
}

function reset(came: () => void): void {
  for (const socket of accepted) socket.once('close', came)
  for (const socket of clients) socket.resetAndDestroy()
}

test.each([
  ['first requests', ask],
  ['ends', end],
  ['resets', reset],
])('%s of many connections are spread over turns', async (_name, come) => {
  expect(await mostInATurn(come)).toBeLessThanOrEqual(IN_A_TURN_MAX)
})

test('so are ends of those that were served', async () => {
  status = 200
  await mostInATurn(ask)
  expect(await mostInATurn(end)).toBeLessThanOrEqual(IN_A_TURN_MAX)
})

test('requests of those that were served wait for nobody', async () => {
  status = 200
  await mostInATurn(ask)
  expect(await mostInATurn(ask)).toBeGreaterThan(IN_A_TURN_MAX)
})
