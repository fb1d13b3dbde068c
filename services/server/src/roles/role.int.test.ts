/** What a role refuses, before anything is opened or written. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { readSettings } from '../settings/settings.ts'
import { type StartOptions, startServer } from './all.ts'

const onServer = { EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' }

async function refusalOf(role: StartOptions['role'] & string, given: Record<string, string>) {
  const dataDir = join(temporaryFolder(), 'data')
  const settings = readSettings({ SVC_DATA_DIR: dataDir, SVC_PORT: '0', ...given })
  const starting = startServer(settings, { logger: pino({ level: 'silent' }), role })
  const error = await starting.catch((refusal: unknown) => refusal)
  expect(existsSync(dataDir)).toBe(false)
  expect(error).toMatchObject({ name: 'SettingsError' })
  return (error as Error).message
}

test.each(['gateway', 'projector', 'relay', 'sweeper'] as const)(
  'a %s refuses a ledger in a file, and says what to do',
  async (role) => {
    const message = await refusalOf(role, {})
    expect(message).toBe(
      `svc start ${role} runs beside other processes, and a ledger in a file has one process: ` +
        'set EVENTSTORE_URL, or run svc start',
    )
  },
)

test('a relay without Kafka has nothing to do', async () => {
  expect(await refusalOf('relay', onServer)).toContain('set KAFKA_BROKERS')
})

test('only a gateway can do without views', async () => {
  const elsewhere = { SVC_VIEWS_URL: 'http://10.0.0.1:9001', SVC_VIEWS_SECRET: 'x'.repeat(16) }
  for (const role of ['all', 'projector', 'sweeper'] as const) {
    const message = await refusalOf(role, { ...onServer, ...elsewhere })
    expect(message).toContain('SVC_VIEWS_URL is for svc start gateway')
  }
})

test.each([
  [{ SVC_VIEWS_URL: 'http://10.0.0.1:9001' }, /SVC_VIEWS_SECRET/],
  [{ SVC_VIEWS_URL: '10.0.0.1:9001' }, /must be http:\/\/host:port/],
  [{ SVC_VIEWS_URL: 'http://h:1/path' }, /must be http:\/\/host:port/],
  [{ SVC_VIEWS_SECRET: 'short' }, /characters or more/],
])('%j is refused', (given, message) => {
  expect(() => readSettings(given)).toThrow(message)
})
