/**
 * Bad input in all three formats, as one table: status, code and the field that is named; and after
 * each no charge, no hold, and a server that serves. The numbers are those of the corpus of bad
 * input, whose groups are found in:
 *
 *     A framing      raw-http.int.test.ts, all of it
 *     B slowness     slowness.int.test.ts, B14 not at all: TLS is not ours
 *     C JSON         bad-json.int.test.ts, all of it
 *     D fields       here; D24 and D25, where texts become tokens, in three-formats.e2e.test.ts and
 *                    in services/worker/src/prompt; what only one format has in chat-fields,
 *                    responses-fields and responses-items.int.test.ts, D21 in
 *                    formats/chat/parse.test.ts; D26 is C22
 *     E schemas      tests/spec/schemas.e2e.test.ts, with the real worker; here is how its refusal
 *                    is told
 *     H streams      streams.int.test.ts
 */
import { createServer } from 'node:net'
import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { wireFormats } from '@svc/testing/wire-formats'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  choice,
  conversation,
  everywhere,
  foreignEnds,
  foreignOutput,
  foreignTools,
  image,
  incompleteTools,
  limit,
  only,
  orphan,
  output,
  type Places,
  said,
  textlessPart,
  tools,
  turn,
} from '../../../testing/bad-fields.ts'
import { bodyOf, postTo } from '../../../testing/format-requests.ts'
import { expectRefused } from '../../../testing/oracle.ts'

const CONTEXT_TOKENS = 300
/** The scripted worker counts this many bytes as a token. */
const BYTES_PER_TOKEN = 4
const bytes = (tokens: number) => 'a'.repeat(tokens * BYTES_PER_TOKEN)

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway({ worker: { contextSize: CONTEXT_TOKENS }, script: { tokens: 1 } })
})
beforeEach(() => fixture.ledger.entries.clear())
afterAll(() => fixture[Symbol.asyncDispose]())

type Row = readonly [name: string, code: string, places: Places]

const each = <Value>(
  name: string,
  code: string,
  values: readonly Value[],
  places: (value: Value) => Places,
): Row[] => values.map((value) => [`${name} ${JSON.stringify(value)}`, code, places(value)])

const INVALID = 'invalid_value'
const MISSING = 'missing_required_parameter'
/** A field that only another format has. */
const FOREIGN = 'unsupported_parameter'
const user = { role: 'user', content: 'a' }
const metadata = (value: unknown) => only(everywhere('metadata', value), 'chat', 'responses')
const pairs = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 'v']))
const names = Array.from({ length: 257 }, (_, index) => `f${index}`)
const noModels = ['', 'gpt-4', '../../etc/passwd', 'http://169.254.169.254/', 'svc-beta\0']
const noTexts = [['svc-beta'], {}, null, 7, true]

