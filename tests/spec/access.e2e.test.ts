/**
 * The interface specification, rule by rule, where it is about who may ask for what and what it
 * costs: sections 1, 2.1, 2.5, 4, 5, 7, 8 and 9. Sections 2.2 to 2.4, 4.2 and 4.3 are in
 * `answers.e2e.test.ts`, and "the same in all three" (1.2) is in `three-formats.e2e.test.ts`.
 *
 * Not here: the clients of the messages format (1.3), which are no dependency of the workspace, are
 * run in `examples/`; 1.5 and 8.2 speak of the chat in the dashboard.
 */

import { parseDollars } from '@svc/contracts/money'
import { costOf } from '@svc/contracts/price'
import { modelList } from '@svc/contracts/wire/models'
import { wireFormats } from '@svc/testing/wire-formats'
import {
  hardQuestion,
  longQuestion,
  question,
  weatherQuestion,
} from '@svc/testing/wire-formats/conversation'
import type { ReadAnswer, WireFormat } from '@svc/testing/wire-formats/wire-format'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Customer, type SpecServer, startSpecServer } from './spec-server.ts'

let server: SpecServer
let customer: Customer

beforeAll(async () => {
  server = await startSpecServer()
  customer = await server.customer()
})
afterAll(() => server.stop())

/** Every route of section 4, with the body that it takes. */
const routes: readonly { readonly path: string; readonly body: object | null }[] = [
  ...wireFormats.flatMap((format) =>
    format.paths.map((path) => ({ path, body: format.body({ ...question, maxTokens: 1 }) })),
  ),
  { path: '/v1/models', body: null },
  { path: '/pro/v1/models', body: null },
]
const call = (by: Customer, path: string, body: object | null, headers?: Record<string, string>) =>
  body === null ? by.get(path, headers) : by.post(path, body, headers)

async function ask(by: Customer, format: WireFormat, body: object) {
  const response = await by.post(format.paths[0], body)
  const json = await response.json()
  expect(response.status, JSON.stringify(json)).toBe(200)
  return { response, json, answer: format.readAnswer(json) }
}

describe('1 what the service does', () => {
  test('1.1, 1.2 an answer over HTTP with a JSON body, in each of three formats', async () => {
    for (const format of wireFormats) {
      const { response, answer } = await ask(customer, format, format.body(question))
      expect(response.headers.get('content-type')).toMatch(/^application\/json/)
      expect(answer.text).toContain('Oslo')
    }
  })

  test('1.3 a client of the chat format changes its base address and the model name only', async () => {
    const client = new OpenAI({ apiKey: customer.secret, baseURL: `${server.baseUrl}/v1` })
    const messages = [{ role: 'user' as const, content: 'What is the capital city of Norway?' }]
    const answer = await client.chat.completions.create({ model: 'svc-beta', messages })
    expect(answer.choices[0]?.message.content).toMatch(/./)
    const response = await client.responses.create({
      model: 'svc-beta',
      input: 'Count from 4 to 11',
    })
    expect(response.output_text).toMatch(/./)
  })

  test.each(wireFormats)(
    '1.4 $name: consumes credit at three rates, to the last digit',
    async (format) => {
      const before = await customer.balance()
      const { response } = await ask(customer, format, format.body(longQuestion))
      const { usage, price, amount, lines } = await customer.receiptOf(response)
      const rates = {
        version: price.version,
        input: parseDollars(price.input) / 1_000_000n,
        cachedInput: parseDollars(price.cached_input) / 1_000_000n,
        output: parseDollars(price.output) / 1_000_000n,
      }
      const counts = {
        inputTokens: usage.input_tokens,
        cachedInputTokens: usage.cached_input_tokens,
        outputTokens: usage.output_tokens,
      }
      expect(new Set(Object.values(rates)).size).toBe(4)
      expect(lines.map((line) => line.class)).toEqual(['input', 'cached_input', 'output'])
      expect(parseDollars(amount)).toBe(costOf(rates, counts))
      expect(before - (await customer.balance())).toBe(parseDollars(amount))
    },
  )

  test('1.6 input from the prefix cache is reported where the format does, and costs less', async () => {
    for (const format of wireFormats) {
      const someone = await server.customer()
      const first = await ask(someone, format, format.body(longQuestion))
      const again = await ask(someone, format, format.body(longQuestion))
      const [full, less] = [
        await someone.receiptOf(first.response),
        await someone.receiptOf(again.response),
      ]
      const cached = less.usage.cached_input_tokens
      expect(cached).toBeGreaterThan(0)
      expect(again.answer.cached).toBe(format.name === 'messages' ? null : cached)
      expect(again.answer.input).toBe(first.answer.input)
      expect(less.lines[1]?.price).toBe(less.price.cached_input)
      expect(parseDollars(less.amount)).toBeLessThan(parseDollars(full.amount))
    }
  })

  test.each(wireFormats)('1.7 $name: thinks harder when asked to', async (format) => {
    const { answer } = await ask(customer, format, format.body(hardQuestion))
    const { effort, ...plainly } = hardQuestion
    const without = await ask(customer, format, format.body(plainly))
    expect(answer.reasoning).not.toBe('')
    expect(without.answer.reasoning).toBe('')
    expect(answer.output).toBeGreaterThan(without.answer.output)
  })

  test.each(wireFormats)(
    '1.8 $name: the usage of an answer is its receipt and its debit',
    async (format) => {
      for (const conversation of [question, longQuestion, hardQuestion, weatherQuestion]) {
        const before = await customer.balance()
        const { response, answer } = await ask(customer, format, format.body(conversation))
        const { usage, amount, status, format: billedAs } = await customer.receiptOf(response)
        expect([status, billedAs]).toEqual(['finished', format.name])
        expect(answer.model).toBe('svc-beta')
        expect(answer.input).toBe(usage.input_tokens + usage.cached_input_tokens)
        expect(answer.output).toBe(usage.output_tokens)
        if (answer.cached !== null) expect(answer.cached).toBe(usage.cached_input_tokens)
        expect(before - (await customer.balance())).toBe(parseDollars(amount))
      }
    },
  )

  test('1.9 keys are not managed through this interface, and an API key manages nothing', async () => {
    for (const path of ['/v1/keys', '/v1/api_keys', '/pro/v1/keys']) {
      expect((await customer.get(path)).status, path).toBe(404)
      expect((await customer.post(path, { name: 'x' })).status, path).toBe(404)
    }
    const path = `/admin/v1/accounts/${customer.accountId}/keys`
    expect((await customer.get(path)).status).toBe(401)
  })
})

