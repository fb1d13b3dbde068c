import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type GenerateRequest, workerPaths } from '@svc/contracts/worker/protocol'
import { makeTemporaryFolder } from '@svc/testing/temporary-folder'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WorkerClient } from './worker-client.ts'

const folder = makeTemporaryFolder()
const socketPath = join(folder.path, 'worker.sock')
let reply = { status: 200, text: '' }
const worker = createServer((request, response) => {
  if (request.url === workerPaths.generate) return refuseWithoutEnd(response)
  response.writeHead(reply.status).end(Buffer.from(reply.text, 'latin1'))
})
const client = new WorkerClient({ kind: 'unix', path: socketPath })

function refuseWithoutEnd(response: ServerResponse): void {
  response.writeHead(500)
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(4_096)));
  }
  response.on('drain', more)
  more()
}

beforeAll(async () => {
  await new Promise<void>((resolve) => worker.listen(socketPath, resolve))
})
afterAll(async () => {
  await client.close()
  worker.close()
  folder[Symbol.dispose]()
})

test.each([
  ['an answer', 200, '{"requestId":"WORD","found":true}', { requestId: 'word', found: true }],
  ['a refusal', 400, '{"error":{"code":"bad_request","message":"WORD"}}', { code: 'bad_request' }],
])('%s that is no UTF-8 is a failure of the worker', async (_name, status, text, expected) => {
  const outcome = () => client.cancel('req_1').catch((failure: unknown) => failure)
  reply = { status, text: text.replace('WORD', 'word') }
  expect(await outcome()).toMatchObject(expected)
  reply = { status, text: text.replace('WORD', 'w\xff') }
  expect(await outcome()).toMatchObject({ name: 'WorkerFailure', code: 'failed' })
})

test('a refusal that does not end is a failure of the worker at once, and is read no more', async () => {
  const ended = Promise.withResolvers<Error | undefined>()
  const run = client.generate({ requestId: 'req_1' } as GenerateRequest, ended.resolve)
  const failure = { name: 'WorkerFailure', code: 'failed', message: 'the worker answered 500' }
  await expect(run.next()).rejects.toMatchObject(failure)
  expect(await ended.promise).toMatchObject(failure)
})
