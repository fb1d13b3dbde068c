/** Floods of connections from one address, and who is still let in. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import {
  chatBody,
  type FixtureOptions,
  type GatewayFixture,
  startGateway,
} from '@svc/testing/gateway/gateway-fixture'
import { ManualTime } from '@svc/testing/manual-time'
import { afterEach, describe, expect, test } from 'vitest'

/** The size of a burst: more than the 511 of Node's own. */
const BURST = 900
/** The state of a socket in `/proc/net/tcp`. */
const SYN_SENT = '02'
/** Twenty looks are less than the second after which the system tries again. */
const LOOK_AGAIN_MS = 10

let fixture: GatewayFixture
const sockets: Socket[] = []

/** What makes room is closed at once, unless the test says otherwise. */
async function start({ limits, ...options }: FixtureOptions): Promise<void> {
  fixture = await startGateway({ ...options, limits: { displacedSocketMs: 0, ...limits } })
}
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await fixture[Symbol.asyncDispose]()
})

/** Connects from an address of the loopback network, and says nothing. */
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

/** Asks over a connection of its own. @returns the status; 0 when it was refused */
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

test.runIf(process.platform === 'linux')(
  'a burst of connections is kept by the system until each is accepted',
  async () => {
    await start({})
    for (let count = 0; count < BURST; count += 1) {
      sockets.push(connect({ port: fixture.port, host: '127.0.0.1' }).on('error', () => {}))
    }
    // They connect in this turn of the loop, so none of them is accepted meanwhile.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    let dropped = droppedTo(fixture.port)
    for (let look = 0; look < 20 && dropped > 0; look += 1) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS)
      dropped = droppedTo(fixture.port)
    }
    expect(dropped).toBe(0)
  },
)

/** @returns connections to the port whose first packet the system has dropped, or not seen yet */
function droppedTo(port: number): number {
  const to = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , remote, state]) => remote?.endsWith(to) && state === SYN_SENT).length
}

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

describe('one that made room', () => {
  test('stays open for a moment and is not read, so that a flood does not connect again', async () => {
    await start({ limits: { socketsPerAddress: 20, displacedSocketMs: 700 } })
    const flooding = await flood(60)
    const [first] = flooding as [Socket]
    await expect.poll(() => ask()).toBe(200)
    expect(await stillOpen(flooding)).toBe(60)
    let answer = ''
    first.on('data', (part) => {
      answer += part
    })
    first.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
    await expect.poll(() => stillOpen(flooding)).toBeLessThanOrEqual(20)
    expect(answer).toBe('')
  })

  test('is closed at once where many others have made room just now', async () => {
    await start({ limits: { sockets: 40, socketsPerAddress: 20, displacedSocketMs: 60_000 } })
    const flooding = await flood(60)
    await expect.poll(() => stillOpen(flooding)).toBe(20 + 30)
  })
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

describe('when all connections are taken', () => {
  const FULL = { sockets: 30, socketsPerAddress: 30 }
  const head = (path: string, key = '') =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\n${key && `Authorization: Bearer ${key}\r\n`}\r\n`

  test('one whose refusal waits for its time makes room for an address with fewer', async () => {
    await start({ limits: { ...FULL, refusalsPerSecond: 1, refusalPauseMs: 60_000 } })
    const flooding = await flood(30)
    for (const socket of flooding) socket.write(head('/v1/balance', 'nobody'))
    await once(flooding[0] as Socket, 'data')
    // One of them was answered. The others have to give way to the second and third newcomer.
    for (let newcomers = 0; newcomers < 3; newcomers += 1) {
      const newcomer = await silent('127.0.0.2')
      newcomer.write(head('/livez'))
      await once(newcomer, 'data')
    }
    expect(await stillOpen(flooding)).toBe(27)
  })

  test('one that was served and rests makes room for an address with fewer', async () => {
    await start({ limits: FULL })
    const resting = await flood(30)
    for (const socket of resting) {
      socket.write(head('/livez'))
      await once(socket, 'data')
    }
    expect(await ask()).toBe(0)
    expect(await ask('/livez', '127.0.0.2')).toBe(200)
  })

  test('one whose request runs stays', async () => {
    const limits = { ...FULL, requestsPerKey: 30, requestsPerAccount: 30 }
    await start({ script: { tokens: 500, delayMs: 20 }, limits })
    const answers = Array.from({ length: 30 }, () => fixture.post(chatBody({ stream: true })))
    const running = await Promise.all(answers)
    expect(await ask('/livez', '127.0.0.2')).toBe(0)
    expect(running.map(({ status }) => status)).toEqual(Array(30).fill(200))
    for (const { body } of running) await body?.cancel()
  })

  test('one stays whose second request runs when the first was answered', async () => {
    await start({ limits: { ...FULL, requestTimeoutMs: 60_000 } })
    const asking = await flood(30)
    const second =
      `POST /v1/messages/count_tokens HTTP/1.1\r\nHost: a\r\n` +
      `Authorization: Bearer ${fixture.ledger.secret}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n'
    for (const socket of asking) socket.write(head('/livez') + second)
    await Promise.all(asking.map((socket) => once(socket, 'data')))
    expect(await ask('/livez', '127.0.0.2')).toBe(0)
    expect(await stillOpen(asking)).toBe(30)
  })

  test('the last few are for addresses that have few, whatever runs on the others', async () => {
    await start({ limits: { sockets: 100, socketsPerAddress: 100, newSocketsPerSecond: 0 } })
    const asking = await flood(100)
    const { secret } = fixture.ledger
    for (const socket of asking) {
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n',
      )
    }
    await expect.poll(() => stillOpen(asking)).toBe(97)
    expect(await ask('/livez', '127.0.0.2')).toBe(200)
    expect(await stillOpen(asking)).toBe(97)
  })

  test('a newcomer of the address with most takes nothing from one with fewer', async () => {
    await start({ limits: { ...FULL, refusalsPerSecond: 1, refusalPauseMs: 60_000 } })
    const flooding = await flood(28)
    for (const socket of flooding) socket.write(head('/v1/balance', 'nobody'))
    await once(flooding[0] as Socket, 'data')
    await expect.poll(() => ask()).toBe(200)
    const others = await flood(2, '127.0.0.2')
    await flood(5)
    expect(await stillOpen(others)).toBe(2)
  })
})

test('connections of an address that was served nothing are read at a pace', async () => {
  await start({ limits: { newSocketsPerSecond: 5 } })
  await flood(50)
  const startMs = performance.now()
  const asked = Promise.all(Array.from({ length: 9 }, () => ask()))
  expect(await ask('/livez', '127.0.0.2')).toBe(200)
  expect(await asked).toEqual(Array(9).fill(200))
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(595)
})

test('connections of an address that is served are read at once', async () => {
  // The gateway's time stands still: one that waited for its turn would never be read.
  await start({ timer: new ManualTime(), limits: { newSocketsPerSecond: 1 } })
  for (let served = 0; served < 70; served += 1) {
    const socket = await silent()
    socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'data')
  }
})