describe('2.1 the model list', () => {
  const list = async () => modelList.parse(await (await customer.get('/v1/models')).json())

  test.each([
    ['id', 'svc-beta'],
    ['object', 'model'],
    ['created', expect.any(Number)],
    ['owned_by', expect.stringMatching(/./)],
  ])('2.1 %s', async (field, value) => {
    const { data } = await list()
    expect(data).toEqual([expect.objectContaining({ [field]: value })])
  })

  test('2.1 created is in seconds', async () => {
    const [model] = (await list()).data
    const secondsAgo = Date.now() / 1_000 - (model?.created ?? 0)
    expect(Number.isInteger(model?.created)).toBe(true)
    expect(Math.abs(secondsAgo)).toBeLessThan(10 * 365 * 86_400)
  })

  test('2.1, 4.4.3 the wrapper is a list with one element per callable model', async () => {
    expect(await list()).toMatchObject({ object: 'list', data: [{ id: 'svc-beta' }] })
  })
})

describe('2.5 an API key', () => {
  test('2.5, 5.3 begins with sk-svc-, is shown once, and has the name that it was given', async () => {
    expect(customer.secret).toMatch(/^sk-svc-/)
    const { secret } = await server.operations.createKey({
      account_id: customer.accountId,
      name: 'second',
      expires_at: null,
    })
    const keys = await server.operations.listKeys({ account_id: customer.accountId })
    expect(keys.map(({ name }) => name)).toEqual(['laptop', 'second'])
    const shown = JSON.stringify([
      keys,
      await server.operations.showAccount({ account_id: customer.accountId }),
    ])
    expect(shown).not.toContain(secret)
    expect(shown).not.toContain(customer.secret)
  })
})

