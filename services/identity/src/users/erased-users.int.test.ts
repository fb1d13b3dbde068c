/** What a gateway still has of users whom another one has erased. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { openSqliteSessionStore } from '@svc/infra/people/sqlite-session-store'
import { openSqliteUserRecords } from '@svc/infra/people/sqlite-user-records'
import { SystemIds } from '@svc/infra/system/system-ids'
import { ManualTime } from '@svc/testing/manual-time'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { Sessions } from '../sessions/sessions.ts'
import { ErasedUsers } from './erased-users.ts'
import { Users } from './users.ts'

const HOUR_MS = 3_600_000
const HERE = { address: '192.0.2.1', userAgent: 'a browser' }

async function gatewayWithTwo() {
  const folder = temporaryFolder()
  const time = new ManualTime()
  const records = openSqliteUserRecords(join(folder, 'users.db'))
  const store = openSqliteSessionStore(join(folder, 'sessions.db'))
  onTestFinished(async () => {
    await records.close()
    await store.close()
  })
  const shared = { clock: time, timer: time, ids: new SystemIds(time), randomBytes }
  const users = new Users({ ...shared, store: new MemoryEventStore() })
  const onTrouble = (cause: unknown) => expect.unreachable(`${cause}`)
  const lifetimes = { idleMs: 24 * HOUR_MS, absoluteMs: 24 * HOUR_MS }
  const sessions = new Sessions({ ...shared, store, users, lifetimes, onTrouble })
  for (const name of ['ada', 'bob']) {
    const userId = `usr_${name}`
    const email = `${name}@example.com`
    await records.add({ userId, email, displayName: name, passwordHash: '$1' })
    await users.change({ type: 'SignUp', userId, accountId: `acct_${name}` }, 'test')
    await sessions.begin(userId, HERE, 'password')
  }
  const erased = new ErasedUsers({ users, records, sessions: store, timer: time, onTrouble })
  const kept = async (name: string) => ({
    record: (await records.find(`usr_${name}`)) !== undefined,
    sessions: (await store.list(`usr_${name}`)).length,
  })
  const eraseElsewhere = (name: string) =>
    users.change({ type: 'SetStatus', userId: `usr_${name}`, status: 'erased' }, 'test')
  return { time, erased, kept, eraseElsewhere }
}

const ALL = { record: true, sessions: 1 }
const NOTHING = { record: false, sessions: 0 }

test('goes at the start, and of nobody else', async () => {
  const { erased, kept, eraseElsewhere } = await gatewayWithTwo()
  await eraseElsewhere('ada')
  expect(await kept('ada')).toEqual(ALL)
  onTestFinished(erased.start())
  await expect.poll(() => kept('ada')).toEqual(NOTHING)
  expect(await kept('bob')).toEqual(ALL)
})

test('goes within an hour while the gateway runs', async () => {
  const { time, erased, kept, eraseElsewhere } = await gatewayWithTwo()
  onTestFinished(erased.start())
  await eraseElsewhere('bob')
  await time.advance(HOUR_MS)
  await expect.poll(() => kept('bob')).toEqual(NOTHING)
  expect(await kept('ada')).toEqual(ALL)
})
