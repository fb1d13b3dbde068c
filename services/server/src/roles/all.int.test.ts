/** A server in a program of its own, without the command line. */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { until } from '@svc/testing/until'
import { pino } from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import { DataFolder } from '../data-folder/data-folder.ts'
import { readSettings } from '../settings/settings.ts'
import { startServer } from './all.ts'

/** Long enough that a busy server books the grant before it ends. */
const ENDS_IN_MS = 1_500

const DAY_MS = 86_400_000

interface GrantAnswer {
  readonly grant_id: string
}

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

afterEach(() => void vi.useRealTimers())

test('a start that finds the event log ahead of its clock says by how much, and serves', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const settings = readSettings({ SVC_DATA_DIR: dataDir, SVC_PORT: '0' })
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  const told = () => lines.filter((line) => line.includes('ahead of the clock'))
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS })
  await (await startServer(settings, { logger })).stop(1_000)
  expect(told()).toEqual([])
  vi.useRealTimers()
  const server = await startServer(settings, { logger })
  expect(told()).toEqual([expect.stringMatching(/"aheadSeconds":8\d{4}\D/)])
  expect((await fetch(`${server.ready.baseUrl}/readyz`)).status).toBe(200)
  expect(await server.stop(1_000)).toBe(true)
})

test('credit whose time is over is booked without anybody looking, at the next start too', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const settings = readSettings({ SVC_DATA_DIR: dataDir, SVC_PORT: '0' })
  const start = () => startServer(settings, { logger: pino({ level: 'silent' }) })
  let server = await start()
  const authorization = `Bearer ${new DataFolder(dataDir).readSecrets()?.operatorToken}`
  const headers = { authorization, 'content-type': 'application/json' }
  const grant = async (expiresAt: number): Promise<string> => {
    const url = `${server.ready.baseUrl}/admin/v1/accounts/${server.ready.accountId}/grants`
    const terms = { amount: '5.00', category: 'paid', priority: 1, reference: null, reason: 'a' }
    const body = JSON.stringify({ ...terms, expires_at: new Date(expiresAt).toISOString() })
    const answer = await fetch(url, { method: 'POST', headers, body })
    return ((await answer.json()) as GrantAnswer).grant_id
  }
  /** As the view has it: to ask the ledger would book it. Of `open` ones something is left. */
  const has = async (which: 'open' | 'all', grantId: string): Promise<boolean> => {
    const url = `${server.ready.baseUrl}/admin/v1/grants?which=${which}&limit=100`
    const { grants } = (await (await fetch(url, { headers })).json()) as { grants: GrantAnswer[] }
    return grants.some(({ grant_id }) => grant_id === grantId)
  }
  const endsAt = Date.now() + ENDS_IN_MS
  const endsWhileOff = await grant(endsAt)
  await until(() => has('all', endsWhileOff))
  await server.stop(1_000)
  await delay(Math.max(0, endsAt - Date.now() + 100))
  server = await start()
  await until(() => has('all', endsWhileOff))
  await until(async () => !(await has('open', endsWhileOff)))
  const endsSoon = await grant(Date.now() + ENDS_IN_MS)
  await until(() => has('all', endsSoon))
  await until(async () => !(await has('open', endsSoon)))
  expect(await server.stop(1_000)).toBe(true)
})
