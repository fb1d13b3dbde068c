/** Clients that take a large evidence file slowly, or not at all. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { accountStream } from '@svc/contracts/events/account'
import { type NewEvent, NO_STREAM, type StreamHead } from '@svc/contracts/ports/event-store'
import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { expect, onTestFinished, test } from 'vitest'

const EVENTS = 2_000
const REASON_CHARACTERS = 10_000
const PAGE_EVENTS = 250
const APPEND_EVENTS = 40

/** A history of 20 MB: far more than the sockets between a client and the server hold. */
async function start(limits: { readonly writeStallMs: number; readonly readsPerAccount?: number }) {
  const fixture = await startGateway({ limits })
  onTestFinished(() => fixture[Symbol.asyncDispose]())
  const { store, accountId } = fixture.ledger
  const stream = accountStream(accountId)
  const [last] = await store.readStream({ stream, direction: 'backwards', limit: 1 })
  let expected: StreamHead = last ?? NO_STREAM
  for (let number = 0; number < EVENTS; number += APPEND_EVENTS) {
    const events = Array.from({ length: APPEND_EVENTS }, (_, index) => frozen(number + index))
    const outcome = await store.append({ stream, expected, events })
    if (outcome.kind !== 'appended') throw new Error(`the history is ${outcome.kind}`)
    expected = outcome.head
  }
  let pages = 0
  const readStream = store.readStream.bind(store)
  store.readStream = (request) => {
    if (request.limit === PAGE_EVENTS) pages += 1
    return readStream(request)
  }
  return { fixture, pages: () => pages }
}

function frozen(number: number): NewEvent {
  const data = { changeId: 'chg_1', reason: 'x'.repeat(REASON_CHARACTERS), at: number }
  return {
    id: `00000000-0000-8000-8000-${`${number}`.padStart(12, '0')}`,
    type: number % 2 === 0 ? 'AccountFrozen' : 'AccountUnfrozen',
    data: JSON.stringify(data),
    metadata: '{"correlationId":"x","causationId":"x","actor":"operator","schemaVersion":2}',
  }
}

/** Asks, and reads nothing yet. */
function ask({ port, ledger }: GatewayFixture): Socket {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.pause()
  socket.on('error', () => {})
  const authorization = `Authorization: Bearer ${ledger.secret}`
  socket.write(`GET /v1/evidence HTTP/1.1\r\nHost: a\r\n${authorization}\r\n\r\n`)
  return socket
}

test('who takes nothing is read for no further, is cut off, and leaves its place', async () => {
  const { fixture, pages } = await start({ writeStallMs: 500, readsPerAccount: 1 })
  const socket = ask(fixture)
  await expect.poll(pages).toBeGreaterThan(0)
  // The other read waits behind it, because the account has one place for what only reads.
  const other = await fixture.get('/v1/balance')
  expect(other.status).toBe(200)
  expect(pages()).toBeLessThan(EVENTS / PAGE_EVENTS)
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  const closed = once(socket, 'close')
  socket.resume()
  await closed
  expect(text).toMatch(/^HTTP\/1.1 200 /)
  // The last chunk of an answer in chunks has no length, so this one does not look whole.
  expect(text.endsWith('0\r\n\r\n')).toBe(false)
})

test('who takes it slowly but steadily is given all of it', async () => {
  const { fixture, pages } = await start({ writeStallMs: 500 })
  const socket = ask(fixture)
  let bytes = 0
  let tail = ''
  const all = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      tail = (tail + chunk.toString('latin1')).slice(-5)
      if (tail === '0\r\n\r\n') resolve()
      socket.pause()
      setImmediate(() => socket.resume())
    })
  })
  socket.resume()
  await all
  expect(bytes).toBeGreaterThan(EVENTS * REASON_CHARACTERS)
  expect(pages()).toBeGreaterThanOrEqual(EVENTS / PAGE_EVENTS)
})
