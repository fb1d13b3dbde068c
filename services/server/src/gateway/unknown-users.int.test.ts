/** A server that has the users of its log, but not the file that says who they are. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { TestBrowser } from '@svc/testing/dashboard-server'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { until } from '@svc/testing/until'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startServer } from '../roles/all.ts'
import { readSettings } from '../settings/settings.ts'

test('says at its start how many cannot sign in, and nothing where all can', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const start = () =>
    startServer(readSettings({ SVC_DATA_DIR: dataDir, SVC_PORT: '0' }), { logger })
  const told = () => lines.filter((line) => line.includes('are not in users.db'))

  const first = await start()
  const browser = new TestBrowser(first.ready.baseUrl)
  await browser.join(first.ready.ownerLink ?? '', 'Olive')
  await first.stop(1_000)
  await (await start()).stop(1_000)
  expect(told()).toEqual([])
  for (const file of ['users.db', 'users.db-wal']) rmSync(join(dataDir, file), { force: true })
  const without = await start()
  await until(() => told().length > 0)
  await without.stop(1_000)
  expect(JSON.parse(told()[0] ?? '')).toMatchObject({ users: 1 })
})
