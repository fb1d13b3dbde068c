/** Slow readers hold the worker back, too many requests are turned away, and a stop waits. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import {
  chatBody,
  type FixtureOptions,
  type GatewayFixture,
  startGateway,
} from '@svc/testing/gateway/gateway-fixture'
import { plainScript } from '@svc/testing/scripted-worker'
import { StreamReader } from '@svc/testing/stream-reader'
import { afterEach, describe, expect, test } from 'vitest'
import { expectErrorBody } from '../../../testing/oracle.ts'

let fixture: GatewayFixture

async function start(options: FixtureOptions): Promise<void> {
  fixture = await startGateway(options)
}
afterEach(() => fixture[Symbol.asyncDispose]())

/** A client that asks for a stream and reads nothing. */
async function slowReader(): Promise<Socket> {
  const body = JSON.stringify(chatBody({ stream: true, max_tokens: 1_500 }))
  const socket = connect(fixture.port, '127.0.0.1')
  socket.pause()
  socket.on('error', () => {})
  socket.write(
    'POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n' +
      `Authorization: Bearer ${fixture.ledger.secret}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  return socket
}

/** How many tokens the worker has made once it makes no more for a while. */
async function madeWhenHeldBack(): Promise<number> {
  let made = -1
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 300))
    const now = fixture.worker.runs[0]?.made ?? 0
    if (now > 0 && now === made) return made
    made = now
  }
}

const LARGE = { tokens: 1_500, text: () => 'x'.repeat(8_000) }

describe('a reader that takes nothing', () => {
  test('holds the worker back, and is given everything once it reads', async () => {
    await start({ script: LARGE })
    const socket = await slowReader()
    expect(await madeWhenHeldBack()).toBeLessThan(LARGE.tokens / 2)
    let tail = ''
    let length = 0
    socket.on('data', (chunk) => {
      length += chunk.length
      tail = (tail + chunk.toString('latin1')).slice(-100)
    })
    socket.resume()
    await expect.poll(() => tail).toContain('data: [DONE]')
    expect(length).toBeGreaterThan(LARGE.tokens * 8_000)
    socket.destroy()
  })

  test('is cut off after the write stall, and billed as a client that left', async () => {
    await start({ script: LARGE, limits: { writeStallMs: 200 } })
    const socket = await slowReader()
    await expect.poll(() => fixture.ledger.debits().length).toBe(1)
    const { settled } = fixture.ledger.only()
    expect(settled?.input).toMatchObject({ rule: 'metered_until_cancelled', failure: null })
    expect(settled?.input.meter.outputTokens).toBe(fixture.worker.runs[0]?.made)
    socket.destroy()
  })
})

describe('too many at once', () => {
  test('of one key: 429 with Retry-After; of all: 503', async () => {
    await start({
      script: { tokens: 1_000, delayMs: 5 },
      limits: { requestsPerKey: 2, requestsInFlight: 3, waitingPerAccount: 0, waitingRequests: 0 },
    })
    const stream = () => fixture.post(chatBody({ stream: true }))
    const running = [await stream(), await stream()]
    const third = await stream()
    expect(third.status).toBe(429)
    expect(third.headers.get('retry-after')).toBe('1')
    expectErrorBody(await third.text(), { status: 429, code: 'rate_limit_exceeded' })
    const other = { authorization: `Bearer ${fixture.ledger.otherSecret}` }
    running.push(await fixture.post(chatBody({ stream: true }), other))
    const fourth = await fixture.post(chatBody({ stream: true }), other)
    expect(fourth.status).toBe(503)
    expectErrorBody(await fourth.text(), { status: 503, code: 'server_is_overloaded' })
    await Promise.all(running.map((response) => response.body?.cancel()))
    await expect.poll(() => fixture.ledger.openHolds()).toBe(0n)
  })

  test('200 of one key are served, in turns', async () => {
    await start({ script: { tokens: 20, delayMs: 5 } })
    await fixture.ledger.setBalance(10n ** 20n)
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => fixture.post(chatBody({ stream: true }))),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    await Promise.all(answers.map((answer) => answer.text()))
    expect(fixture.ledger.debits().length).toBe(200)
  })
})

describe('a stop', () => {
  test('lets what runs finish, and refuses what is new on kept connections', async () => {
    await start({ script: { tokens: 200, delayMs: 5 } })
    const reader = new StreamReader(await fixture.post(chatBody({ stream: true })))
    const kept = connect(fixture.port, '127.0.0.1')
    let text = ''
    kept.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    const slow = 'GET /livez HTTP/1.1\r\nHost: a\r\n'
    // A connection that is in the middle of a request is not idle, so it outlives the stop.
    await once(kept, 'connect')
    kept.write(slow)
    // What comes later is read later: when this is answered, the half of a request has been read.
    expect((await fixture.get('/livez')).status).toBe(200)
    await reader.until('word1')
    const closed = fixture.gateway.close({ graceMs: 10_000 })
    kept.write('\r\n')
    await expect.poll(() => text).toContain('"code":"shutting_down"')
    expect(text).toMatch(/^HTTP\/1\.1 503 .*connection: close/is)
    await expect(fixture.get('/livez')).rejects.toThrow()
    expect(await reader.rest()).toContain('data: [DONE]')
    await closed
    expect(fixture.ledger.only().settled?.input.rule).toBe('metered')
    expect(fixture.reached).toContain('shutdown.draining')
  })

  test('does not wait for a reader that takes nothing', async () => {
    await start({ script: LARGE })
    const socket = await slowReader()
    await madeWhenHeldBack()
    await fixture.gateway.close({ graceMs: 50 })
    const { settled } = fixture.ledger.only()
    expect(settled?.input).toMatchObject({ failure: 'shutting_down', finishReason: 'cancelled' })
    socket.destroy()
  })

  test('settles a stream that outlasts the grace', async () => {
    const answer = await outlastTheGrace({ stream: true })
    expect(answer).toContain('"code":"shutting_down"')
    const { settled } = fixture.ledger.only()
    expect(settled?.input).toMatchObject({ failure: 'shutting_down', finishReason: 'cancelled' })
    expect(settled?.input.meter.outputTokens).toBe(fixture.worker.runs[0]?.made)
  })

  test('charges nothing for an answer of which nothing was sent', async () => {
    const answer = await outlastTheGrace({ stream: false })
    expect(answer).toContain('"code":"shutting_down"')
    const { settled, failed } = fixture.ledger.only()
    expect({ settled, failed }).toEqual({ settled: undefined, failed: 'shutting_down' })
  })

  async function outlastTheGrace(fields: { stream: boolean }): Promise<string> {
    await start({ script: { ...plainScript, tokens: 8_000, delayMs: 5 } })
    const answer = fixture.post(chatBody(fields)).then((response) => response.text())
    await expect.poll(() => fixture.worker.runs[0]?.made).toBeGreaterThan(3)
    await fixture.gateway.close({ graceMs: 50 })
    return answer
  }
})
