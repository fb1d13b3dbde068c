/**
 * Framing and headers, byte by byte: what smuggles, floods or confuses is refused in one shape. The
 * numbers are those of group A of the corpus of bad input, which is complete here; where a request
 * is sent to a format, it is sent to each of the three.
 */

import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { wireFormats } from '@svc/testing/wire-formats'
import { chatFormat } from '@svc/testing/wire-formats/chat-format'
import type { WireFormat } from '@svc/testing/wire-formats/wire-format'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bodyOf } from '../../../testing/format-requests.ts'
import { expectErrorBody, expectUntouched } from '../../../testing/oracle.ts'
import { sendRaw } from '../../../testing/raw-socket.ts'

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway({ limits: { headersTimeoutMs: 300, requestTimeoutMs: 400 } })
})
afterAll(() => fixture[Symbol.asyncDispose]())

const chunked = 'Transfer-Encoding: chunked\r\n'

/** Makes the parts of a request that costs money, in one of the formats. */
function partsOf(format: WireFormat) {
  const body = JSON.stringify(bodyOf(format))
  const start = `POST ${format.paths[0]} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`
  const key = 'Authorization: Bearer KEY\r\n'
  return {
    body,
    start,
    length: `Content-Length: ${body.length}\r\n`,
    chunks: `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    post: (headers: string, content = body) => `${start}${key}${headers}\r\n${content}`,
  }
}

function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer KEY\r\n${headers}\r\n`
}

const send = (bytes: string, answers = 1) =>
  sendRaw(fixture.port, Buffer.from(bytes.replaceAll('KEY', fixture.ledger.secret)), answers)

type Case = readonly [name: string, bytes: string, status: number, code: string]

async function expectRefusal(
  [, bytes, status, code]: Case,
  family: WireFormat['family'],
): Promise<void> {
  const answer = await send(bytes)
  expect(answer.status, answer.text).toBe(status)
  expectErrorBody(answer.body, { status, code, family })
  expect(answer.headers['content-type']).toMatch(/^application\/json/)
  expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-z]{26}$/)
  expect(answer.headers['request-id']).toBe(answer.headers['x-request-id'])
  await expectUntouched(fixture)
}

/** Makes the framings that are refused wherever they are sent to. */
function badRequests({ post, start, length, chunks }: ReturnType<typeof partsOf>): Case[] {
  return [
    ['1 CL and TE', post(length + chunked, chunks), 400, 'invalid_request'],
    ['2 TE and CL', post(chunked + length, chunks), 400, 'invalid_request'],
    ['3 two equal CL', post(length + length), 400, 'invalid_request'],
    ['4 two unequal CL', post(`${length}Content-Length: 3\r\n`), 400, 'invalid_request'],
    ['5 a list of CL', post('Content-Length: 3, 3\r\n'), 400, 'invalid_request'],
    ['6 CL with a plus', post('Content-Length: +3\r\n'), 400, 'invalid_request'],
    ['7 CL below zero', post('Content-Length: -1\r\n'), 400, 'invalid_request'],
    ['8 CL in hex', post('Content-Length: 0x3\r\n'), 400, 'invalid_request'],
    ['9 CL of 10^23', post(`Content-Length: 1${'0'.repeat(23)}\r\n`), 400, 'invalid_request'],
    ['10 CL larger than the body', post('Content-Length: 1000\r\n'), 408, 'request_timeout'],
    ['12 TE xchunked', post('Transfer-Encoding: xchunked\r\n'), 400, 'invalid_request'],
    [
      '13 TE with identity',
      post('Transfer-Encoding: chunked, identity\r\n'),
      400,
      'invalid_request',
    ],
    ...['gzip, chunked', 'deflate, chunked', 'x, chunked'].map((coding): Case => {
      const compressed = post(`Transfer-Encoding: ${coding}\r\n`, chunks)
      return [`13 TE ${coding}`, compressed, 415, 'unsupported_media_type']
    }),
    ['14 space before the colon', post('Transfer-Encoding : chunked\r\n'), 400, 'invalid_request'],
    ['15 TE twice', post(chunked + chunked, chunks), 400, 'invalid_request'],
    ['17 bare LF', post(length).replaceAll('\r\n', '\n'), 400, 'invalid_request'],
    ['18 a folded header', post(`${length}X-A: b\r\n c\r\n`), 400, 'invalid_request'],
    ['19 bare CR in a value', post(`${length}X-A: b\rc\r\n`), 400, 'invalid_request'],
    ['20 NUL in a header', post(`${length}X-A: b\0c\r\n`), 400, 'invalid_request'],
    ['21 chunk size ZZ', post(chunked, 'ZZ\r\n'), 400, 'invalid_request'],
    ['22 chunk size of 17 digits', post(chunked, `${'1'.repeat(17)}\r\n`), 400, 'invalid_request'],
    [
      '23 a chunk extension of 20 KB',
      post(chunked, `1;${'a'.repeat(20_000)}\r\n`),
      413,
      'request_too_large',
    ],
    [
      '25 Authorization in the trailer',
      `${start}${chunked}\r\n0\r\nAuthorization: Bearer KEY\r\n\r\n`,
      401,
      'invalid_api_key',
    ],
    ['33 Expect: nonsense', post(`${length}Expect: nonsense\r\n`), 417, 'invalid_request'],
    [
      '35 a header of 17 KB',
      post(`${length}X: ${'a'.repeat(17_000)}\r\n`),
      431,
      'headers_too_large',
    ],
    ['36 67 headers', post(length + 'X: 1\r\n'.repeat(63)), 431, 'headers_too_large'],
    [
      '39 two Authorizations',
      post(`${length}Authorization: Bearer KEY\r\n`),
      400,
      'invalid_request',
    ],
    [
      '39 two x-api-keys',
      post(`${length}${'x-api-key: KEY\r\n'.repeat(2)}`),
      400,
      'invalid_request',
    ],
    ['two media types', post(`${length}Content-Type: text/plain\r\n`), 400, 'invalid_request'],
  ]
}

