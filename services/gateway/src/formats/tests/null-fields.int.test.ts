/**
 * Clients whose types have one shape for all parts of a message write null where a field belongs
 * to another type of part, and some send an answer's own nulls back. Both mean that nothing is
 * there.
 */

import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { chatFormat } from '@svc/testing/wire-formats/chat-format'
import { messagesFormat } from '@svc/testing/wire-formats/messages-format'
import { responsesFormat } from '@svc/testing/wire-formats/responses-format'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bodyOf, postTo } from '../../../testing/format-requests.ts'

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway()
})
afterAll(() => fixture[Symbol.asyncDispose]())

const ofOtherTypes = {
  id: null,
  name: null,
  input: null,
  tool_use_id: null,
  tool_name: null,
  content: null,
  is_error: null,
  thinking: null,
  source: null,
}
const textBlock = (text: string) => ({ type: 'text', text, ...ofOtherTypes })
const inputText = (text: string) => ({ type: 'input_text', text, refusal: null, image_url: null })

const histories = [
  {
    name: 'chat',
    format: chatFormat,
    fields: {
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'hi', refusal: null, image_url: null }] },
        // OpenAI Agents for JavaScript 0.20 sends answers of the model back like this.
        { role: 'assistant', content: [{ type: 'text', text: 'hello', refusal: null }] },
        { role: 'user', content: 'and you?' },
      ],
    },
  },
  {
    name: 'responses',
    format: responsesFormat,
    fields: {
      input: [
        { role: 'user', content: [inputText('hi')] },
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'hello', refusal: null }],
        },
        { role: 'user', content: 'and you?' },
      ],
    },
  },
  {
    name: 'messages',
    format: messagesFormat,
    fields: {
      messages: [
        { role: 'user', content: [textBlock('hi')] },
        { role: 'assistant', content: [textBlock('hello')] },
        { role: 'user', content: 'and you?' },
      ],
    },
  },
]

describe('null in a field of another type of part says nothing', () => {
  test.each(histories)('$name', async ({ format, fields }) => {
    const response = await postTo(fixture, format.paths[0], bodyOf(format, fields))
    expect(response.status, await response.text()).toBe(200)
    expect(fixture.worker.prepared.at(-1)?.messages).toMatchObject([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'hello' },
      { role: 'user', content: 'and you?' },
    ])
  })
})

const withoutText = [
  {
    name: 'chat text',
    format: chatFormat,
    fields: { messages: [{ role: 'user', content: [{ type: 'text', text: null }] }] },
    param: 'messages[0].content[0].text',
  },
  {
    name: 'chat refusal',
    format: chatFormat,
    fields: { messages: [{ role: 'assistant', content: [{ type: 'refusal', refusal: null }] }] },
    param: 'messages[0].content[0].refusal',
  },
  {
    name: 'responses',
    format: responsesFormat,
    fields: { input: [{ role: 'user', content: [{ type: 'input_text', text: null }] }] },
    param: 'input[0].content[0].text',
  },
  {
    name: 'messages',
    format: messagesFormat,
    fields: { messages: [{ role: 'user', content: [{ type: 'text', text: null }] }] },
    param: 'messages[0].content[0].text',
  },
]

test.each(withoutText)('null for the text itself is refused by name: $name', async (each) => {
  const { format, fields, param } = each
  const response = await postTo(fixture, format.paths[0], bodyOf(format, fields))
  const text = await response.text()
  expect(response.status, text).toBe(400)
  expect(text).toContain(param)
})
