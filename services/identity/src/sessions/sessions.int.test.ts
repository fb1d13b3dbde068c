/** These tests turn the clock by hand to see when a session ends. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { openSqliteSessionStore } from '@svc/infra/people/sqlite-session-store'
import { SystemIds } from '@svc/infra/system/system-ids'
import { ManualTime } from '@svc/testing/manual-time'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Users } from '../users/users.ts'
import { Sessions } from './sessions.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const IDLE_MS = 30 * MINUTE_MS
const ABSOLUTE_MS = 12 * HOUR_MS
const HERE = { address: '127.0.0.1', userAgent: 'a browser' }

const noTrouble = (cause: unknown): void => expect.unreachable(`${cause}`)

async function signedIn(onTrouble = noTrouble) {
  const time = new ManualTime()
  const store = openSqliteSessionStore(join(temporaryFolder(), 'sessions.db'))
  onTestFinished(() => store.close())
  const ids = new SystemIds(time)
  const shared = { clock: time, timer: time, ids, randomBytes }
  const users = new Users({ ...shared, store: new MemoryEventStore() })
  const sessions = new Sessions({
    ...shared,
    store,
    users,
    lifetimes: { idleMs: IDLE_MS, absoluteMs: ABSOLUTE_MS },
    onTrouble,
  })
  const userId = users.newUserId()
  await users.change({ type: 'SignUp', userId, accountId: 'acct_a' }, 'test')
  const token = await sessions.begin(userId, HERE, 'password')
  const goesOn = async () => (await sessions.find(token, HERE.address)) !== undefined
  return { time, store, users, sessions, userId, token, goesOn }
}

test('a session that is not used ends, and no clock brings it back', async () => {
  const { time, sessions, token, goesOn } = await signedIn()
  await time.advance(IDLE_MS - 1)
  expect(await goesOn()).toBe(true)
  await time.advance(IDLE_MS - 1)
  expect(await goesOn()).toBe(true)
  await time.advance(IDLE_MS)
  expect(await goesOn()).toBe(false)
  await time.advance(-IDLE_MS)
  expect(await sessions.find(token, HERE.address)).toBeUndefined()
})

test('a store that can only be read ends no session early, and lets none go on longer', async () => {
  const troubles: unknown[] = []
  const { time, store, goesOn } = await signedIn((cause) => troubles.push(cause))
  const full = async () => {
    throw new Error('database or disk is full')
  }
  vi.spyOn(store, 'noteUse').mockImplementation(full)
  vi.spyOn(store, 'end').mockImplementation(full)
  await time.advance(IDLE_MS - 1)
  expect(await goesOn()).toBe(true)
  await time.advance(1)
  expect(await goesOn()).toBe(false)
  expect(troubles).toHaveLength(2)
})

test('a session ends at its time, however much it is used', async () => {
  const { time, sessions, users, userId, goesOn } = await signedIn()
  const step = IDLE_MS / 2
  for (let used = step; used < ABSOLUTE_MS; used += step) {
    await time.advance(step)
    expect(await goesOn()).toBe(true)
  }
  const user = await users.find(userId)
  const [session] = user === undefined ? [] : await sessions.list(user)
  if (session === undefined) throw new Error('the session is not listed')
  expect(sessions.idleExpiryOf(session)).toBe(session.expiresAt)
  await time.advance(step)
  expect(await goesOn()).toBe(false)
})

test('a session under another token ends when it would have ended', async () => {
  const { time, store, sessions, userId, goesOn } = await signedIn()
  await time.advance(IDLE_MS / 2)
  const [before] = await store.list(userId)
  if (before === undefined) throw new Error('the session is not kept')
  const token = await sessions.renew(before, { ...HERE, address: '127.0.0.2' })
  expect(await goesOn()).toBe(false)
  const renewed = await sessions.find(token, '127.0.0.2')
  const { createdAt, expiresAt, way } = before
  expect(renewed?.session).toMatchObject({ createdAt, expiresAt, way, address: '127.0.0.2' })
})

test('a long answer is told when its session ends while it goes on', async () => {
  const { time, sessions, store, userId } = await signedIn()
  const [session] = await store.list(userId)
  const { tokenHash = '' } = session ?? {}
  expect(await sessions.goesOn(tokenHash)).toBe(true)
  await time.advance(IDLE_MS)
  expect(await sessions.goesOn(tokenHash)).toBe(false)
})

test('what has ended is not listed, and leaves the file in time', async () => {
  const { time, store, users, sessions, userId } = await signedIn()
  onTestFinished(sessions.startRemoval())
  await time.advance(IDLE_MS)
  const user = await users.find(userId)
  expect(user && (await sessions.list(user))).toEqual([])
  await time.advance(HOUR_MS)
  expect(await store.list(userId)).toEqual([])
})

test('a clock that is set back far ends a session, and makes none longer', async () => {
  const { time, goesOn } = await signedIn()
  await time.advance(-HOUR_MS)
  expect(await goesOn()).toBe(false)
})
