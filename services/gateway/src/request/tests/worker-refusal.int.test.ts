/**
 * What a worker refuses because of what the caller sent is a 400 in every format, as a stream or
 * not: before anything is accepted, and in no case worth a retry.
 */

import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { plainScript } from '@svc/testing/scripted-worker'
import { wireFormats } from '@svc/testing/wire-formats'
import type { WireFormat } from '@svc/testing/wire-formats/wire-format'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bodyOf, postTo } from '../../../testing/format-requests.ts'
import { expectErrorBody, expectRefused } from '../../../testing/oracle.ts'
import type { FieldNames } from '../../formats/inference-request.ts'

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway({ workers: 2 })
})
beforeEach(() => {
  for (const worker of fixture.workers) worker.script = plainScript
  fixture.ledger.entries.clear()
  fixture.log.length = 0
})
afterAll(() => fixture[Symbol.asyncDispose]())

/** The fields of the worker protocol that a caller fills, as each format calls them. */
const fieldNames: Record<keyof FieldNames, Record<WireFormat['name'], string>> = {
  messages: { chat: 'messages', responses: 'input', messages: 'messages' },
  toolUse: { chat: 'tools', responses: 'tools', messages: 'tools' },
  outputFormat: {
    chat: 'response_format.json_schema.schema',
    responses: 'text.format.schema',
    messages: 'output_format',
  },
  thinking: { chat: 'reasoning_effort', responses: 'reasoning.effort', messages: 'thinking' },
  sampling: { chat: 'temperature', responses: 'temperature', messages: 'temperature' },
  maxOutputTokens: { chat: 'max_tokens', responses: 'max_output_tokens', messages: 'max_tokens' },
  logitBias: { chat: 'logit_bias', responses: 'logit_bias', messages: 'logit_bias' },
  topLogprobs: { chat: 'logprobs', responses: 'top_logprobs', messages: 'top_logprobs' },
  stop: { chat: 'stop', responses: 'stop', messages: 'stop_sequences' },
}
const fields = Object.keys(fieldNames) as (keyof FieldNames)[]

/** Of the worker's code: what the caller is told, and that every worker would refuse the same. */
const causes = [
  ...fields.map((field) => ({ code: 'bad_request', field, told: 'invalid_value' }) as const),
  { code: 'bad_request', field: 'tokens', told: 'unsupported_value' },
  { code: 'bad_request', told: 'unsupported_value' },
  { code: 'unsupported_schema', field: 'outputFormat', told: 'unsupported_value' },
] as const

describe.each(wireFormats)('$name', (format) => {
  const path = format.paths[0]
  const bodies = [bodyOf(format), bodyOf(format, { stream: true })]
  const paramOf = (field: string | undefined) =>
    field === undefined || !(field in fieldNames)
      ? null
      : fieldNames[field as keyof FieldNames][format.name]

  test.each(causes)(
    '$code of $field before the acceptance: 400, and nothing is written',
    async ({ told, ...refusal }) => {
      const message = 'inner words'
      for (const body of bodies) {
        for (const worker of fixture.workers) {
          worker.script = { ...plainScript, prepareRefusal: { status: 400, message, ...refusal } }
        }
        const response = await postTo(fixture, path, body)
        for (const worker of fixture.workers) worker.script = plainScript
        expect(response.headers.get('retry-after')).toBeNull()
        const param = paramOf('field' in refusal ? refusal.field : undefined)
        const expected = { status: 400, code: told, param, family: format.family }
        await expectRefused(fixture, response, expected)
      }
    },
  )

  test.each(causes)(
    '$code of $field by the run: 400, tried once, free',
    async ({ told, ...refusal }) => {
      for (const body of bodies) {
        const asked = () => fixture.workers.reduce((sum, worker) => sum + worker.generateCalls, 0)
        const before = asked()
        for (const worker of fixture.workers) {
          worker.script = { ...plainScript, fault: { kind: 'refuse', status: 400, ...refusal } }
        }
        const response = await postTo(fixture, path, body)
        expect(response.status).toBe(400)
        expect(response.headers.get('retry-after')).toBeNull()
        const param = paramOf('field' in refusal ? refusal.field : undefined)
        const expected = { status: 400, code: told, param, family: format.family }
        expectErrorBody(await response.text(), expected)
        expect(asked() - before).toBe(1)
        expect(fixture.ledger.only()).toMatchObject({ failed: 'refused' })
        expect(fixture.ledger.debits()).toEqual([])
        expect(fixture.ledger.openHolds()).toBe(0n)
        fixture.ledger.entries.clear()
      }
    },
  )
})

test('the options of an answer are looked at when its prompt is prepared', async () => {
  const body = { logit_bias: { '5': -1 }, logprobs: true, top_logprobs: 3, stop: ['END'], seed: 7 }
  const chat = wireFormats.find(({ name }) => name === 'chat')
  if (chat === undefined) throw new Error('there is a chat format')
  expect((await postTo(fixture, chat.paths[0], bodyOf(chat, body))).status).toBe(200)
  const prepared = fixture.workers.flatMap((worker) => worker.prepared)
  expect(prepared).toContainEqual(
    expect.objectContaining({
      logitBias: [[5, -1]],
      topLogprobs: 3,
      stop: ['END'],
      sampling: expect.objectContaining({ seed: 7 }),
    }),
  )
})
