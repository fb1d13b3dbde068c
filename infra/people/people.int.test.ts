/** What is kept of users and of their sessions. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Passkey } from '@svc/contracts/ports/passkeys'
import type { StoredSession } from '@svc/contracts/ports/session-store'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { describe, expect, onTestFinished, test } from 'vitest'
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

  test('without a password have none, and can be given one', async () => {
    const records = openSqliteUserRecords(join(temporaryFolder(), 'users.db'))
    await records.add({ ...ada, passwordHash: null })
    expect((await records.find('usr_a'))?.passwordHash).toBeNull()
    await records.change('usr_a', { passwordHash: '$1' })
    expect(await records.find('usr_a')).toEqual(ada)
    await records.close()
  })

  test('get another password only in the place of the one that was looked at', async () => {
    const records = openSqliteUserRecords(join(temporaryFolder(), 'users.db'))
    await records.add(ada)
    expect(await records.replacePassword('usr_a', '$1', '$2')).toBe(true)
    expect(await records.replacePassword('usr_a', '$1', '$3')).toBe(false)
    expect(await records.replacePassword('usr_b', '$1', '$3')).toBe(false)
    expect(await records.find('usr_a')).toEqual({ ...ada, passwordHash: '$2' })
    await records.close()
  })

  test('are not given up when their file is damaged', () => {
    const path = join(temporaryFolder(), 'users.db')
    writeFileSync(path, 'no database at all, and long enough to be looked at'.repeat(100))
    expect(() => openSqliteUserRecords(path)).toThrow(/users/)
    expect(readFileSync(path, 'utf8')).toContain('no database')
  })
})

describe('passkeys', () => {
  const MAX = 2
  const passkey = (number: number, userId = 'usr_a'): Passkey => ({
    passkeyId: `pk_${number}`,
    userId,
    credentialId: `credential-${number}`,
    publicKey: new Uint8Array([1, 2, number]),
    signCount: 0,
    transports: ['internal', 'hybrid'],
    name: `key ${number}`,
    createdAt: number,
    lastUsedAt: null,
  })
  async function opened() {
    const folder = temporaryFolder()
    const records = openSqliteUserRecords(join(folder, 'users.db'))
    onTestFinished(() => records.close())
    await records.add(ada)
    return { folder, records, passkeys: records.passkeys }
  }

  test('are found by their credential, listed and removed by their user', async () => {
    const { passkeys } = await opened()
    expect(await passkeys.add(passkey(1), MAX)).toBe(true)
    expect(await passkeys.add(passkey(2, 'usr_b'), MAX)).toBe(true)
    expect(await passkeys.findByCredential('credential-1')).toEqual(passkey(1))
    expect(await passkeys.list('usr_a')).toEqual([passkey(1)])
    expect(await passkeys.rename('usr_b', 'pk_1', 'stolen')).toBe(false)
    expect(await passkeys.rename('usr_a', 'pk_1', 'blue key')).toBe(true)
    expect(await passkeys.list('usr_a')).toEqual([{ ...passkey(1), name: 'blue key' }])
    expect(await passkeys.remove('usr_b', 'pk_1')).toBe(false)
    expect(await passkeys.remove('usr_a', 'pk_1')).toBe(true)
    expect(await passkeys.findByCredential('credential-1')).toBeUndefined()
  })

  test('are each of one user, and not too many', async () => {
    const { passkeys } = await opened()
    expect(await passkeys.add(passkey(1), MAX)).toBe(true)
    const same = { ...passkey(2, 'usr_b'), credentialId: 'credential-1' }
    expect(await passkeys.add(same, MAX)).toBe(false)
    expect(await passkeys.add(passkey(3), MAX)).toBe(true)
    expect(await passkeys.add(passkey(4), MAX)).toBe(false)
  })

  test('count up, or do not count at all: a copy that is behind is not taken', async () => {
    const { passkeys } = await opened()
    await passkeys.add(passkey(1), MAX)
    const noted = (signCount: number) => passkeys.noteUse('pk_1', { signCount, at: 9 })
    expect([await noted(0), await noted(0)]).toEqual([true, true])
    expect([await noted(5), await noted(5), await noted(4), await noted(0)]).toEqual([
      ...[true, false, false, false],
    ])
    expect(await noted(6)).toBe(true)
    expect((await passkeys.findByCredential('credential-1'))?.signCount).toBe(6)
  })

  test('and linked identities are erased with their user, to the last byte', async () => {
    const { folder, records, passkeys } = await opened()
    const identity = { issuer: 'https://login.example.com/', subject: 'subject-of-ada' }
    await passkeys.add({ ...passkey(1), name: 'phone of Ada' }, MAX)
    expect(await records.identities.link('usr_a', identity)).toBe(true)
    await records.erase('usr_a')
    expect(await passkeys.list('usr_a')).toEqual([])
    expect(await records.identities.userOf(identity)).toBeUndefined()
    const bytes = ['users.db', 'users.db-wal'].map((name) =>
      readFileSync(join(folder, name), 'latin1'),
    )
    expect(bytes.join()).not.toMatch(/phone of Ada|credential-1|subject-of-ada/)
  })

  test('a linked identity is of one user, and a user has one of each provider', async () => {
    const { identities } = (await opened()).records
    const [one, two] = ['1', '2'].map((subject) => ({ issuer: 'https://a.example/', subject }))
    if (one === undefined || two === undefined) throw new Error('there are two')
    expect(await identities.link('usr_a', one)).toBe(true)
    expect(await identities.link('usr_b', one)).toBe(false)
    expect(await identities.link('usr_a', two)).toBe(false)
    expect(await identities.link('usr_a', { ...two, issuer: 'https://b.example/' })).toBe(true)
    expect(await identities.userOf(one)).toBe('usr_a')
    expect(await identities.unlink('usr_a', one.issuer)).toBe(true)
    expect(await identities.isLinked('usr_a', one.issuer)).toBe(false)
    expect(await identities.isLinked('usr_a', 'https://b.example/')).toBe(true)
  })
})

describe('sessions', () => {
  const opened = (bounds?: SessionBounds, folder = temporaryFolder()) =>
    openSqliteSessionStore(join(folder, 'sessions.db'), bounds)
  const session = (number: number, userId = 'usr_a'): StoredSession => ({
    sessionId: `ses_${number}`,
    tokenHash: `hash ${number}`,
    userId,
    way: 'password',
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

  test('of users who are erased are in no byte of the files', async () => {
    const folder = temporaryFolder()
    const store = opened(undefined, folder)
    for (const number of [1, 2, 3]) {
      await store.save({ ...session(number), address: `192.0.2.${number}` })
    }
    await store.save({ ...session(4, 'usr_b'), address: '198.51.100.4' })
    await store.end('usr_a', 'ses_1')
    await store.noteUse('ses_2', { lastUsedAt: 9, address: '192.0.2.20' })
    await store.forget(['usr_a', 'usr_c'])
    const bytes = ['sessions.db', 'sessions.db-wal'].map((name) =>
      readFileSync(join(folder, name), 'latin1'),
    )
    expect(bytes.join()).toContain('198.51.100.4')
    expect(bytes.join()).not.toMatch(/192\.0\.2\.|usr_a/)
    expect(await store.find('hash 4')).toBeDefined()
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
