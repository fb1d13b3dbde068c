/** A database is copied while it is written to, and the copy is whole. */
import { copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { TinyDisk } from '@svc/testing/tiny-disk'
import { expect, onTestFinished, test } from 'vitest'
import { copyDatabase } from './copy-database.ts'
import { openDatabaseFile } from './database-file.ts'
import { DurableFile } from './durable-file.ts'

const never = new AbortController().signal
const BATCH = 50
const ROWS = 20_000

/** A file of many pages; closed with the test. */
function openFile(): { path: string; file: DurableFile; rows: () => number; write(): void } {
  const path = join(temporaryFolder(), 'rows.db')
  const owner = openDatabaseFile(path, {
    what: 'rows',
    applicationId: 7,
    migrations: ['CREATE TABLE rows (id INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT'],
    synchronous: 'FULL',
    cacheKibibytes: 2_048,
    autoCheckpointPages: 0,
    secureDelete: false,
  })
  const file = new DurableFile(owner, path)
  onTestFinished(() => file.close())
  const { database } = file
  const insert = database.prepare('INSERT INTO rows (content) VALUES (randomblob(500))')
  const write = (count = BATCH) => {
    database.exec('BEGIN IMMEDIATE')
    for (let index = 0; index < count; index += 1) insert.run()
    database.exec('COMMIT')
  }
  write(ROWS)
  return { path, file, write, rows: () => rowsIn(database) }
}

function rowsIn(database: DatabaseSync): number {
  return Number(database.prepare('SELECT count(*) AS count FROM rows').get()?.count)
}

/** @returns the rows of a whole file */
function rowsOf(path: string): number {
  const database = new DatabaseSync(path)
  try {
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    return rowsIn(database)
  } finally {
    database.close()
  }
}

test('the copy has all that was written before, whole transactions of what came meanwhile, and the file goes on', async () => {
  const { path, file, rows, write } = openFile()
  const target = join(temporaryFolder(), 'copy.db')
  let isCopying = true
  const writing = (async () => {
    while (isCopying) {
      write()
      await file.sync()
      await file.checkpointIfLong()
    }
  })()
  const told: [number, number][] = []
  await copyDatabase(path, target, {
    signal: never,
    onProgress: (done, total) => told.push([done, total]),
  })
  isCopying = false
  await writing
  const copied = rowsOf(target)
  expect(copied).toBeGreaterThanOrEqual(ROWS)
  expect(copied).toBeLessThanOrEqual(rows())
  expect((copied - ROWS) % BATCH).toBe(0)
  expect(rows()).toBeGreaterThan(ROWS)
  expect(statSync(target).mode & 0o777).toBe(0o600)
  expect(told.length).toBeGreaterThan(10)
  const { size } = statSync(target)
  expect(told.at(-1)).toEqual([size, size])
})

test('a file that is not open is copied with what a killed process has left in its log', async () => {
  const { path, rows } = openFile()
  const folder = join(temporaryFolder(), 'killed')
  mkdirSync(folder)
  const killed = join(folder, 'rows.db')
  copyFileSync(path, killed)
  copyFileSync(`${path}-wal`, `${killed}-wal`)
  expect(statSync(`${killed}-wal`).size).toBeGreaterThan(0)
  const target = join(temporaryFolder(), 'copy.db')
  await copyDatabase(killed, target, { signal: never })
  expect(rowsOf(target)).toBe(rows())
})

test('a copy ends when it is not wanted any more', async () => {
  const { path, rows, write } = openFile()
  const stop = new AbortController()
  const target = join(temporaryFolder(), 'copy.db')
  const reason = new Error('not wanted')
  const copying = copyDatabase(path, target, {
    signal: stop.signal,
    onProgress: () => stop.abort(reason),
  })
  await expect(copying).rejects.toBe(reason)
  write()
  expect(rows()).toBe(ROWS + BATCH)
})

test('nothing that is there is written over', async () => {
  const { path } = openFile()
  const target = join(temporaryFolder(), 'copy.db')
  writeFileSync(target, 'mine')
  await expect(copyDatabase(path, target, { signal: never })).rejects.toThrow('EEXIST')
  expect(statSync(target).size).toBe('mine'.length)
})

test('a full disk under the copy is told, and the file goes on', async ({ skip }) => {
  const disk = TinyDisk.mount(2)
  if (disk === undefined) return skip('a file system can only be mounted by root on Linux')
  const { path, rows, write } = openFile()
  const copying = copyDatabase(path, join(disk.folder, 'copy.db'), { signal: never })
  await expect(copying).rejects.toThrow('full')
  write()
  expect(rows()).toBe(ROWS + BATCH)
  expect(existsSync(`${path}-wal`)).toBe(true)
})
