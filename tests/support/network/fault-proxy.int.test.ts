import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FaultProxy } from './fault-proxy.ts'

/** Longer than anything that moves takes on loopback. */
const STILL_MS = 60
const DELAY_MS = 80

/** A server that answers each message with itself in capitals, and notes what came. */
async function openProxied() {
  const came: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      came.push(`${chunk}`)
      socket.write(`${chunk}`.toUpperCase())
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = await FaultProxy.listen((server.address() as AddressInfo).port)
  const sockets: Socket[] = []
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await proxy.close()
    server.close()
  })
  const open = async () => {
    const socket = connect(proxy.port, '127.0.0.1')
    sockets.push(socket)
    await once(socket, 'connect')
    return socket
  }
  return { proxy, came, open }
}

async function asked(socket: Socket, text: string): Promise<string> {
  socket.write(text)
  const [answer] = await once(socket, 'data')
  return `${answer}`
}

async function hearsNothing(socket: Socket): Promise<boolean> {
  const heard = once(socket, 'data').then(() => false)
  return Promise.race([heard, delay(STILL_MS, true)])
}

describe('the fault proxy', () => {
  test('passes bytes in both directions, and the end of a connection', async () => {
    const { open, proxy } = await openProxied()
    const socket = await open()
    expect(await asked(socket, 'one')).toBe('ONE')
    expect(proxy.connectionCount).toBe(1)
    socket.end()
    await once(socket, 'close')
    await expect.poll(() => proxy.connectionCount).toBe(0)
  })

  test('frozen, it takes connections and moves nothing; thawed, all arrives', async () => {
    const { open, proxy } = await openProxied()
    const old = await open()
    expect(await asked(old, 'one')).toBe('ONE')
    proxy.freeze()
    const late = await open()
    old.write('two')
    late.write('three')
    expect(await hearsNothing(old)).toBe(true)
    const answers = Promise.all([once(old, 'data'), once(late, 'data')])
    proxy.thaw()
    expect((await answers).map(String)).toEqual(['TWO', 'THREE'])
  })

  test('half-open, a connection stays and says nothing more, and a new one works', async () => {
    const { open, proxy } = await openProxied()
    const old = await open()
    await asked(old, 'one')
    proxy.fallSilent()
    old.write('two')
    expect(await hearsNothing(old)).toBe(true)
    expect(old.destroyed).toBe(false)
    expect(await asked(await open(), 'three')).toBe('THREE')
  })

  test('loses the next answer: the server has what the client knows nothing of', async () => {
    const { open, proxy, came } = await openProxied()
    const socket = await open()
    await asked(socket, 'one')
    proxy.loseAnswer()
    const broken = once(socket, 'error')
    socket.write('two')
    await broken
    expect(came).toEqual(['one', 'two'])
    expect(await asked(await open(), 'three')).toBe('THREE')
  })

  test('resets every connection', async () => {
    const { open, proxy } = await openProxied()
    const socket = await open()
    await asked(socket, 'one')
    const broken = once(socket, 'error')
    proxy.reset()
    expect((await broken)[0]).toMatchObject({ code: 'ECONNRESET' })
  })

  test('delays and throttles what comes after, and passes all of it in order', async () => {
    const { open, proxy } = await openProxied()
    proxy.delay(DELAY_MS)
    const began = performance.now()
    expect(await asked(await open(), 'one')).toBe('ONE')
    // There and back; a timer may be early by a part of a millisecond.
    expect(performance.now() - began).toBeGreaterThan(2 * DELAY_MS - 5)
    proxy.delay(0)
    proxy.throttle(100)
    const slow = performance.now()
    expect(await asked(await open(), 'ten bytes!')).toBe('TEN BYTES!')
    expect(performance.now() - slow).toBeGreaterThan(190)
  })

  test('sends new connections to another server', async () => {
    const { proxy } = await openProxied()
    const other = await openProxied()
    proxy.forwardTo(other.proxy.port)
    const socket = connect(proxy.port, '127.0.0.1')
    expect(await asked(socket, 'one')).toBe('ONE')
    expect(other.came).toEqual(['one'])
    socket.destroy()
  })
})
