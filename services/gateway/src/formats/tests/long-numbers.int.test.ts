/** Numbers that no JavaScript number holds reach the worker as the caller wrote them. */
import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { wireFormats } from '@svc/testing/wire-formats'
import type { WireFormat } from '@svc/testing/wire-formats/wire-format'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bodyOf, postTo } from '../../../testing/format-requests.ts'

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway()
})
afterAll(() => fixture[Symbol.asyncDispose]())

const SCHEMA = { type: 'object', properties: { id: { enum: ['ID'], maximum: 'LIMIT' } } }
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

async function preparedFor(format: WireFormat, fields: object): Promise<string> {
  const body = JSON.stringify(bodyOf(format, fields))
  const written = body.replaceAll('"ID"', ID).replaceAll('"LIMIT"', LIMIT)
  const response = await postTo(fixture, format.paths[0], written)
  expect(response.status, await response.text()).toBe(200)
  return JSON.stringify(fixture.worker.prepared.at(-1))
}

const expected = JSON.stringify(SCHEMA.properties).replace('"ID"', ID).replace('"LIMIT"', LIMIT)

describe.each(wireFormats)('$name', (format) => {
  test('in the schema of a tool', async () => {
    expect(await preparedFor(format, tools[format.name])).toContain(expected)
  })

  test('in the schema of an answer', async () => {
    expect(await preparedFor(format, outputs[format.name])).toContain(expected)
  })
})
