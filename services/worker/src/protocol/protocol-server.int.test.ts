import { PLAIN, user, WorkerClient } from '@svc/testing/protocol-client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ProtocolServer, startProtocolServer } from './protocol-server.ts'
import type { WorkerApi } from './worker-api.ts'

/** A worker that prepares until it is told to stop, and can do nothing else. */
const worker = { prepare: (_asked, stop) => preparing(stop) } as Partial<WorkerApi> as WorkerApi

let server: ProtocolServer
let logged: string[]
let stops: AbortSignal[]

beforeEach(async () => {
  logged = []
  stops = []
  const log = (_level: string, message: string) => logged.push(message)
  server = await startProtocolServer({ worker, listen: { port: 0 }, secret: null, log })
})
afterEach(() => server.close())

function preparing(stop: AbortSignal | undefined): Promise<never> {
  if (stop === undefined) throw new Error('nobody can stop it')
  stops.push(stop)
  return new Promise((_resolve, reject) => {
    stop.addEventListener('abort', () => reject(stop.reason))
  })
}

test('a prompt whose caller leaves is given up, and that is no failure', async () => {
  const { port } = server.address as { port: number }
  const leave = new AbortController()
  const body = JSON.stringify({ ...PLAIN, messages: [user('hi')] })
  const { signal } = leave
  const asked = fetch(`http://127.0.0.1:${port}/prepare`, { method: 'POST', body, signal })
  await expect.poll(() => stops.length).toBe(1)
  expect(stops[0]?.aborted).toBe(false)
  leave.abort()
  await expect(asked).rejects.toThrow()
  await expect.poll(() => stops[0]?.aborted).toBe(true)
  const next = await new WorkerClient({ port }).call('GET', '/nothing')
  expect(next.status).toBe(404)
  expect(logged).toEqual([])
})