describe.each(routes)('4, 5 $path', ({ path, body }) => {
  test('4.1, 5.1 takes the key as a bearer', async () => {
    const headers = { authorization: `Bearer ${customer.secret}` }
    expect((await call(customer, path, body, headers)).status).toBe(200)
  })

  test('4.1, 5.1 takes the key as x-api-key', async () => {
    expect((await call(customer, path, body, { 'x-api-key': customer.secret })).status).toBe(200)
  })

  test.each(['', 'Bearer', 'Basic dXNlcjpwYXNzd29yZA=='])(
    '5.1 takes the key as x-api-key beside the Authorization %j, which is of no key',
    async (authorization) => {
      const headers = { authorization, 'x-api-key': customer.secret }
      expect((await call(customer, path, body, headers)).status).toBe(200)
    },
  )

  test('5.1 takes the key behind several spaces', async () => {
    const headers = { authorization: `Bearer   ${customer.secret}` }
    expect((await call(customer, path, body, headers)).status).toBe(200)
  })

  test('5.1 refuses a bearer that is no key, also beside one as x-api-key', async () => {
    const headers = { authorization: 'Bearer sk-svc-x', 'x-api-key': customer.secret }
    expect((await call(customer, path, body, headers)).status).toBe(401)
  })

  test('5.1, 5.2 takes no request without a key', async () => {
    expect((await call(customer, path, body, {})).status).toBe(401)
  })
})

test.each(routes.filter(({ body }) => body !== null))(
  '4.1 $path: Content-Type is application/json',
  async ({ path, body }) => {
    const headers = { 'x-api-key': customer.secret, 'content-type': 'text/plain' }
    expect((await call(customer, path, body, headers)).status).toBe(415)
  },
)

describe.each(wireFormats)('4.4, 7, 8, 9 $name', (format) => {
  const body = (model: unknown) => format.body({ ...question, maxTokens: 5 }, { model })
  const codeOf = (error: { code?: string; details?: { error_code: string } }) =>
    error.code ?? error.details?.error_code

  test.each(['gpt-4', 'svc', 'SVC-BETA', 'svc-beta ', '', 4, null, ['svc-beta'], { id: 'svc-4' }])(
    '4.4.1, 7 the model %j is 400 model_not_found, and costs nothing',
    async (model) => {
      for (const path of format.paths) {
        const before = await customer.balance()
        const response = await customer.post(path, body(model))
        expect(response.status).toBe(400)
        const { error } = (await response.json()) as { error: object }
        expect(codeOf(error)).toBe('model_not_found')
        expect(await customer.balance()).toBe(before)
      }
    },
  )

  test.each(['svc-beta', 'svc-pro', 'svc-4'])(
    '4.2, 4.4.2, 9.2 %s is answered as svc-beta',
    async (model) => {
      const answers: ReadAnswer[] = []
      for (const path of format.paths) {
        const response = await customer.post(path, body(model))
        expect(response.status, path).toBe(200)
        answers.push(format.readAnswer(await response.json()))
      }
      for (const answer of answers) expect(answer).toEqual({ ...answers[0], model: 'svc-beta' })
    },
  )

  test('7, 8.1 a balance of zero is 402, and leaves no trace', async () => {
    const poor = await server.customer(null)
    for (const path of format.paths) {
      for (const stream of [false, true]) {
        const given = format.body(question, { stream })
        const response = await poor.post(path, given)
        expect(response.status, path).toBe(402)
        expect(response.headers.get('content-type')).toMatch(/^application\/json/)
        expect(response.headers.get('x-should-retry')).toBe('false')
        const { error } = (await response.json()) as { error: { type: string; message: string } }
        expect(error.type).toBe(format.family === 'openai' ? 'insufficient_quota' : 'billing_error')
        // What is needed, and what there is.
        expect(error.message.match(/\$\d+\.\d+/g)).toHaveLength(2)
      }
    }
    expect(await poor.balance()).toBe(0n)
    expect(await server.operations.showAccount({ account_id: poor.accountId })).toMatchObject({
      open_requests: 0,
    })
  })

  test('8.1 a balance that was used up is refused, above zero it is served', async () => {
    const nearly = await server.customer('0.00001')
    const statuses: number[] = []
    for (let round = 0; round < 4 && statuses.at(-1) !== 402; round += 1) {
      statuses.push((await nearly.post(format.paths[0], body('svc-beta'))).status)
    }
    expect(statuses[0]).toBe(200)
    expect(statuses.at(-1)).toBe(402)
    expect(await nearly.balance()).toBeGreaterThanOrEqual(0n)
  })
})

test('9.1 the version is in the path', async () => {
  const { status } = await customer.post(
    '/v2/chat/completions',
    wireFormats[0]?.body(question) ?? {},
  )
  expect(status).toBe(404)
})
