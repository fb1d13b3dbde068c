import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { CountingProxy } from './counting-proxy.ts'

/** A server that answers its own path and method, and a proxy in front of it. */
async function startProxy(
  answer = (response: ServerResponse, said: string) => void response.end(said),
): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    response.statusCode = request.url === '/refused' ? 402 : 200
    response.setHeader('x-request-id', `req_of_${request.url?.slice(1)}`)
    answer(response, `${request.method} ${request.url} ${request.headers.authorization} ${body}`)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const proxy = new CountingProxy(`http://127.0.0.1:${port}`)
  onTestFinished(async () => {
    await proxy.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return proxy.listen()
}

const attempts = async (url: string) => (await fetch(`${url}/attempts`)).json()

test('passes everything on, and tells each attempt once', async () => {
  const url = await startProxy()
  const headers = { authorization: 'Bearer k' }
  const first = await fetch(`${url}/asked`, { method: 'POST', headers, body: 'hello' })
  expect(await first.text()).toBe('POST /asked Bearer k hello')
  const refused = await fetch(`${url}/refused`, { method: 'POST', headers, body: '{}' })
  expect(refused.status).toBe(402)
  await fetch(`${url}/looked-up`, { headers })
  expect(await attempts(url)).toEqual([
    { path: '/asked', status: 200, requestId: 'req_of_asked' },
    { path: '/refused', status: 402, requestId: 'req_of_refused' },
  ])
  expect(await attempts(url)).toEqual([])
})

test('a stream comes as it is made, and ends at the server when the client leaves', async () => {
  const left = Promise.withResolvers<void>()
  const url = await startProxy((response) => {
    response.once('close', left.resolve)
    response.write('first')
  })
  const abort = new AbortController()
  const stream = await fetch(`${url}/stream`, { method: 'POST', signal: abort.signal })
  const { value } = (await stream.body?.getReader().read()) ?? {}
  expect(new TextDecoder().decode(value)).toBe('first')
  abort.abort()
  await left.promise
})
