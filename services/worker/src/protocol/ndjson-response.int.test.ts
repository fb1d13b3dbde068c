import {
  createServer,
  get,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GenerateEvent } from '@svc/contracts/worker/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NdjsonResponse } from './ndjson-response.ts'

const EVENT: GenerateEvent = {
  type: 'token',
  text: 'x'.repeat(10_000),
  kind: 'text',
  outputTokens: 1,
}
const never = new AbortController().signal
/** On a busy machine the system moves what was written from one full buffer to the next so late. */
const BUFFERS_FULL_MS = 500

let server: Server
let reader: IncomingMessage
let response: ServerResponse

beforeEach(async () => {
  const asked = Promise.withResolvers<ServerResponse>()
  server = createServer((_request, answer) => asked.resolve(answer)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const answered = Promise.withResolvers<IncomingMessage>()
  const { port } = server.address() as AddressInfo
  get({ host: '127.0.0.1', port, agent: false }, answered.resolve).on('error', () => {})
  response = await asked.promise
  new NdjsonResponse(response).open()
  reader = await answered.promise
  reader.on('error', () => {})
})

afterEach(() => {
  reader.destroy()
  server.close()
})

describe('a stream whose reader does not read', () => {
  const cases: [string, (interrupt: AbortController) => void][] = [
    ['until the reader reads', () => reader.resume()],
    ['until the reader leaves', () => reader.destroy()],
    ['until the request is interrupted', (interrupt) => interrupt.abort()],
  ]

  it.each(cases)('waits %s', async (_when, release) => {
    const interrupt = new AbortController()
    const stream = new NdjsonResponse(response)
    let waited = false
    const held = (await fill(stream, interrupt.signal)).emitted.then(() => {
      waited = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(waited).toBe(false)
    release(interrupt)
    await held
  })

  it('that has left takes events to nowhere', async () => {
    const closed = new Promise((resolve) => response.on('close', resolve))
    reader.destroy()
    await closed
    await new NdjsonResponse(response).emit(EVENT, never)
  })
})

/** Emits until the buffers are full; `emitted` is the promise of the event that filled them. */
async function fill(
  stream: NdjsonResponse,
  signal: AbortSignal,
): Promise<{ readonly emitted: Promise<void> }> {
  while (true) {
    const emitted = stream.emit(EVENT, signal)
    if (response.writableNeedDrain && (await isPending(emitted))) return { emitted }
    await emitted
  }
}

async function isPending(promise: Promise<void>): Promise<boolean> {
  const turn = new Promise<boolean>((resolve) => setTimeout(() => resolve(true), BUFFERS_FULL_MS))
  return await Promise.race([promise.then(() => false), turn])
}
