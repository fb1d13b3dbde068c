/**
 * Slow, silent and flooding clients: each is cut off or held back, and the others are served. The
 * numbers are those of group B of the corpus of bad input. What depends on the format is done in
 * all three; the rest ends before anybody knows the format.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Timer } from '@svc/contracts/ports/time'
import { steadyClock } from '@svc/infra/system/steady-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import {
  chatBody,
  type FixtureOptions,
  type GatewayFixture,
  startGateway,
} from '@svc/testing/gateway/gateway-fixture'
import { ManualTime } from '@svc/testing/manual-time'
import type { WorkerScript } from '@svc/testing/scripted-worker'
import { until } from '@svc/testing/until'
import { wireFormats } from '@svc/testing/wire-formats'
import { chatFormat } from '@svc/testing/wire-formats/chat-format'
import type { Conversation } from '@svc/testing/wire-formats/conversation'
import type { WireFormat } from '@svc/testing/wire-formats/wire-format'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { bodyOf, postTo } from '../../../testing/format-requests.ts'
import { expectErrorBody, expectUntouched } from '../../../testing/oracle.ts'

/** The requests for more than a worker makes within the test. */
const LONG = {
  chat: { max_tokens: 2_000 },
  responses: { max_output_tokens: 2_000 },
  messages: { max_tokens: 2_000 },
}

let fixture: GatewayFixture
const sockets: Socket[] = []

async function start(options: FixtureOptions): Promise<void> {
  fixture = await startGateway(options)
}
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await fixture[Symbol.asyncDispose]()
})

/** A connection that remembers what came, and is watched until the server closes it. */
function open(): { socket: Socket; received: () => string; closed: Promise<void> } {
  let text = ''
  const socket = connect(fixture.port, '127.0.0.1')
  sockets.push(socket)
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return { socket, received: () => text, closed }
}

/** Sends byte after byte until the other side has enough. */
function drip(socket: Socket, bytes: string, everyMs = 50): void {
  let at = 0
  const timer = setInterval(() => {
    if (socket.writable && at < bytes.length) socket.write(bytes[at++] ?? '')
    else clearInterval(timer)
  }, everyMs)
  socket.once('close', () => clearInterval(timer))
}

const head = (secret: string, length: number, { paths } = chatFormat) =>
  `POST ${paths[0]} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n` +
  `Authorization: Bearer ${secret}\r\nContent-Length: ${length}\r\n`
const post = (conversation: Partial<Conversation>, fields = {}, format = chatFormat) => {
  const turns = [{ kind: 'user', text: 'hello there' }] as const
  const body = JSON.stringify(format.body({ turns, ...conversation }, fields))
  return `${head(fixture.ledger.secret, body.length, format)}\r\n${body}`
}

const LIMITS = { headersTimeoutMs: 600, requestTimeoutMs: 1_200, keepAliveMs: 300 }

test('many that are too slow at once are told so over several turns of the loop', async () => {
  const accepted: Socket[] = []
  const collect = (message: unknown) => accepted.push((message as { socket: Socket }).socket)
  await start({ limits: LIMITS })
  subscribe('net.server.socket', collect)
  for (let count = 0; count < 60; count += 1) open()
  await expect.poll(() => accepted.length).toBe(60)
  unsubscribe('net.server.socket', collect)
  // The clock runs as if each piece of work took a millisecond.
  let nowMs = steadyClock.nowMs()
  const clock = vi.spyOn(steadyClock, 'nowMs').mockImplementation(() => (nowMs += 1))
  const told = () => accepted.filter(({ writableEnded }) => writableEnded).length
  let most = 0
  for (let before = 0; before < accepted.length; ) {
    await nextTurn()
    most = Math.max(most, told() - before)
    before = told()
  }
  clock.mockRestore()
  expect(most).toBeLessThanOrEqual(9)
})