const rows: readonly Row[] = [
  ['D2 no model', MISSING, everywhere('model', undefined)],
  ...each('D2 model', 'model_not_found', [...noModels, ...noTexts], (value) =>
    everywhere('model', value),
  ),
  ['D2 a model of 10 KB', 'model_not_found', everywhere('model', 'a'.repeat(10_000))],
  [
    'D2 another model, and no conversation',
    'model_not_found',
    {
      chat: [{ model: 'gpt-4', messages: undefined }, 'model'],
      responses: [{ model: 'gpt-4', input: undefined }, 'model'],
      messages: [{ model: 'gpt-4', messages: undefined }, 'model'],
    },
  ],
  [
    'D2 another model, and what is not supported here',
    'model_not_found',
    {
      chat: [{ model: 'gpt-4', n: 2 }, 'model'],
      responses: [{ model: 'gpt-4', background: true }, 'model'],
      messages: [{ model: 'gpt-4', temperature: 1.2 }, 'model'],
    },
  ],
  [
    'D2 another model, and a format of the answer in the words of another format',
    'model_not_found',
    {
      chat: [{ model: 'gpt-4', output_format: { type: 'json_schema' } }, 'model'],
      responses: [{ model: 'gpt-4', response_format: { type: 'json_object' } }, 'model'],
      messages: [{ model: 'gpt-4', response_format: { type: 'json_object' } }, 'model'],
    },
  ],
  ['D3 no conversation', MISSING, conversation(undefined)],
  ['D3 a conversation that is an object', INVALID, conversation({})],
  ['D3 an empty conversation', INVALID, conversation([])],
  ['D3 too many turns', INVALID, conversation(Array(4_097).fill(user))],
  ['D3 a turn that is text', INVALID, turn('hi')],
  ...each('D4 role', INVALID, ['admin', '__proto__', '', 7], (role) =>
    turn({ role, content: 'a' }, '.role'),
  ),
  ...each('D5 content', INVALID, [null, 7, {}], (content) => said(content)),
  ['D5 a part without text', MISSING, textlessPart],
  [
    'D5 content of 300 KB',
    'context_length_exceeded',
    conversation([{ role: 'user', content: 'a'.repeat(300_000) }]),
  ],
  ...each(
    'D6 an image at',
    'unsupported_value',
    ['file:///etc/passwd', 'gopher://127.0.0.1/', 'data:image/png;base64,AAAA'],
    image,
  ),
  ...each('D7 limit', INVALID, [0, -1, 1.5, '16', [16], true, 2 ** 53], limit),
  ['D7 limit 2^31', 'context_length_exceeded', limit(2 ** 31)],
  ...each('D8 temperature', INVALID, [-1, 2.1, '1', [1]], (value) =>
    everywhere('temperature', value),
  ),
  ...each('D9 top_p', INVALID, [-0.1, 1.1, '1'], (value) => everywhere('top_p', value)),
  ...each('D10 n', 'unsupported_value', [0, 2, 1_000_000], (n) => only(everywhere('n', n), 'chat')),
  ...each('D11 stop', INVALID, ['', Array(5).fill('a'), 'a'.repeat(257)], (stop) =>
    only(everywhere('stop', stop), 'chat'),
  ),
  ['D11 stop in a list in a list', INVALID, { chat: [{ stop: [['a']] }, 'stop[0]'] }],
  ...each('D11 stop_sequences', INVALID, ['a', Array(17).fill('a')], (stop) =>
    only(everywhere('stop_sequences', stop), 'messages'),
  ),
  ...each('D11 stop_sequences', INVALID, [[''], ['a'.repeat(257)], [['a']]], (stop) => ({
    messages: [{ stop_sequences: stop }, 'stop_sequences[0]'],
  })),
  ...each('D12 logit_bias', INVALID, ['-1', '1e3', 'word', 'constructor'], (token) => ({
    chat: [{ logit_bias: { [token]: 1 } }, `logit_bias.${token}`],
  })),
  ...each('D12 logit_bias', INVALID, [101, -101, '1', null], (bias) => ({
    chat: [{ logit_bias: { '5': bias } }, 'logit_bias.5'],
  })),
  [
    'D12 1,025 biases',
    INVALID,
    only(everywhere('logit_bias', Object.fromEntries(Array(1_025).fill(1).entries())), 'chat'),
  ],
  ...each('D13 seed', INVALID, [2 ** 64, -(2 ** 64), 'a', 1.5], (seed) =>
    only(everywhere('seed', seed), 'chat'),
  ),
  ...each('D14 stream', INVALID, ['true', 1], (stream) => everywhere('stream', stream)),
  [
    'D15 stream_options without stream',
    INVALID,
    only(everywhere('stream_options', { include_usage: true }), 'chat'),
  ],
  ['D17 17 pairs of metadata', INVALID, metadata(pairs)],
  [
    'D17 metadata in metadata',
    INVALID,
    {
      chat: [{ metadata: { a: { b: 'c' } } }, 'metadata.a'],
      responses: [{ metadata: { a: { b: 'c' } } }, 'metadata.a'],
    },
  ],
  ['D18 257 tools', INVALID, tools(names)],
  ['D18 two tools of one name', INVALID, tools(['f', 'f'], 1)],
  ...each('D18 a tool named', INVALID, ['a b', '', '\u{1f600}', 'a\n', 'a'.repeat(129)], (name) =>
    tools(['f', name], 1),
  ),
  ...incompleteTools.map(([shape, places]): Row => [`D18 a tool ${shape}`, MISSING, places]),
  ...foreignTools.map(([shape, places]): Row => [`D18 a tool ${shape}`, FOREIGN, places]),
  ...foreignOutput.map(([field, places]): Row => [`E ${field}`, FOREIGN, places]),
  ...foreignEnds.map(([field, places]): Row => [`D7 ${field} of another format`, FOREIGN, places]),
  ['D19 a choice of an absent tool', INVALID, choice('g')],
  ['D20 a result of no call', INVALID, orphan('call_1')],
  ['D22 a prompt of the whole context', 'context_length_exceeded', conversationOf(CONTEXT_TOKENS)],
  ['D22 a prompt of one token more', 'context_length_exceeded', conversationOf(301)],
  ['D23 a sum that overflows', 'context_length_exceeded', limit(CONTEXT_TOKENS - 1)],
  ...[{}, { strict: true }, { strict: false }].map(
    (more): Row => [
      `E no schema, ${JSON.stringify(more)}`,
      MISSING,
      only(output(more, '.schema'), 'chat', 'responses'),
    ],
  ),
  ['E a schema that is null', INVALID, only(badSchema('.schema', null), 'chat', 'responses')],
  ['E a schema that is null', INVALID, only(badSchema('', null), 'messages')],
  ['E no schema', INVALID, only(output({}), 'messages')],
  ['E a schema that is text', INVALID, only(badSchema('.schema'), 'chat', 'responses')],
  ['E a schema that is text', INVALID, only(badSchema(), 'messages')],
]

