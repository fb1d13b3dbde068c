/** Floods of connections from one address, and who is still let in. */
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import {
  type FixtureOptions,
  type GatewayFixture,
  startGateway,
} from '@svc/testing/gateway/gateway-fixture'
import { afterEach, expect, test } from 'vitest'

let fixture: GatewayFixture
const sockets: Socket[] = []

async function start(options: FixtureOptions): Promise<void> {
  fixture = await startGateway(options)
}
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await fixture[Symbol.asyncDispose]()
})

/** Connected from an address of the loopback network. */
async function silent(localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port: fixture.port, host: '127.0.0.1', localAddress })
  sockets.push(socket)
  socket.on('error', () => {}).resume()
  await once(socket, 'connect')
  return socket
}

function flood(count: number, localAddress?: string): Promise<Socket[]> {
  return Promise.all(Array.from({ length: count }, () => silent(localAddress)))
}

/** Over a connection of its own. @returns the status; 0 when it was refused */
function ask(path = '/livez', localAddress = '127.0.0.1'): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const asked = request({ port: fixture.port, host: '127.0.0.1', path, localAddress, agent: false })
  asked.on('response', (response) => resolve(response.resume().statusCode ?? 0))
  asked.on('error', () => resolve(0))
  asked.end()
  return promise
}

async function stillOpen(flooding: readonly Socket[]): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 50))
  return flooding.filter(({ closed }) => !closed).length
}

test('an address has its share of connections, and silent ones make room', async () => {
  await start({ limits: { socketsPerAddress: 20 } })
  const flooding = await flood(60)
  await expect.poll(() => stillOpen(flooding)).toBe(20)
  expect(await ask()).toBe(200)
  expect(await ask('/livez', '127.0.0.2')).toBe(200)
})

test('when all connections are taken, the address with most silent ones makes room', async () => {
  await start({ limits: { sockets: 30, socketsPerAddress: 25 } })
  const flooding = await flood(25)
  const others = await flood(5, '127.0.0.3')
  expect(await ask('/livez', '127.0.0.2')).toBe(200)
  await expect.poll(() => stillOpen(flooding)).toBeLessThan(25)
  expect(await stillOpen(others)).toBe(5)
})

test('one that was served stays, one whose requests were refused makes room', async () => {
  await start({ limits: { socketsPerAddress: 2 } })
  const served = await silent()
  const refused = await silent()
  served.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(served, 'data')
  refused.write('GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(refused, 'data')
  const newcomer = await silent()
  await once(refused, 'close')
  expect(await stillOpen([served, newcomer])).toBe(2)
})

test('a newcomer is refused where all others are being served', async () => {
  await start({ script: { tokens: 500, delayMs: 5 }, limits: { socketsPerAddress: 2 } })
  const served = [await silent(), await silent()]
  for (const socket of served) {
    socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'data')
  }
  expect(await ask()).toBe(0)
  expect(await ask('/livez', '127.0.0.2')).toBe(200)
})
