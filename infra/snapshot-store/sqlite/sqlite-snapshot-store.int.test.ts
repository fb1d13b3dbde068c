import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { CrashPoint } from '@svc/contracts/crash-points'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { beforeEach, describe, expect, test } from 'vitest'
import { describeSnapshotStore, snapshotOf } from '../snapshot-store.suite.ts'
import { openSqliteSnapshotStore, STATE_BYTES_MAX } from './sqlite-snapshot-store.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'snapshots.db')
})

describeSnapshotStore('SQLite', () => openSqliteSnapshotStore(path))

function save(...streams: string[]): void {
  const store = openSqliteSnapshotStore(path)
  for (const stream of streams) store.save(snapshotOf(stream))
  store.close()
}

function load(stream: string) {
  const store = openSqliteSnapshotStore(path)
  const snapshot = store.load(stream)
  store.close()
  return snapshot
}

describe('a file of snapshots', () => {
  test('holds them for the next process', () => {
    save('account-1')
    expect(load('account-1')).toEqual(snapshotOf('account-1'))
  })

  const damage: [string, () => void][] = [
    ['that is no SQLite file', () => writeFileSync(path, 'nonsense '.repeat(1_000))],
    ['that was cut short', () => truncateSync(path, 4_096)],
    [
      'whose first page is damaged',
      () => {
        const bytes = readFileSync(path)
        writeFileSync(path, bytes.fill(0xaa, 100, 4_096))
      },
    ],
    [
      'of a newer schema',
      () => {
        const database = new DatabaseSync(path)
        database.exec('PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)')
        database.close()
      },
    ],
  ]
  test.each(damage)('%s is made anew', (_name, harm) => {
    save('account-1')
    harm()
    expect(load('account-1')).toBeUndefined()
    save('account-1')
    expect(load('account-1')).toEqual(snapshotOf('account-1'))
  })

  test('that is in use is left alone', () => {
    const store = openSqliteSnapshotStore(path)
    store.save(snapshotOf('account-1'))
    expect(() => openSqliteSnapshotStore(path)).toThrow(/in use/)
    expect(store.load('account-1')).toEqual(snapshotOf('account-1'))
    store.close()
  })
})

describe('a snapshot', () => {
  test.each(['state', 'hash', 'schema', 'revision', 'stream'])(
    'whose %s was altered is absent',
    (column) => {
      save('account-1')
      const database = new DatabaseSync(path)
      const value = column === 'revision' ? '8' : "'account-9'"
      database.exec(`UPDATE snapshot SET ${column} = ${value}`)
      database.close()
      expect(load(column === 'stream' ? 'account-9' : 'account-1')).toBeUndefined()
    },
  )

  test('that is too large is not kept, and the one before stays', () => {
    const store = openSqliteSnapshotStore(path)
    store.save(snapshotOf('account-1'))
    expect(store.save(snapshotOf('account-1', 8, 'x'.repeat(STATE_BYTES_MAX + 1)))).toBe(false)
    expect(store.load('account-1')).toEqual(snapshotOf('account-1'))
    store.close()
  })

  test('that cannot be written says so, and a closed store has none', () => {
    const store = openSqliteSnapshotStore(path)
    store.close()
    expect(store.save(snapshotOf('account-1'))).toBe(false)
    expect(store.load('account-1')).toBeUndefined()
  })

  test('passes the crash points around its write', () => {
    const reached: CrashPoint[] = []
    const store = openSqliteSnapshotStore(path, (point) => reached.push(point))
    store.save(snapshotOf('account-1'))
    store.close()
    expect(reached).toEqual(['snapshot.before', 'snapshot.after'])
  })
})
