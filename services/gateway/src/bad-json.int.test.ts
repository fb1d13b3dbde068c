/**
 * Bodies that are no JSON, or JSON that readers disagree about: refused before the ledger is asked.
 */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GatewayFixture, startGateway } from './testing/gateway-fixture.ts'
import { type ExpectedError, expectErrorBody, expectRefused } from './testing/oracle.ts'

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway()
})
afterAll(() => fixture[Symbol.asyncDispose]())

const send = (body: string | Buffer, headers: Record<string, string> = {}) =>
  fetch(`${fixture.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${fixture.ledger.secret}`,
      ...headers,
    },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })

const MESSAGES = '"messages":[{"role":"user","content":"hi"}]'
const with_ = (fields: string) => `{"model":"svc-beta",${MESSAGES},${fields}}`
const good = `{"model":"svc-beta",${MESSAGES}}`

const badJson: readonly [name: string, body: string | Buffer][] = [
  ['1 empty', ''],
  ['2 null', 'null'],
  ['2 a list', '[]'],
  ['2 a string', '"x"'],
  ['2 a number', '1'],
  ['3 a trailing comma', '{"a":1,}'],
  ['3 a comment', '{"a":1}//'],
  ['3 single quotes', "{'a':1}"],
  ['3 NaN', '{"a":NaN}'],
  ['4 a byte order mark', `\ufeff${good}`],
  ['5 two values', `${good}{}`],
  ['6 33 levels', with_(`"x":${'['.repeat(32)}${']'.repeat(32)}`)],
  ['7 5,000 levels', with_(`"x":${'['.repeat(5_000)}${']'.repeat(5_000)}`)],
  ['8 500,000 levels', '['.repeat(500_000)],
  [
    '9 80,000 keys',
    with_(`"x":{${Array.from({ length: 80_000 }, (_, i) => `"${i}":1`).join(',')}}`),
  ],
  ['10 100,000 empty objects', with_(`"x":[${Array(100_000).fill('{}').join(',')}]`)],
  ['11 model twice', `{"model":"svc-beta","model":"svc-4",${MESSAGES}}`],
  ['12 max_tokens twice', with_('"max_tokens":1,"max_tokens":1000000')],
  ['13 __proto__ at the top', with_('"__proto__":{"a":1}')],
  ['13 __proto__ below', with_('"metadata":{"__proto__":"a"}')],
  ['13 __proto__ in a list', with_('"x":[{"__proto__":null}]')],
  ['14 constructor.prototype', with_('"constructor":{"prototype":{"a":1}}')],
  ['15 __proto__ by escape', with_('"\\u005f_proto__":1')],
  ['16 1e400', with_('"max_tokens":1e400')],
  ['19 a number of 200 digits', with_(`"max_tokens":${'9'.repeat(200)}`)],
  ['20 half a surrogate pair', with_('"user":"\\ud800"')],
  ['20 half a surrogate pair, reversed', with_('"user":"\\udc00\\ud800"')],
  ['21 invalid UTF-8', Buffer.from(`${with_('"user":"')}\xff"}`, 'latin1')],
  ['21 overlong UTF-8', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xaf])])],
  ['21 UTF-16', Buffer.from(good, 'utf16le')],
  ['an unfinished string', '{"a":"b'],
  ['an unfinished escape', '{"a":"b\\'],
]

describe('400 invalid_json', () => {
  test.each(badJson)('%s', async (_name, body) => {
    await expectRefused(fixture, await send(body), { status: 400, code: 'invalid_json' })
  })
})

test('18 an integer that floating point cannot hold is refused by its field', async () => {
  const response = await send(with_('"max_tokens":9007199254740993'))
  const expected = { status: 400, code: 'invalid_value', param: 'max_tokens' }
  await expectRefused(fixture, response, expected)
})

test('17 1.0 is the integer 1', async () => {
  expect((await send(with_('"max_tokens":1.0'))).status).toBe(200)
  fixture.ledger.entries.clear()
})

test('22 NUL and line separators in content are kept', async () => {
  const content = 'a\u0000b\u2028c\r\nd\u202e'
  const messages = [{ role: 'user', content }]
  expect((await send(JSON.stringify({ model: 'svc-beta', messages }))).status).toBe(200)
  expect(fixture.worker.prepared.at(-1)?.messages).toEqual(messages)
  fixture.ledger.entries.clear()
})

const tooLarge: ExpectedError = { status: 413, code: 'request_too_large' }

test('23 a body above the limit', async () => {
  const body = with_(`"user":"${'a'.repeat(4 * 1024 * 1024)}"`)
  const response = await send(body)
  expect(response.status).toBe(tooLarge.status)
  expectErrorBody(await response.text(), tooLarge)
})

const unsupported: ExpectedError = { status: 415, code: 'unsupported_media_type' }

describe('415', () => {
  test.each([
    ['gzip', gzipSync(good)],
    ['br', brotliCompressSync(good)],
    ['deflate', deflateSync(good)],
    ['zstd', Buffer.from(good)],
    ['gzip', gzipSync(Buffer.alloc(10 * 1024 * 1024))],
  ])('24 Content-Encoding %s', async (encoding, body) => {
    const response = await send(body, { 'content-encoding': encoding })
    await expectRefused(fixture, response, unsupported)
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json garbage',
    'application/json\tx',
    'application/json;charset=utf-7',
    'application/json, text/plain',
    'multipart/form-data; boundary=x',
    'application/jsonx',
  ])('25 Content-Type %s', async (type) => {
    await expectRefused(fixture, await send(good, { 'content-type': type }), unsupported)
  })

  test('25 no Content-Type', async () => {
    const response = await send(Buffer.from(good), { 'content-type': '' })
    await expectRefused(fixture, response, unsupported)
  })

  test.each(['application/json; charset=utf-8', 'application/json;charset="UTF-8"'])(
    'but %s is served',
    async (type) => {
      expect((await send(good, { 'content-type': type })).status).toBe(200)
      fixture.ledger.entries.clear()
    },
  )
})
