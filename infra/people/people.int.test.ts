/** What is kept of users and of their sessions. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StoredSession } from '@svc/contracts/ports/session-store'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { describe, expect, test } from 'vitest'
import { openSqliteSessionStore, type SessionBounds } from './sqlite-session-store.ts'
import { openSqliteUserRecords } from './sqlite-user-records.ts'

const ada = { userId: 'usr_a', email: 'ada@example.com', displayName: 'Ada', passwordHash: '$1' }
const bob = { userId: 'usr_b', email: 'bob@example.com', displayName: 'Bob', passwordHash: '$2' }

describe('users', () => {
  test('are found by id and by address, changed, and kept', async () => {
    const path = join(temporaryFolder(), 'users.db')
    const records = openSqliteUserRecords(path)
    expect(await records.add(ada)).toBe(true)
    expect(await records.add(bob)).toBe(true)
    expect(await records.change('usr_a', { displayName: 'Ada L.', passwordHash: '$3' })).toBe(true)
    expect(await records.change('usr_c', { displayName: 'C' })).toBe(false)
    await records.close()
    const again = openSqliteUserRecords(path)
    const changed = { ...ada, displayName: 'Ada L.', passwordHash: '$3' }
    expect(await again.find('usr_a')).toEqual(changed)
    expect(await again.findByEmail('ada@example.com')).toEqual(changed)
    expect(await again.findByEmail('eve@example.com')).toBeUndefined()
    await again.close()
  })

  test('have addresses of their own', async () => {
    const records = openSqliteUserRecords(join(temporaryFolder(), 'users.db'))
    await records.add(ada)
    expect(await records.add({ ...bob, email: ada.email })).toBe(false)
    expect(await records.find('usr_b')).toBeUndefined()
    await records.close()
  })

  test('who are erased are in no byte of the files', async () => {
    const folder = temporaryFolder()
    const records = openSqliteUserRecords(join(folder, 'users.db'))
    await records.add(ada)
    await records.add(bob)
    expect(await records.erase('usr_a')).toBe(true)
    expect(await records.erase('usr_a')).toBe(false)
    const bytes = ['users.db', 'users.db-wal'].map((name) =>
      readFileSync(join(folder, name), 'latin1'),
    )
    expect(bytes.join()).toContain('bob@example.com')
    expect(bytes.join()).not.toMatch(/ada@example\.com|Ada/)
    await records.close()
  })

  test('are not given up when their file is damaged', () => {
    const path = join(temporaryFolder(), 'users.db')
    writeFileSync(path, 'no database at all, and long enough to be looked at'.repeat(100))
    expect(() => openSqliteUserRecords(path)).toThrow(/users/)
    expect(readFileSync(path, 'utf8')).toContain('no database')
  })
})

describe('sessions', () => {
  const opened = (bounds?: SessionBounds) =>
    openSqliteSessionStore(join(temporaryFolder(), 'sessions.db'), bounds)
  const session = (number: number, userId = 'usr_a'): StoredSession => ({
    sessionId: `ses_${number}`,
    tokenHash: `hash ${number}`,
    userId,
    createdAt: number,
    lastUsedAt: number,
    expiresAt: 1_000 + number,
    address: '127.0.0.1',
    userAgent: 'a browser',
  })

  test('are found by the hash of their token, and listed with the last used first', async () => {
    const store = opened()
    await store.save(session(1))
    await store.save(session(2))
    await store.save(session(3, 'usr_b'))
    await store.noteUse('ses_1', { lastUsedAt: 9, address: '::1' })
    expect(await store.find('hash 1')).toEqual({ ...session(1), lastUsedAt: 9, address: '::1' })
    expect(await store.find('hash 4')).toBeUndefined()
    expect((await store.list('usr_a')).map(({ sessionId }) => sessionId)).toEqual([
      'ses_1',
      'ses_2',
    ])
    await store.close()
  })

  test('end one by one, or all but one, and only those of their user', async () => {
    const store = opened()
    for (const number of [1, 2, 3]) await store.save(session(number))
    await store.save(session(4, 'usr_b'))
    expect(await store.end('usr_b', 'ses_1')).toBe(false)
    expect(await store.end('usr_a', 'ses_1')).toBe(true)
    expect(await store.endAll('usr_a', 'ses_3')).toBe(1)
    expect(await store.find('hash 3')).toBeDefined()
    expect(await store.endAll('usr_a')).toBe(1)
    expect(await store.find('hash 4')).toBeDefined()
    await store.close()
  })

  test('give way, the least used first, when a user or all have too many', async () => {
    const store = opened({ perUser: 2, inAll: 3 })
    for (const number of [1, 2, 3]) await store.save(session(number))
    expect(await store.find('hash 1')).toBeUndefined()
    await store.save(session(4, 'usr_b'))
    await store.save(session(5, 'usr_b'))
    expect(await store.find('hash 2')).toBeUndefined()
    expect(await store.list('usr_a')).toHaveLength(1)
    expect(await store.list('usr_b')).toHaveLength(2)
    await store.close()
  })

  test('that are over, or were not used, are removed', async () => {
    const store = opened()
    for (const number of [1, 2, 30]) await store.save(session(number))
    expect(await store.removeOld({ expiresBy: 1_001, unusedSince: 2, limit: 1 })).toBe(1)
    expect(await store.removeOld({ expiresBy: 1_001, unusedSince: 2, limit: 10 })).toBe(1)
    expect((await store.list('usr_a')).map(({ sessionId }) => sessionId)).toEqual(['ses_30'])
    await store.close()
  })
})
