/** Each bound between the head of a request and its work, reached through HTTP. */
import { once } from 'node:events'
import { connect } from 'node:net'
import {
  chatBody,
  type FixtureOptions,
  type GatewayFixture,
  startGateway,
} from '@svc/testing/gateway/gateway-fixture'
import { gate } from '@svc/testing/stream-reader'
import { wireFormats } from '@svc/testing/wire-formats'
import { afterEach, describe, expect, test } from 'vitest'
import { bodyOf, postTo } from '../../testing/format-requests.ts'
import { expectErrorBody } from '../../testing/oracle.ts'

let fixture: GatewayFixture

async function start(options: FixtureOptions): Promise<void> {
  fixture = await startGateway(options)
}
afterEach(() => fixture[Symbol.asyncDispose]())

const SLOW = { tokens: 2_000, delayMs: 5 }
const other = () => ({ authorization: `Bearer ${fixture.ledger.otherSecret}` })
const stream = (headers = {}) => fixture.post(chatBody({ stream: true }), headers)
const COUNT = { model: 'svc-beta', messages: [{ role: 'user', content: 'hello' }] }
/** All routes that count and cost nothing. */
const COUNTING = [
  { path: '/v1/messages/count_tokens', body: (text: string) => withText(text) },
  { path: '/v1/responses/input_tokens', body: (text: string) => ({ input: text }) },
]

function withText(content: string): object {
  return { ...COUNT, messages: [{ role: 'user', content }] }
}

/** Whether the promise is still open after a while. */
async function waits(promise: Promise<unknown>): Promise<boolean> {
  const later = new Promise((resolve) => setTimeout(resolve, 150, 'later'))
  return (await Promise.race([promise, later])) === 'later'
}