describe.each(wireFormats)('$name is refused', (format) => {
  test.each(badRequests(partsOf(format)))('%s', (...given) => expectRefusal(given, format.family))
})

const elsewhere: readonly Case[] = [
  ['26 no Host', 'GET / HTTP/1.1\r\n\r\n', 400, 'invalid_request'],
  ['27 two Hosts', get('/', 'Host: b\r\n'), 400, 'invalid_request'],
  ['29 no HTTP version', 'GET /\r\n\r\n', 400, 'invalid_request'],
  ['30 HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'invalid_request'],
  ['31 an unknown method', 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'invalid_request'],
  ['32 TRACE', 'TRACE / HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'method_not_allowed'],
  ['a path with an encoded letter', get('/v1/models/svc%2Dbeta'), 404, 'unknown_url'],
  ['35 a header of 17 KB', get('/', `X: ${'a'.repeat(17_000)}\r\n`), 431, 'headers_too_large'],
  ['36 66 headers', get('/v1/models', 'X: 1\r\n'.repeat(64)), 431, 'headers_too_large'],
  ['37 a URL of 20 KB', get(`/${'a'.repeat(20_000)}`), 431, 'headers_too_large'],
  ['37 a URL of 3 KB', get(`/${'a'.repeat(3_000)}`), 414, 'url_too_long'],
  [
    '39 two Authorizations',
    get('/v1/models', 'Authorization: Bearer KEY\r\n'),
    400,
    'invalid_request',
  ],
  ['half a request line', 'POST /v1/chat', 408, 'request_timeout'],
  ['silence', '', 408, 'request_timeout'],
  ['a broken percent escape', get('/%zz'), 400, 'invalid_request'],
]

describe('is refused', () => {
  test.each(elsewhere)('%s', (...given) => expectRefusal(given, 'openai'))
})

describe.each(wireFormats)('$name is served', (format) => {
  const { post, body, length, chunks } = partsOf(format)
  const expectServed = async (bytes: string) => {
    const answer = await send(bytes)
    expect(answer.status, answer.text).toBe(200)
    expect(fixture.ledger.debits().length).toBe(1)
    fixture.ledger.entries.clear()
  }

  test('11 what follows a body is a request of its own, with its own authentication', async () => {
    const second = 'GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n'
    const { text } = await send(post(length) + second, 2)
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 401'])
    fixture.ledger.entries.clear()
  })

  test('16 a tab before the coding means what a space means', () =>
    expectServed(post('Transfer-Encoding:\tchunked\r\n', chunks)))

  test('24 many chunks of one byte end in bounded time', () =>
    expectServed(post(chunked, `${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`)))
})

describe('is served or closed, and nothing else', () => {
  const { post, length } = partsOf(chatFormat)

  test('11 what is malformed behind a whole request does not take the place of its answer', async () => {
    const { text } = await send(`${post(length)}GARBAGE\r\n\r\n`, 2)
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
    expect(text).toContain('"finish_reason":"stop"')
    expect(fixture.ledger.only().settled?.input.rule).toBe('metered')
    fixture.ledger.entries.clear()
  })

  test('an inference request behind one that runs is refused: its client could not be watched', async () => {
    const { text } = await send(post(length) + post(length), 2)
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
    expect(text).toContain('"code":"invalid_request"')
    expect(fixture.ledger.entries.size).toBe(1)
    fixture.ledger.entries.clear()
  })

  test.each(['DELETE http://elsewhere/v1/models?x=1', 'DELETE /v1/models'])(
    '%s is 405 and names what the path takes',
    async (line) => {
      const answer = await send(`${line} HTTP/1.1\r\nHost: a\r\n\r\n`)
      expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
    },
  )

  test('without a Host, an unknown path names the address that was reached', async () => {
    const answer = await send('GET /nothing HTTP/1.0\r\n\r\n')
    expect(answer.status).toBe(404)
    expect(answer.body).toContain(`http://127.0.0.1:${fixture.port}/v1.`)
  })

  test('28 an absolute URL with another host is read by its path', async () => {
    expect((await send(get('http://elsewhere/v1/models'))).status).toBe(200)
  })

  test('32 CONNECT is closed', async () => {
    expect((await send('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')).status).toBe(0)
  })

  test('34 an upgrade is ignored', async () => {
    const answer = await send(get('/v1/models', 'Connection: Upgrade\r\nUpgrade: h2c\r\n'))
    expect(answer.status).toBe(200)
  })

  test('38 header names of the prototype harm nothing', async () => {
    const answer = await send(get('/v1/models', '__proto__: a\r\nconstructor: b\r\n'))
    expect(answer.status).toBe(200)
  })

  test('HEAD is answered without a body', async () => {
    const answer = await send('HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(answer).toMatchObject({ status: 200, body: '' })
  })
})