/** The Messages format says this in words of its own, which name no field. */
const unnamed = new Set(['context_length_exceeded'])

function badSchema(at?: string, schema: unknown = '{}'): Places {
  return output({ schema }, at)
}

function conversationOf(tokens: number): Places {
  return conversation([{ role: 'user', content: bytes(tokens) }])
}

describe.each(wireFormats)('$name', (format) => {
  const { name: formatName, family, paths } = format
  const own = rows.flatMap(([name, code, places]) => {
    const place = places[formatName]
    return place === undefined ? [] : [[name, code, ...place] as const]
  })

  test.each(own)('%s', async (_name, code, fields, param) => {
    const response = await postTo(fixture, paths[0], bodyOf(format, fields))
    if (code === MISSING) {
      const words = `Missing required parameter: '${param}'.`
      expect(await response.clone().json()).toMatchObject({ error: { message: words } })
    }
    const isNamed = family === 'openai' || !unnamed.has(code)
    const expected = { status: 400, code, family, ...(isNamed && { param }) }
    await expectRefused(fixture, response, expected)
  })

  test('D6 an address in an image is never asked for', async () => {
    let calls = 0
    const server = createServer((socket) => {
      calls += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const [fields] = image(`http://127.0.0.1:${port}/`)[formatName] ?? [{}]
    const response = await postTo(fixture, paths[0], bodyOf(format, fields))
    expect(response.status).toBe(400)
    server.close()
    expect(calls).toBe(0)
  })

  test('E a schema that the worker cannot enforce is named, and costs nothing', async () => {
    const message = 'a.b: multipleOf'
    const { script } = fixture.worker
    const prepareRefusal = { status: 400, code: 'unsupported_schema', message } as const
    fixture.worker.script = { ...script, prepareRefusal }
    const [fields, param] = output({ schema: { type: 'object' } }, '.schema')[formatName] ?? [
      {},
      '',
    ]
    const response = await postTo(fixture, paths[0], bodyOf(format, fields))
    fixture.worker.script = script
    expect(await response.clone().text()).toContain(message)
    const expected = { status: 400, code: 'unsupported_value', param, family }
    await expectRefused(fixture, response, expected)
  })

  const served: readonly (readonly [name: string, fields: object])[] = [
    ['D1, D28 fields that nobody knows', { usage: { cost: 0 }, account_id: 'acct_x', price: 0 }],
    ['D8, D9 null for every default', { temperature: null, top_p: null, stream: null }],
    ['D9 top_p 0', { top_p: 0 }],
    ['D16 a user of 10 KB with control characters', { user: `\u0007${'a'.repeat(10_000)}` }],
    ['D22 a prompt up to the last token', lastToken()],
    ['E1 a raw grammar, which is ignored', { grammar: 'root ::= "a"' }],
  ]
  function lastToken(): object {
    const [said_] = conversationOf(CONTEXT_TOKENS - 1)[formatName] ?? [{}]
    return { ...said_, ...(limit(1)[formatName] ?? [{}])[0] }
  }

  test.each(served)('%s: is served', async (_name, fields) => {
    await expectServed(await postTo(fixture, paths[0], bodyOf(format, fields)))
  })

  test.each([
    ['D29 a query', '?account_id=acct_x&model=gpt-4', {}],
    ['D30 a query that contradicts itself', '?stream=true&stream=false', {}],
    ['D31 Accept: text/html', '', { accept: 'text/html' }],
    ['D32 another method in a header', '', { 'x-http-method-override': 'DELETE' }],
    ['G23 cached tokens that are claimed', '', { 'x-cached-tokens': '1000' }],
  ])('%s: is ignored', async (_name, query, headers) => {
    const response = await postTo(fixture, paths[0] + query, bodyOf(format), headers)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    await expectServed(response)
  })

  test('D24 texts that look like control tokens reach the worker as they are', async () => {
    const text = '<|im_start|>system\n[INST]</s><think>\u202e'
    const turns = [{ kind: 'user', text }] as const
    await expectServed(await postTo(fixture, paths[0], format.body({ turns, maxTokens: 5 })))
    expect(fixture.worker.prepared.at(-1)?.messages).toEqual([{ role: 'user', content: text }])
  })

  test('D27 private knobs of runtimes never reach the worker', async () => {
    const knobs = { grammar: 'x', cache_prompt: true, id_slot: 1, slot_id: 1, n_predict: 9 }
    const more = { samplers: ['x'], lora: [{}], json_schema: {}, tenant: 'acct_x' }
    await expectServed(await postTo(fixture, paths[0], bodyOf(format)))
    const plain = fixture.worker.runs.at(-1)?.request
    await expectServed(await postTo(fixture, paths[0], bodyOf(format, { ...knobs, ...more })))
    const { requestId, ...given } = fixture.worker.runs.at(-1)?.request ?? {}
    expect({ ...given, requestId: plain?.requestId }).toEqual(plain)
  })

  test.each([
    (path: string) => `/${path}`,
    (path: string) => `${path}/`,
    (path: string) => path.toUpperCase(),
    (path: string) => path.replace('/v1/', '/v1//'),
    (path: string) => `${path};jsessionid=1`,
    (path: string) => path.replace('/v1/', '/v1/%2e%2e%2f'),
  ])('D33 a path that is close to right is 404 (%#)', async (bent) => {
    const path = bent(paths[0])
    const response = await postTo(fixture, path, bodyOf(format))
    expect(response.status, path).toBe(404)
    expect(await response.text()).toContain(`http://127.0.0.1:${fixture.port}`)
    expect(fixture.ledger.entries.size).toBe(0)
  })

  async function expectServed(response: Response): Promise<void> {
    expect(response.status, await response.text()).toBe(200)
    expect(fixture.ledger.only().accountId).toBe(fixture.ledger.accountId)
    expect(fixture.ledger.openHolds()).toBe(0n)
    fixture.ledger.entries.clear()
  }
})
