/** A server that has the users of its log, and another file than the one that says who they are. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { TestBrowser } from '@svc/testing/dashboard-server'
import { makeTemporaryFolder, temporaryFolder } from '@svc/testing/temporary-folder'
import { until } from '@svc/testing/until'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer } from '../roles/all.ts'
import { readSettings } from '../settings/settings.ts'

const place = makeTemporaryFolder()
/** Of a server that Olive and Ada joined, and that erased Ada. */
const history = join(place.path, 'data')
/** What it kept of them before the erasure. */
const backup = join(place.path, 'backup')
const USER_FILES = ['users.db', 'users.db-wal']

beforeAll(async () => {
  const { server } = await start(history)
  const { ownerLink, accountId, baseUrl } = server.ready
  const owner = new TestBrowser(baseUrl)
  await owner.join(ownerLink ?? '', 'Olive')
  const invited = { account_id: accountId }
  const { link } = await owner.json<{ link: string }>('POST', '/admin/users/invitations', invited)
  const { user } = await new TestBrowser(baseUrl).join(link, 'Ada')
  mkdirSync(backup)
  copyUsers(history, backup)
  await owner.json('POST', `/admin/users/${user?.user_id}/erase`)
  await server.stop(1_000)
})
afterAll(() => place.remove())

/** @returns the server, and what it tells of users that it does not know */
async function start(dataDir: string) {
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const server = await startServer(readSettings({ SVC_DATA_DIR: dataDir, SVC_PORT: '0' }), {
    logger,
  })
  return { server, told: () => lines.filter((line) => line.includes('are not in users.db')) }
}

function copyUsers(from: string, to: string): void {
  for (const file of USER_FILES) cpSync(join(from, file), join(to, file))
}

/** @returns a copy of the folder, in which nothing says who the users are */
function withoutUsers(): string {
  const dataDir = join(temporaryFolder(), 'data')
  cpSync(history, dataDir, { recursive: true })
  for (const file of USER_FILES) rmSync(join(dataDir, file), { force: true })
  return dataDir
}

test('says at its start how many cannot sign in', async () => {
  const { server, told } = await start(withoutUsers())
  await until(() => told().length > 0)
  await server.stop(1_000)
  expect(JSON.parse(told()[0] ?? '')).toMatchObject({ users: 1 })
})

test('forgets whom the log calls erased, where an older file was restored', async () => {
  const dataDir = withoutUsers()
  copyUsers(backup, dataDir)
  const files = USER_FILES.map((file) => join(dataDir, file))
  const kept = () =>
    files
      .filter(existsSync)
      .map((file) => readFileSync(file, 'latin1'))
      .join('')
  expect(kept()).toContain('ada@example.com')
  const { server, told } = await start(dataDir)
  await until(() => !kept().includes('ada@example.com'))
  await server.stop(1_000)
  expect(kept()).toContain('olive@example.com')
  // All who are left can sign in.
  expect(told()).toEqual([])
})