describe('a request that does not come', () => {
  interface Slow {
    readonly name: string
    readonly format: WireFormat
    readonly send: (socket: Socket) => void
  }
  const slow: readonly Slow[] = [
    { name: 'B1 silence', format: chatFormat, send: () => {} },
    {
      name: 'B2 a head, byte by byte',
      format: chatFormat,
      send: (socket) => drip(socket, head('x', 1_000)),
    },
    ...wireFormats.map((format) => ({
      name: `B3 a body of ${format.name}, byte by byte`,
      format,
      send: (socket: Socket) => {
        socket.write(`${head(fixture.ledger.secret, 1_000, format)}\r\n`)
        drip(socket, `{"model":"${'x'.repeat(1_000)}`)
      },
    })),
  ]

  test.each(slow)('$name: 408, and the connection is closed', async ({ format, send }) => {
    await start({ limits: LIMITS })
    const { socket, received, closed } = open()
    send(socket)
    await closed
    const [top = '', body = ''] = received().split('\r\n\r\n')
    expect(top).toMatch(/^HTTP\/1\.1 408 /)
    expect(top).toMatch(/^x-request-id: req_[0-9a-z]{26}$/m)
    expectErrorBody(body, { status: 408, code: 'request_timeout', family: format.family })
    await expectUntouched(fixture)
  })

  test('B4 from 200 at once: others are served meanwhile', async () => {
    await start({ limits: LIMITS })
    const slowOnes = Array.from({ length: 200 }, () => {
      const connection = open()
      // They share the loop with the server: more bytes would keep it busy, and not waiting.
      drip(connection.socket, head('x', 1_000), 200)
      return connection
    })
    for (let round = 0; round < 10; round += 1) {
      expect((await fixture.post(chatBody())).status).toBe(200)
    }
    await Promise.all(slowOnes.map(({ closed }) => closed))
    fixture.ledger.entries.clear()
    await expectUntouched(fixture)
  })

  test('B3 its place is free again: a body that stops counts until it is cut', async () => {
    await start({ limits: { ...LIMITS, requestsPerKey: 1, waitingPerAccount: 0 } })
    const { socket, closed } = open()
    socket.write(`${head(fixture.ledger.secret, 1_000)}\r\n{`)
    await expect.poll(async () => (await fixture.post(chatBody())).status).toBe(429)
    await closed
    await expect.poll(async () => (await fixture.post(chatBody())).status).toBe(200)
  })
})

test('a body that lies here when its time is over is not late, because the server was busy', async () => {
  const BODY_MS = 12_345
  let timeIsOver: (() => void) | undefined
  const after: Timer['after'] = (delayMs, run) => {
    if (delayMs === BODY_MS) timeIsOver = run
    return systemTimer.after(delayMs, run)
  }
  await start({ timer: { after }, limits: { requestTimeoutMs: BODY_MS } })
  const { socket, received } = open()
  const body = JSON.stringify(chatBody())
  socket.write(`${head(fixture.ledger.secret, body.length)}\r\n`)
  await expect.poll(() => timeIsOver).toBeDefined()
  socket.write(body)
  timeIsOver?.()
  await expect.poll(received).toMatch(/^HTTP\/1\.1 200 /)
})

test('an answer that is taken is not cut off, because the server was busy until its time was over', async () => {
  const WRITE_MS = 23_456
  const after: Timer['after'] = (delayMs, run) => {
    if (delayMs !== WRITE_MS) return systemTimer.after(delayMs, run)
    queueMicrotask(run)
    return () => {}
  }
  // More than one piece, and no more than the buffers of the system take at once.
  const script = { tokens: 20, text: () => 'x'.repeat(15_000) }
  await start({ script, timer: { after }, limits: { writeStallMs: WRITE_MS } })
  const answer = await fixture.post(chatBody())
  expect(await answer.json()).toMatchObject({ object: 'chat.completion' })
})

test('a kept connection outlives what its client was told, for one that was held up', async () => {
  await start({ limits: { keepAliveMs: 1_000 } })
  const { socket, received } = open()
  const ask = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'
  socket.write(ask)
  await expect.poll(received).toMatch(/^keep-alive: timeout=1\b/im)
  // Node's own grace is over by then.
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  socket.write(ask)
  await expect.poll(() => received().match(/HTTP\/1\.1 200 /g)?.length).toBe(2)
  socket.destroy()
})

