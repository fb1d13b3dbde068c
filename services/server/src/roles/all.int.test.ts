/** A server in a program of its own, without the command line. */
import { join } from 'node:path'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { readSettings } from '../settings/settings.ts'
import { startServer } from './all.ts'

test('a program starts a server, asks it, and stops it; its own process is left alone', async () => {
  const handlers = process.listenerCount('uncaughtException')
  const settings = readSettings({
    SVC_DATA_DIR: join(temporaryFolder(), 'data'),
    SVC_PORT: '0',
  })
  const server = await startServer(settings, { logger: pino({ level: 'silent' }) })
  const { baseUrl, apiKey } = server.ready
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const answer = await fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      model: 'svc-beta',
      max_completion_tokens: 3,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  })
  expect(answer.status).toBe(200)
  const balance = await fetch(`${baseUrl}/v1/balance`, { headers })
  expect(await balance.json()).toMatchObject({ held: '0.00', settled: expect.stringMatching(/^4/) })
  expect(await server.stop(1_000)).toBe(true)
  await expect(fetch(`${baseUrl}/v1/balance`, { headers })).rejects.toThrow()
  expect(process.listenerCount('uncaughtException')).toBe(handlers)
})
