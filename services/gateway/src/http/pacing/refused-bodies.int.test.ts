/** Bodies of requests that are refused before anybody reads them. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import {
  chatBody,
  type FixtureOptions,
  type GatewayFixture,
  startGateway,
} from '@svc/testing/gateway/gateway-fixture'
import { afterEach, expect, test } from 'vitest'

const MEBIBYTE = 1024 * 1024
/** What the system may hold of it between the two ends. */
const BUFFERED_MEBIBYTES = 12

let fixture: GatewayFixture

async function start(options: FixtureOptions): Promise<void> {
  fixture = await startGateway(options)
}
afterEach(() => fixture[Symbol.asyncDispose]())

/** Sends the head of a request with a wrong key, and its body as fast as it is taken. */
function sendWithWrongKey(mebibytes: number): Socket {
  const socket = connect(fixture.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    'POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n' +
      `Authorization: Bearer nobody\r\nContent-Length: ${mebibytes * MEBIBYTE}\r\n\r\n`,
  )
  socket.setEncoding('latin1')
  return socket
}

async function bodyTaken(socket: Socket, mebibytes: number): Promise<void> {
  await new Promise<void>((resolve) =>
    socket.write(' '.repeat(mebibytes * MEBIBYTE), () => resolve()),
  )
}

test('are discarded at a pace, and the connection goes on', { timeout: 60_000 }, async () => {
  const [perSecond, atOnce, mebibytes] = [8, 4, 30]
  // An eighth of what bodies may have that are read.
  const limits = { bodyBytesPerSecond: 8 * perSecond * MEBIBYTE, bodyBytes: atOnce * MEBIBYTE }
  await start({ limits })
  const startMs = performance.now()
  const socket = sendWithWrongKey(mebibytes)
  const taken = bodyTaken(socket, mebibytes)
  const [answer] = await once(socket, 'data')
  expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  expect((await fixture.post(chatBody())).status).toBe(200)
  await taken
  const leastMs = ((mebibytes - atOnce - BUFFERED_MEBIBYTES) / perSecond) * 1_000
  expect(performance.now() - startMs).toBeGreaterThan(leastMs)
  socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
  const [next] = await once(socket, 'data')
  expect(next).toMatch(/^HTTP\/1\.1 200 /)
  socket.destroy()
})

test('that are too large end their connection', { timeout: 60_000 }, async () => {
  await start({ limits: { bodyBytesPerSecond: 0 } })
  const socket = sendWithWrongKey(100)
  const [answer] = await once(socket, 'data')
  expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  let more = ''
  socket.on('data', (text) => {
    more += text
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  void bodyTaken(socket, 100)
  socket.write('GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await closed
  expect(more).toBe('')
})
