/** Numbers that no JavaScript number holds reach the worker and the answer as they were. */
import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { wireFormats } from '@svc/testing/wire-formats'
import { responsesFormat as responses } from '@svc/testing/wire-formats/responses-format'
import type { WireFormat } from '@svc/testing/wire-formats/wire-format'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bodyOf, postTo } from '../../../testing/format-requests.ts'

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway()
})
afterAll(() => fixture[Symbol.asyncDispose]())

const SCHEMA = {
  type: 'object',
  maxProperties: 'LIMIT',
  properties: { id: { enum: ['ID'], maximum: 'LIMIT' } },
}
const ID = '1234567890123456789'
const LIMIT = '18446744073709551615'

const tools: Record<WireFormat['name'], object> = {
  chat: { tools: [{ type: 'function', function: { name: 'f', parameters: SCHEMA } }] },
  messages: { tools: [{ name: 'f', input_schema: SCHEMA }] },
  responses: { tools: [{ type: 'function', name: 'f', parameters: SCHEMA }] },
}
const outputs: Record<WireFormat['name'], object> = {
  chat: {
    response_format: { type: 'json_schema', json_schema: { name: 'n', schema: SCHEMA } },
  },
  messages: { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
  responses: { text: { format: { type: 'json_schema', name: 'n', schema: SCHEMA } } },
}

const written = (value: object) =>
  JSON.stringify(value).replaceAll('"ID"', ID).replaceAll('"LIMIT"', LIMIT)
const expected = written(SCHEMA)

async function answerTo(format: WireFormat, fields: object): Promise<string> {
  const response = await postTo(fixture, format.paths[0], written(bodyOf(format, fields)))
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return text
}

async function preparedFor(format: WireFormat, fields: object): Promise<string> {
  await answerTo(format, fields)
  return JSON.stringify(fixture.worker.prepared.at(-1))
}

async function stored(path: string): Promise<string> {
  const headers = { authorization: `Bearer ${fixture.ledger.secret}` }
  return await (await fetch(`${fixture.baseUrl}/v1/responses/${path}`, { headers })).text()
}

describe.each(wireFormats)('$name', (format) => {
  test('in the schema of a tool', async () => {
    expect(await preparedFor(format, tools[format.name])).toContain(expected)
  })

  test('in the schema of an answer', async () => {
    expect(await preparedFor(format, outputs[format.name])).toContain(expected)
  })
})

describe.each([
  ['tools', tools.responses],
  ['format of the text', outputs.responses],
])('the %s that a response shows', (_what, fields) => {
  test('whole, and when it is read again', async () => {
    const answer = await answerTo(responses, fields)
    expect(answer).toContain(expected)
    expect(await stored(JSON.parse(answer).id)).toContain(expected)
  })

  test('in every event of a stream that has it', async () => {
    const answer = await answerTo(responses, { ...fields, stream: true })
    expect(answer.split(expected)).toHaveLength(4)
  })
})

test('in a tool that an item added, when a later request goes on from it', async () => {
  const item = { type: 'additional_tools', role: 'developer', ...tools.responses }
  const input = [item, { role: 'user', content: 'a' }]
  const { id } = JSON.parse(await answerTo(responses, { input }))
  expect(await stored(`${id}/input_items`)).toContain(expected)
  expect(await preparedFor(responses, { previous_response_id: id })).toContain(expected)
})