/**
 * To close one direction looks the same as to leave. Whoever leaves while the prompt is computed
 * must not pay for an answer, so that is what it is taken for.
 */
test.each(wireFormats)(
  'B12 a client of $name that only listens any more has left',
  async (format) => {
    await start({ script: { prefillMs: 60_000 } })
    const { socket, received, closed } = open()
    socket.end(post({}, {}, format))
    await closed
    expect(received()).toBe('')
    await expect.poll(() => fixture.ledger.openHolds()).toBe(0n)
    for (const { settled } of fixture.ledger.entries.values()) {
      expect(settled?.input.rule).toBe('metered_until_cancelled')
      expect(settled?.input.meter.outputTokens).toBe(0)
    }
  },
)

/** How long the clients of an answer may take nothing, in the time that a test turns by hand. */
const STALL_MS = 1_000
/** 8 MB are taken in twice the bound; the system's buffers alone hold far less. */
const TENTH_EVERY_BYTES = 400_000
const LARGE = { tokens: 1_000, text: () => 'x'.repeat(8_000) }

describe.each(wireFormats)('an answer of $name that is not taken', (format) => {
  /**
   * Takes an answer piece by piece. A tenth of the bound passes with each piece, however long the
   * machine takes for it.
   *
   * @returns how many bytes it was, when `isWhole` says so of its length and its last characters
   */
  async function takenSteadily(
    { fields, isWhole }: { fields: object; isWhole: (taken: number, tail: string) => boolean },
    script: Partial<WorkerScript>,
  ): Promise<number> {
    const time = new ManualTime()
    await start({ script, timer: time, limits: { writeStallMs: STALL_MS } })
    const { socket, closed } = open()
    let [taken, tail] = [0, '']
    let nextTenthAt = TENTH_EVERY_BYTES
    socket.on('data', async (chunk: string) => {
      taken += chunk.length
      tail = (tail + chunk).slice(-200)
      socket.pause()
      if (taken >= nextTenthAt) {
        nextTenthAt += TENTH_EVERY_BYTES
        await time.advance(STALL_MS / 10)
      }
      setImmediate(() => socket.resume())
    })
    socket.write(post({ maxTokens: 1_000 }, fields, format))
    await until(() => isWhole(taken, tail) || socket.closed)
    socket.destroy()
    await closed
    return taken
  }

  test('B5 a slow but steady reader is given everything', async () => {
    const isWhole = (_: number, tail: string) => /data: \[DONE\]|event: message_stop/.test(tail)
    const taken = await takenSteadily({ fields: { stream: true }, isWhole }, LARGE)
    expect(taken).toBeGreaterThan(1_000 * 8_000)
  })

  test('B5 a whole answer is given to a reader that takes longer than the bound, steadily', async () => {
    const isWhole = (bytes: number) => bytes > 1_000 * 15_000
    const script = { tokens: 1_000, text: () => 'x'.repeat(15_000) }
    const taken = await takenSteadily({ fields: {}, isWhole }, script)
    expect(taken).toBeGreaterThan(1_000 * 15_000)
  })

  test('B6, B13 a whole answer that nobody takes is cut off, and its place is free', async () => {
    await start({ script: LARGE, limits: { writeStallMs: 300, requestsPerKey: 1 } })
    const { socket, closed } = open()
    socket.pause()
    socket.write(post({ maxTokens: 1_000 }, {}, format))
    await expect.poll(() => fixture.ledger.debits().length).toBe(1)
    // What was made is billed: nobody can know that it was not read.
    expect(fixture.ledger.only().settled?.input.rule).toBe('metered')
    await new Promise((resolve) => setTimeout(resolve, 600))
    socket.resume()
    await closed
    fixture.worker.script = { ...fixture.worker.script, tokens: 1, text: () => 'x' }
    expect((await fixture.post(chatBody())).status).toBe(200)
  })
})

