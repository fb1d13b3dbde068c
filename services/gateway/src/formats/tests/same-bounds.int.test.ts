/** A conversation is as long as it may be in each format alike: what one takes, all take. */
import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { wireFormats } from '@svc/testing/wire-formats'
import type { WireFormat } from '@svc/testing/wire-formats/wire-format'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { conversation } from '../../../testing/bad-fields.ts'
import { bodyOf, postTo } from '../../../testing/format-requests.ts'

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway({ worker: { contextSize: 1_000_000 }, script: { tokens: 1 } })
})
afterAll(() => fixture[Symbol.asyncDispose]())

/** Turns by turns, the last by the user. */
const turns = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    role: (count - index) % 2 === 1 ? 'user' : 'assistant',
    content: 'a',
  }))
const said = (content: unknown) => [{ role: 'user', content }]
const parts = (count: number) => said(Array(count).fill({ type: 'text', text: 'a' }))

async function expectStatus(status: number, format: WireFormat, given: readonly object[]) {
  const [fields = {}] = conversation(given)[format.name] ?? []
  const response = await postTo(fixture, format.paths[0], bodyOf(format, fields))
  const text = await response.text()
  expect(response.status, text.slice(0, 500)).toBe(status)
}

describe.each(wireFormats)('$name', (format) => {
  test.each([
    ['4,096 turns', turns(4_096)],
    ['a text of 1 MB', said('a'.repeat(1_000_000))],
    ['3,000 parts', parts(3_000)],
  ])('takes %s', async (_name, given) => {
    await expectStatus(200, format, given)
  })

  test.each([
    ['4,097 turns', turns(4_097)],
    ['4,097 parts', parts(4_097)],
  ])('refuses %s', async (_name, given) => {
    await expectStatus(400, format, given)
  })
})

test('texts that end an answer may be as long in chat completions as in Messages', async () => {
  for (const [name, fields] of Object.entries({
    chat: { stop: 'z'.repeat(256) },
    messages: { stop_sequences: ['z'.repeat(256)] },
  })) {
    const format = wireFormats.find((each) => each.name === name)
    if (format === undefined) throw new Error(`no format ${name}`)
    const response = await postTo(fixture, format.paths[0], bodyOf(format, fields))
    expect(response.status, await response.text()).toBe(200)
  }
})