describe('places', () => {
  test('an account beyond its places waits, others do not, and its turn comes', async () => {
    await start({ script: SLOW, limits: { requestsPerKey: 2 } })
    const running = [await stream(), await stream()]
    const third = stream()
    expect(await waits(third)).toBe(true)
    const others = await stream(other())
    expect(others.status).toBe(200)
    await running[0]?.body?.cancel()
    expect((await third).status).toBe(200)
    for (const answer of [...running, others, await third]) await answer.body?.cancel()
    await expect.poll(() => fixture.ledger.openHolds()).toBe(0n)
  })

  test.each(wireFormats)(
    'in $name, 429 tells what the bound is and when to come back',
    async (format) => {
      await start({ script: SLOW, limits: { requestsPerAccount: 1, waitingPerAccount: 0 } })
      const running = await stream()
      const refused = await postTo(fixture, format.paths[0], bodyOf(format))
      const { family } = format
      expect(refused.status).toBe(429)
      const body = await refused.text()
      expectErrorBody(body, { status: 429, code: 'rate_limit_exceeded', family })
      expect(refused.headers.get('retry-after')).toBe('1')
      expect(rateOf(refused, family)).toMatchObject({ limit: '1', remaining: '0' })
      await running.body?.cancel()
    },
  )

  test('a line that is full for all loses the newest of the longest', async () => {
    await start({
      script: SLOW,
      limits: { requestsPerAccount: 1, waitingRequests: 2 },
    })
    const running = [await stream(), await stream(other())]
    const ofOne = [stream()]
    expect(await waits(ofOne[0] as Promise<Response>)).toBe(true)
    ofOne.push(stream())
    expect(await waits(ofOne[1] as Promise<Response>)).toBe(true)
    const newcomer = stream(other())
    expect((await ofOne[1])?.status).toBe(429)
    expect(await waits(newcomer)).toBe(true)
    await Promise.all(running.map((answer) => answer.body?.cancel()))
    const served = await Promise.all([ofOne[0] as Promise<Response>, newcomer])
    expect(served.map(({ status }) => status)).toEqual([200, 200])
    await Promise.all(served.map((answer) => answer.body?.cancel()))
  })

  test('who waits too long is told to come back', async () => {
    await start({ script: SLOW, limits: { requestsPerKey: 1, waitMs: 200 } })
    const running = await stream()
    const refused = await stream()
    expect(refused.status).toBe(429)
    expectErrorBody(await refused.text(), { status: 429, code: 'rate_limit_exceeded' })
    await running.body?.cancel()
  })

  test('who leaves while it waits gives up its place in the line', async () => {
    await start({ script: SLOW, limits: { requestsPerKey: 1, waitingPerAccount: 1 } })
    const running = await stream()
    const socket = connect(fixture.port, '127.0.0.1')
    const body = JSON.stringify(chatBody())
    socket.write(
      'POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n' +
        `Authorization: Bearer ${fixture.ledger.secret}\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    await expect.poll(async () => (await stream()).status).toBe(429)
    socket.destroy()
    await once(socket, 'close')
    const next = stream()
    await running.body?.cancel()
    await expect.poll(async () => (await next).status).toBe(200)
    await (await next).body?.cancel()
    expect(fixture.log.join('')).toBe('')
  })

  test('a stop turns away who waits', async () => {
    await start({ script: SLOW, limits: { requestsPerKey: 1 } })
    // These are kept to the end: an answer that nobody refers to any more is cancelled by its
    // client.
    const running = await stream()
    const waiting = stream()
    expect(await waits(waiting)).toBe(true)
    const closed = fixture.gateway.close({ graceMs: 100 })
    expect((await waiting).status).toBe(503)
    expectErrorBody(await (await waiting).text(), { status: 503, code: 'shutting_down' })
    await closed
    expect(await running.text()).not.toContain('[DONE]')
  })

  test.each(COUNTING)('$path takes a place too', async ({ path, body }) => {
    await start({ script: SLOW, limits: { requestsPerAccount: 1, waitingPerAccount: 0 } })
    const running = await stream()
    expect((await postTo(fixture, path, body('hello'))).status).toBe(429)
    expect((await postTo(fixture, path, body('hello'), other())).status).toBe(200)
    await running.body?.cancel()
    await expect.poll(async () => (await postTo(fixture, path, body('x'))).status).toBe(200)
  })
})

describe('the time of a worker', () => {
  const counts = (number: number, headers = {}) =>
    Array.from({ length: number }, () =>
      postTo(fixture, '/v1/messages/count_tokens', withText('hello'), headers),
    )

  test('is shared in turns: who asks once waits for one of each other account', async () => {
    const prepared = gate()
    await start({ script: { prepareAfter: prepared.passed }, limits: { preparationsInFlight: 1 } })
    const many = counts(6)
    await expect.poll(() => fixture.worker.prepared.length).toBe(1)
    const { ledger, otherSecret } = fixture.ledger
    const knownCaller = ledger.knownCaller.bind(ledger)
    const came: string[] = []
    ledger.knownCaller = (secret) => {
      came.push(secret)
      return knownCaller(secret)
    }
    const one = fixture.post(chatBody(), other())
    await expect.poll(() => came).toContain(otherSecret)
    expect(await waits(one)).toBe(true)
    prepared.open()
    await Promise.all([...many, one])
    const tenants = fixture.worker.prepared.map(({ tenant }) => tenant)
    expect(tenants.indexOf(fixture.ledger.otherAccountId)).toBeLessThanOrEqual(2)
  })

  test('is taken by few prompts of one account at once', async () => {
    const prepared = gate()
    const limits = { preparationsPerAccount: 2 }
    await start({ script: { prepareAfter: prepared.passed }, limits })
    const many = counts(3)
    await expect.poll(() => fixture.worker.prepared.length).toBe(2)
    const others = counts(1, other())
    await expect.poll(() => fixture.worker.prepared.length).toBe(3)
    prepared.open()
    await Promise.all(others)
    expect(fixture.worker.prepared.map(({ tenant }) => tenant)[2]).toBe(
      fixture.ledger.otherAccountId,
    )
    await Promise.all(many)
    expect(fixture.worker.prepared.length).toBe(4)
  })

  test('is not taken by who has left before its turn', async () => {
    const prepared = gate()
    await start({ script: { prepareAfter: prepared.passed }, limits: { preparationsInFlight: 1 } })
    const [first] = counts(1)
    await expect.poll(() => fixture.worker.prepared.length).toBe(1)
    const leave = new AbortController()
    const path = '/v1/messages/count_tokens'
    const second = postTo(fixture, path, withText('hello'), {}, leave.signal)
    expect(await waits(second)).toBe(true)
    leave.abort()
    await expect(second).rejects.toThrow()
    prepared.open()
    await first
    expect((await fixture.post(chatBody())).status).toBe(200)
    expect(fixture.worker.prepared.length).toBe(2)
    expect(fixture.log.join('')).toBe('')
  })
})

describe('without credit', () => {
  test.each(wireFormats)('$name is 402 before anything is counted', async (format) => {
    await start({})
    await fixture.ledger.setBalance(0n)
    const answer = await postTo(fixture, format.paths[0], bodyOf(format))
    const { family } = format
    expectErrorBody(await answer.text(), { status: 402, code: 'insufficient_quota', family })
    expect(answer.status).toBe(402)
    expect(fixture.worker.prepared).toEqual([])
    expect(fixture.ledger.acceptCalls).toBe(0)
  })

  test('a body that is not small is 402 before it is sent', async () => {
    await start({ limits: { unpaidBodyBytes: 1_024 } })
    await fixture.ledger.setBalance(-1n)
    const socket = connect(fixture.port, '127.0.0.1')
    socket.write(
      'POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n' +
        `Authorization: Bearer ${fixture.ledger.secret}\r\nContent-Length: 1025\r\n\r\n`,
    )
    const [answer] = await once(socket.setEncoding('utf8'), 'data')
    expect(answer).toMatch(/^HTTP\/1\.1 402 /)
    expect(answer).toContain('does not cover it: available is -$0.000000000001.')
    socket.destroy()
  })

  test('one in chunks is cut at the same size', async () => {
    await start({ limits: { unpaidBodyBytes: 1_024 } })
    await fixture.ledger.setBalance(0n)
    const socket = connect(fixture.port, '127.0.0.1')
    socket.write(
      'POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n' +
        `Authorization: Bearer ${fixture.ledger.secret}\r\nTransfer-Encoding: chunked\r\n\r\n` +
        `401\r\n${' '.repeat(1_025)}\r\n`,
    )
    const [answer] = await once(socket.setEncoding('utf8'), 'data')
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    await once(socket, 'close')
  })

  test.each(COUNTING)('$path counts what is small', async ({ path, body }) => {
    await start({ limits: { unpaidBodyBytes: 1_024 } })
    await fixture.ledger.setBalance(0n)
    expect((await postTo(fixture, path, body('hello'))).status).toBe(200)
    expect((await postTo(fixture, path, body('x'.repeat(1_024)))).status).toBe(402)
  })

  test('requests beyond those of a second wait before their bodies are read', async () => {
    await start({ limits: { refusalsPerSecond: 5, refusalPauseMs: 0 } })
    await fixture.ledger.setBalance(0n)
    const startMs = performance.now()
    const many = Array.from({ length: 9 }, () => fixture.post(chatBody()))
    expect((await Promise.all(many)).map(({ status }) => status)).toEqual(Array(9).fill(402))
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(795)
  })

  test('requests beyond those of a second look into no store before their time', async () => {
    await start({ limits: { refusalsPerSecond: 1, refusalPauseMs: 0 } })
    await fixture.ledger.setBalance(0n)
    let [came, looks] = [0, 0]
    const { ledger } = fixture.ledger
    const knownCaller = ledger.knownCaller.bind(ledger)
    ledger.knownCaller = (secret) => {
      came += 1
      return knownCaller(secret)
    }
    const recentBalance = ledger.recentBalance.bind(ledger)
    ledger.recentBalance = (accountId) => {
      looks += 1
      return recentBalance(accountId)
    }
    const startMs = performance.now()
    const leave = new AbortController()
    const many = Array.from({ length: 20 }, () =>
      postTo(fixture, '/v1/chat/completions', chatBody(), {}, leave.signal).catch(() => null),
    )
    await expect.poll(() => came).toBe(20)
    expect((await Promise.race(many))?.status).toBe(402)
    leave.abort()
    await Promise.all(many)
    // Of each: at the door, and for what it lacks. One comes at once, and another every second.
    const seconds = Math.ceil((performance.now() - startMs) / 1_000)
    expect(looks).toBeLessThanOrEqual(2 * (1 + seconds))
  })

  test('a request waits once, either for its turn or for its refusal', async () => {
    await start({ limits: { refusalsPerSecond: 1, refusalPauseMs: 60_000 } })
    expect((await fixture.post({})).status).toBe(400)
    await fixture.ledger.setBalance(0n)
    const startMs = performance.now()
    expect((await fixture.post(chatBody())).status).toBe(402)
    expect(performance.now() - startMs).toBeLessThan(30_000)
  })

  test('a recorded answer is given again all the same', async () => {
    await start({})
    const key = { 'idempotency-key': 'a key' }
    const first = await (await fixture.post(chatBody(), key)).text()
    await fixture.ledger.setBalance(0n)
    const retry = await fixture.post(chatBody(), key)
    expect(await retry.text()).toBe(first)
    expect(retry.headers.get('idempotent-replayed')).toBe('true')
  })
})

describe('bytes of bodies', () => {
  const limits = { smallBodyBytes: 100, bodyBytesPerAccount: 10_000, bodyBytesInFlight: 12_000 }
  const large = (bytes: number, headers = {}) =>
    fixture.post(
      chatBody({ stream: true, messages: [{ role: 'user', content: 'x'.repeat(bytes) }] }),
      headers,
    )

  test('of one account wait until there is room, and disturb no other', async () => {
    await start({ script: SLOW, limits })
    const first = await large(8_000)
    const second = large(4_000)
    expect(await waits(second)).toBe(true)
    const others = await large(1_000, other())
    await first.body?.cancel()
    expect((await second).status).toBe(200)
    for (const answer of [others, await second]) await answer.body?.cancel()
  })

  test('beyond those of a second are read one after the other, and no other waits', async () => {
    await start({ limits: { smallBodyBytes: 100, bodyBytesPerSecond: 4_500 } })
    const startMs = performance.now()
    const many = Array.from({ length: 3 }, () => large(4_500))
    const last = Promise.all(many).then(() => 'last')
    const others = Promise.all([large(3_000, other()), fixture.post(chatBody())])
    expect(await Promise.race([last, others.then(() => 'others')])).toBe('others')
    for (const answer of await Promise.all(many)) {
      expect(answer.status).toBe(200)
      await answer.body?.cancel()
    }
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(2_000)
  })

  test('of all wait too', async () => {
    await start({ script: SLOW, limits })
    const first = await large(8_000)
    const second = large(5_000, other())
    expect(await waits(second)).toBe(true)
    await first.body?.cancel()
    expect((await second).status).toBe(200)
    await (await second).body?.cancel()
  })

  test('a body in chunks counts as the largest until it was read', async () => {
    await start({ script: SLOW, limits: { ...limits, bodyBytes: 9_000 } })
    const socket = connect(fixture.port, '127.0.0.1')
    socket.write(
      'POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n' +
        `Authorization: Bearer ${fixture.ledger.secret}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    const second = large(4_000)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await waits(second)).toBe(true)
    socket.write('2\r\n{}\r\n0\r\n\r\n')
    expect((await second).status).toBe(200)
    await (await second).body?.cancel()
    socket.destroy()
  })
})

function rateOf({ headers }: Response, family: 'openai' | 'anthropic') {
  if (family === 'anthropic') {
    const of = (name: string) => headers.get(`anthropic-ratelimit-requests-${name}`)
    expect(Date.parse(of('reset') ?? '')).toBeGreaterThan(Date.now() - 1_000)
    return { limit: of('limit'), remaining: of('remaining') }
  }
  const of = (name: string) => headers.get(`x-ratelimit-${name}-requests`)
  expect(of('reset')).toBe('1s')
  return { limit: of('limit'), remaining: of('remaining') }
}
