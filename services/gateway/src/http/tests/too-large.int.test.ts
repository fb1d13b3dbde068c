/** Bodies above the limit: whoever is still sending one is told so, and is not just cut off. */
import { connect } from 'node:net'
import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { wireFormats } from '@svc/testing/wire-formats'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { postTo } from '../../../testing/format-requests.ts'
import { expectErrorBody, expectRefused } from '../../../testing/oracle.ts'

const LIMIT = 64 * 1024
const PIECE = 'a'.repeat(LIMIT)
const MIB = 1024 * 1024

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway({ limits: { bodyBytes: LIMIT } })
})
afterAll(() => fixture[Symbol.asyncDispose]())

/** A client that has announced its body, and what it was told so far. */
function announce(path: string, header: string) {
  let text = ''
  let ended = false
  const socket = connect(fixture.port, '127.0.0.1')
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => {})
  socket.once('end', () => {
    ended = true
  })
  onTestFinished(() => void socket.destroy())
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n` +
      `Authorization: Bearer ${fixture.ledger.secret}\r\n${header}\r\n\r\n`,
  )
  return { socket, received: () => text, ended: () => ended }
}

describe.each(wireFormats)('$name', ({ paths, family }) => {
  const expected = { status: 413, code: 'request_too_large', family }

  test.each([LIMIT + 1, 10 * LIMIT])('a body of %d bytes is 413', async (bytes) => {
    await expectRefused(fixture, await postTo(fixture, paths[0], 'a'.repeat(bytes)), expected)
  })

  test('one that is still sent is heard out, and the connection is good for the next request', async () => {
    const pieces = 20
    const { socket, received, ended } = announce(paths[0], `Content-Length: ${pieces * LIMIT}`)
    socket.write(PIECE)
    await expect.poll(received).toMatch(/^HTTP\/1\.1 413 .*\r\n\r\n\{.*\}$/s)
    expectErrorBody(received().split('\r\n\r\n')[1] ?? '', expected)
    for (let sent = 1; sent < pieces; sent += 1) socket.write(PIECE)
    socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
    await expect.poll(received).toMatch(/HTTP\/1\.1 200 /)
    expect(ended()).toBe(false)
  })

  test.each([
    ['far above the limit', `Content-Length: ${33 * MIB}`, ''],
    ['of no known length', 'Transfer-Encoding: chunked', `${(2 * LIMIT).toString(16)}\r\n`],
  ])('one %s is cut off behind the answer', async (_name, header, start) => {
    const { socket, received, ended } = announce(paths[0], header)
    socket.write(start + PIECE + PIECE)
    await expect.poll(received).toMatch(/^HTTP\/1\.1 413 /)
    expect(received()).toMatch(/^connection: close\r$/im)
    await expect.poll(ended).toBe(true)
  })
})
