import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { AnswerChecker } from './answer-checker.ts'

const list = (fields: object) => ({
  object: 'list',
  data: [
    {
      id: 'svc-beta',
      object: 'model',
      created: 1,
      owned_by: 'svc',
      price: null,
      next_price: null,
      ...fields,
    },
  ],
})
const error = { message: 'No.', type: 'authentication_error', param: null, code: 'invalid_api_key' }

async function answersTo(path: string, status: number, type: string, body: string) {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': type }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const checker = new AnswerChecker(port)
  onTestFinished(() => {
    checker.close()
    server.close()
  })
  await (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  await expect.poll(() => checker.checked).toBe(1)
  return checker.violations
}

test.each([
  ['as documented', '/v1/models', 200, list({})],
  ['an error as documented', '/v1/models', 401, { error }],
])('%s: nothing is said', async (_name, path, status, body) => {
  expect(await answersTo(path, status, 'application/json', JSON.stringify(body))).toEqual([])
})

test.each([
  ['a field that is not documented', '/v1/models', 200, list({ secret: 1 })],
  ['a field that is missing', '/v1/balance', 200, { object: 'balance' }],
  ['an error that lacks a key', '/v1/models', 401, { error: { message: 'No.' } }],
  [
    'an error that the route does not name',
    '/v1/models',
    401,
    { error: { ...error, code: 'not_found' } },
  ],
])('%s is found', async (_name, path, status, body) => {
  expect(await answersTo(path, status, 'application/json', JSON.stringify(body))).toHaveLength(1)
})