describe('floods', () => {
  test('B7 500 connections that are reset at once harm nobody', async () => {
    await start({})
    await Promise.all(
      Array.from({ length: 500 }, () => {
        const { socket, closed } = open()
        socket.once('connect', () => socket.resetAndDestroy())
        return closed
      }),
    )
    await expectUntouched(fixture)
  })

  test.each(wireFormats)(
    'B8 streams of $name run up to the bound of who is alone; one more is 429',
    async (format) => {
      await start({ script: { tokens: 2_000, delayMs: 5 }, limits: { waitingPerAccount: 0 } })
      // None of them may end before the last has come, on a busy machine either.
      const fields = { ...format.streamFields, ...LONG[format.name] }
      const ask = () => postTo(fixture, format.paths[0], bodyOf(format, fields))
      const running = await Promise.all(Array.from({ length: 24 }, () => ask()))
      const more = await ask()
      expect(more.status).toBe(429)
      expect(more.headers.get('retry-after')).toBe('1')
      expect(fixture.ledger.entries.size).toBe(24)
      await Promise.all(running.map(({ body }) => body?.cancel()))
      await expect.poll(() => fixture.ledger.openHolds()).toBe(0n)
      expect((await fixture.post(chatBody({ max_tokens: 1 }))).status).toBe(200)
    },
  )

  test('B9 of pipelined requests 1,000 are answered, in order, then the connection is closed', async () => {
    // The account's bound lets all these wait: beyond it a read is refused with 429. None waits
    // for those of a second.
    await start({ limits: { waitingPerAccount: 1_010, readsPerSecond: 0 } })
    const { socket, received, closed } = open()
    const secret = `Authorization: Bearer ${fixture.ledger.secret}\r\n`
    const one = (index: number) =>
      `GET /v1/models/${index % 2 === 0 ? 'svc-beta' : 'no'} HTTP/1.1\r\nHost: a\r\n${secret}\r\n`
    socket.write(Array.from({ length: 1_010 }, (_, index) => one(index)).join(''))
    await closed
    const statuses = received().match(/HTTP\/1\.1 \d+/g) ?? []
    expect(statuses.length).toBe(1_000)
    const isInOrder = statuses.every((line, index) =>
      line.endsWith(index % 2 === 0 ? '200' : '404'),
    )
    expect(isInOrder).toBe(true)
    expect(received().match(/^connection: close/gim)?.length).toBe(1)
  })

  test('H12 bytes that come while an answer is streamed end nothing, and its client is still watched', async () => {
    await start({ script: { tokens: 10_000, delayMs: 2 } })
    const { socket, received, closed } = open()
    socket.write(post({ maxTokens: 5_000 }, { stream: true }))
    await expect.poll(received).toContain('word1')
    for (let round = 0; round < 20; round += 1) {
      socket.write('GARBAGE\r\n\r\n')
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const before = received().length
    await expect.poll(() => received().length).toBeGreaterThan(before + 1_000)
    socket.destroy()
    await closed
    await expect.poll(() => fixture.ledger.debits().length).toBe(1)
    expect(fixture.ledger.only().settled?.input.rule).toBe('metered_until_cancelled')
    expect(received()).not.toContain('400')
  })

  test('B10 a kept connection that says nothing more is closed', async () => {
    await start({ limits: { ...LIMITS, keepAliveGraceMs: 0 } })
    const { socket, received, closed } = open()
    socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
    await closed
    expect(received()).toMatch(/^HTTP\/1\.1 200 /)
    expect(received()).toContain('keep-alive')
  })

  test('B11 HEAD and OPTIONS cost nothing and are answered', async () => {
    await start({})
    for (const [method, path, status] of [
      ['HEAD', '/livez', 200],
      ['OPTIONS', '/v1/chat/completions', 405],
      ['HEAD', '/v1/chat/completions', 405],
    ] as const) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => fetch(fixture.baseUrl + path, { method })),
      )
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([status]))
      if (status === 405) expect(answers[0]?.headers.get('allow')).toBe('POST')
    }
    await expectUntouched(fixture)
  })
})
