/**
 * Bodies that are no JSON, or JSON that readers disagree about, in all three formats: refused
 * before the ledger is asked. The numbers are those of group C of the corpus of bad input, which is
 * complete here.
 */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { wireFormats } from '@svc/testing/wire-formats'
import type { WireFormat } from '@svc/testing/wire-formats/wire-format'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postTo } from '../../../testing/format-requests.ts'
import { type ExpectedError, expectErrorBody, expectRefused } from '../../../testing/oracle.ts'

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway()
})
afterAll(() => fixture[Symbol.asyncDispose]())

/** The field of the conversation, and the name of the output limit. */
const fieldsOf: Readonly<Record<WireFormat['name'], readonly [said: string, limit: string]>> = {
  chat: ['"messages":[{"role":"user","content":"hi"}]', 'max_tokens'],
  responses: ['"input":"hi"', 'max_output_tokens'],
  messages: ['"messages":[{"role":"user","content":"hi"}]', 'max_tokens'],
}

const manyItems = `[${Array(10_000).fill(1).join(',')}]`

describe.each(wireFormats)('$name', (format) => {
  const { name, family, paths } = format
  const [said, limit] = fieldsOf[name]
  const good = `{"model":"svc-beta",${said},"${limit}":5}`
  const with_ = (fields: string) => `{"model":"svc-beta",${said},"${limit}":5,${fields}}`
  const withLimit = (value: string) => `{"model":"svc-beta",${said},"${limit}":${value}}`
  const send = (body: string | Buffer, headers: Record<string, string> = {}) =>
    postTo(fixture, paths[0], body, headers)
  const expectServed = async (body: string, headers?: Record<string, string>) => {
    const response = await send(body, headers)
    expect(response.status, await response.text()).toBe(200)
    fixture.ledger.entries.clear()
  }

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
    ['4 two byte order marks', `\ufeff\ufeff${good}`],
    ['5 two values', `${good}{}`],
    ['6 33 levels', with_(`"x":${'['.repeat(32)}${']'.repeat(32)}`)],
    ['7 5,000 levels', with_(`"x":${'['.repeat(5_000)}${']'.repeat(5_000)}`)],
    ['8 500,000 levels', '['.repeat(500_000)],
    ['9 60,000 items in arrays of 10,000', with_(`"x":[${Array(6).fill(manyItems).join(',')}]`)],
    [
      '9 80,000 keys',
      with_(`"x":{${Array.from({ length: 80_000 }, (_, i) => `"${i}":1`).join(',')}}`),
    ],
    ['10 100,000 empty objects', with_(`"x":[${Array(100_000).fill('{}').join(',')}]`)],
    ['11 model twice', `{"model":"svc-beta","model":"svc-4",${said}}`],
    ['12 max_tokens twice', with_(`"${limit}":1`)],
    ['13 __proto__ at the top', with_('"__proto__":{"a":1}')],
    ['13 __proto__ below', with_('"metadata":{"__proto__":"a"}')],
    ['13 __proto__ in a list', with_('"x":[{"__proto__":null}]')],
    ['14 constructor.prototype', with_('"constructor":{"prototype":{"a":1}}')],
    ['15 __proto__ by escape', with_('"\\u005f_proto__":1')],
    ['16 1e400', with_('"top_p":1e400')],
    ['19 a number of 200 digits', with_(`"top_p":${'9'.repeat(200)}`)],
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
      await expectRefused(fixture, await send(body), {
        status: 400,
        code: 'invalid_json',
        family,
      })
    })
  })

  test('18 an integer that floating point cannot hold is refused by its field', async () => {
    const response = await send(withLimit('9007199254740993'))
    const expected = { status: 400, code: 'invalid_value', param: limit, family }
    await expectRefused(fixture, response, expected)
  })

  test('4 one byte order mark in front is left out', () => expectServed(`\ufeff${good}`))

  test.each(['1.0', '1e0'])('17 %s is the integer 1', (one) => expectServed(withLimit(one)))

  test.each(['-0', '1e-400'])('17 %s is no limit', async (zero) => {
    const expected = { status: 400, code: 'invalid_value', param: limit, family }
    await expectRefused(fixture, await send(withLimit(zero)), expected)
  })

  test('22 NUL and line separators in content are kept', async () => {
    const content = 'a\u0000b\u2028c\r\nd\u202e'
    const messages = [{ role: 'user', content }]
    const turns = [{ kind: 'user', text: content }] as const
    await expectServed(JSON.stringify(format.body({ turns, maxTokens: 5 })))
    expect(fixture.worker.prepared.at(-1)?.messages).toEqual(messages)
  })

  const tooLarge: ExpectedError = { status: 413, code: 'request_too_large', family }

  test('23 a body above the limit', async () => {
    const body = with_(`"user":"${'a'.repeat(4 * 1024 * 1024)}"`)
    const response = await send(body)
    expect(response.status).toBe(tooLarge.status)
    expectErrorBody(await response.text(), tooLarge)
  })

  const unsupported: ExpectedError = { status: 415, code: 'unsupported_media_type', family }

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
      'application/json; foo=bar; charset="iso-8859-1"',
      'application/json; charset=utf-8; charset=utf-16',
      'application/json; charset=',
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

    test.each([
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'application/json; charset=utf8',
      'application/json; charset="Utf8" ; foo=bar',
      'application/json;',
      'application/json; foo=bar',
      'Application/JSON ;foo="a b"',
    ])('but %s is served', (type) => expectServed(good, { 'content-type': type }))

    test.each(['identity', 'Identity'])('but Content-Encoding %s is served', (coding) =>
      expectServed(good, { 'content-encoding': coding }),
    )
  })
})
