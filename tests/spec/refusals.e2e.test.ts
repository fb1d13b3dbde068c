/**
 * What the model cannot do because of what the caller sent is refused before anything is accepted:
 * a 400 that names the field, no event, nothing to retry.
 */
import { messagesModelList } from '@svc/contracts/wire/messages'
import { wireFormats } from '@svc/testing/wire-formats'
import { question, user } from '@svc/testing/wire-formats/conversation'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Customer, type SpecServer, startSpecServer } from './spec-server.ts'

const EVENTS_MAX = 1_000
/** More than the characters for each token of the context up to which a prompt is counted whole. */
const GIANT = 'To be or not to be. '.repeat(50_000)
/** No text of a turn may be as long. */
const PART_CHARACTERS = 200_000
const giantTurns = Array.from({ length: GIANT.length / PART_CHARACTERS }, (_, index) =>
  user(GIANT.slice(index * PART_CHARACTERS, (index + 1) * PART_CHARACTERS)),
)

let server: SpecServer
let customer: Customer
let contextTokens: number

beforeAll(async () => {
  server = await startSpecServer()
  customer = await server.customer()
  const version = { 'anthropic-version': '2023-06-01', 'x-api-key': customer.secret }
  const models = await (await customer.get('/v1/models', version)).json()
  contextTokens = messagesModelList.parse(models).data[0]?.max_input_tokens ?? 0
})
afterAll(() => server.stop())

/** @returns the refusal's words */
async function refused(path: string, body: object, param: string | null): Promise<string> {
  const events = () => server.operations.listEvents({ limit: EVENTS_MAX })
  const before = await events()
  const response = await customer.post(path, body)
  const text = await response.text()
  expect(response.status, text).toBe(400)
  expect(response.headers.get('retry-after')).toBeNull()
  expect(await events()).toEqual(before)
  const { error } = JSON.parse(text)
  if (param !== null) expect(error.param).toBe(param)
  return error.message
}

describe.each(wireFormats)('$name', (format) => {
  const [path] = format.paths

  test.each([{}, format.streamFields])('a giant prompt, %j', async (fields) => {
    const message = await refused(
      path,
      format.body({ ...question, turns: giantTurns }, fields),
      null,
    )
    const numbers = [...message.matchAll(/\d+/g)].map(Number)
    expect(numbers, message).toContain(contextTokens)
    // Every word of the text is a token at least, and no token is less than a character.
    const tokens = numbers.find((each) => each !== contextTokens)
    expect(tokens).toBeGreaterThan(contextTokens)
    expect(tokens).toBeLessThan(GIANT.length)
  })
})

const counting = wireFormats.flatMap(({ name, countPath, body }) =>
  countPath === null ? [] : [{ name, countPath, body }],
)
test.each(counting)('$name: a giant prompt that is only counted', async ({ countPath, body }) => {
  const { max_tokens: _, ...counted } = body({ ...question, turns: giantTurns }) as {
    max_tokens?: number
  }
  expect(await refused(countPath, counted, null)).toContain(`${contextTokens}`)
})

test('a giant prompt is told in the words that agents of the Messages format read', async () => {
  const messages = [{ role: 'user', content: GIANT }]
  for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
    const message = await refused(path, { model: 'svc-beta', max_tokens: 1, messages }, null)
    expect(message).toMatch(
      new RegExp(`^prompt is too long: \\d+ tokens > ${contextTokens} maximum`),
    )
  }
})

test.each([{}, { stream: true }])('a bias for a token that there is not, %j', async (fields) => {
  const messages = [{ role: 'user', content: 'hi' }]
  const asked = { model: 'svc-beta', messages, max_tokens: 1, ...fields }
  const path = '/v1/chat/completions'
  await refused(path, { ...asked, logit_bias: { '9999999999': 1 } }, 'logit_bias')
  await refused(path, { ...asked, logit_bias: { '0': 1, '100000': -100 } }, 'logit_bias')
  const response = await customer.post(path, { ...asked, logit_bias: { '0': -100 } })
  expect(response.status, await response.text()).toBe(200)
})
