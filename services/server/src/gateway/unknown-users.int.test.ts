/** A server that has the users of its log, and another file than the one that says who they are. */
import { cpSync, readFileSync, rmSync } from 'node:fs'
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

test('forgets whom the log calls erased, where an older file was restored', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const logger = pino({ level: 'silent' })
  const start = () =>
    startServer(readSettings({ SVC_DATA_DIR: dataDir, SVC_PORT: '0' }), { logger })
  const [file, backup] = ['users.db', 'users.backup'].map((name) => join(dataDir, name))
  if (file === undefined || backup === undefined) throw new Error('two files are named')

  const first = await start()
  const owner = new TestBrowser(first.ready.baseUrl)
  await owner.join(first.ready.ownerLink ?? '', 'Olive')
  const invited = { account_id: first.ready.accountId }
  const { link } = await owner.json<{ link: string }>('POST', '/admin/users/invitations', invited)
  const { user } = await new TestBrowser(first.ready.baseUrl).join(link, 'Ada')
  await first.stop(1_000)
  cpSync(file, backup)
  const second = await start()
  const again = new TestBrowser(second.ready.baseUrl)
  await again.signIn('Olive')
  await again.json('POST', `/admin/users/${user?.user_id}/erase`)
  await second.stop(1_000)
  cpSync(backup, file)
  expect(readFileSync(file, 'latin1')).toContain('ada@example.com')
  const third = await start()
  await until(() => !readFileSync(file, 'latin1').includes('ada@example.com'))
  await third.stop(1_000)
  expect(readFileSync(file, 'latin1')).toContain('olive@example.com')
})
