import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { openDatabaseFile } from '@svc/infra/sqlite/database-file'
import { runToEnd } from '@svc/testing/bounded-run'
import { temporaryFolder } from '@svc/testing/temporary-folder'

import { describe, expect, test } from 'vitest'
import { BackupPlace } from '../backup/backup-place.ts'
import { DataFolder } from './data-folder.ts'
import { DataFolderError } from './data-folder-error.ts'
import { migrationNote } from './migration-note.ts'
import * as noteShapes from './note-shapes.ts'

const key = /^[0-9a-f]{64}$/

/** Everything that a folder has a name for, but the backups, which may be on another disk. */
function openedByName(): readonly string[] {
  const folder = new DataFolder('/data') as unknown as Record<string, string>
  const paths = Object.getOwnPropertyNames(DataFolder.prototype)
    .filter((name) => /(File|Folder)$/.test(name) && name !== 'backupsFolder')
    .map((name) => basename(folder[name] ?? ''))
  const logs = paths.filter((name) => name.endsWith('.db')).map((name) => `${name}-wal`)
  const notes = Object.values({ ...noteShapes, migrationNote }).flatMap((shape) =>
    typeof shape === 'object' ? shape.file : shape,
  )
  return [...paths, ...logs, ...notes]
}

/** A folder with these secrets, or none. */
function folderWith(secrets?: object): DataFolder {
  const path = temporaryFolder()
  if (secrets !== undefined) writeFileSync(join(path, 'secrets.json'), JSON.stringify(secrets))
  return new DataFolder(path)
}

const keptIn = ({ path }: DataFolder) =>
  JSON.parse(readFileSync(join(path, 'secrets.json'), 'utf8'))

describe('the secrets of a folder', () => {
  test('are told before anything is written, and stay the same', () => {
    const folder = folderWith()
    const coming = folder.comingSecrets()
    expect(readdirSync(folder.path)).toEqual([])
    expect(folder.readSecrets()).toBeUndefined()
    expect(folder.secrets()).toEqual(coming)
    expect(new DataFolder(folder.path).secrets()).toEqual(coming)
    expect(Object.values(coming)).toEqual([1, 2, 3].map(() => expect.stringMatching(key)))
    expect(new Set(Object.values(coming)).size).toBe(3)
  })

  test('of before there was a cache are completed, and the others stay', () => {
    const old = { operatorToken: 'a'.repeat(64), answerKey: 'b'.repeat(64) }
    const folder = folderWith(old)
    folder.check()
    const { cacheKey } = folder.comingSecrets()
    expect(keptIn(folder)).toEqual(old)
    expect(folder.secrets()).toEqual({ ...old, cacheKey })
    expect(keptIn(folder)).toEqual({ ...old, cacheKey })
    expect(new DataFolder(folder.path).comingSecrets()).toEqual({ ...old, cacheKey })
  })

  test('that are damaged are not replaced', () => {
    const folder = folderWith({ operatorToken: 'short' })
    expect(() => folder.secrets()).toThrow(DataFolderError)
    expect(keptIn(folder)).toEqual({ operatorToken: 'short' })
  })
})

describe.skipIf(process.platform === 'win32')('a folder that others could use', () => {
  test.each([0o770, 0o702, 0o777])('of mode %o is refused', (mode) => {
    const folder = folderWith()
    chmodSync(folder.path, mode)
    expect(() => folder.check()).toThrow(/other users may write to .*: run "chmod go-w/)
    chmodSync(folder.path, 0o755)
    folder.check()
  })

  test.each(openedByName())('is refused when %s is a link', (name) => {
    const folder = folderWith()
    symlinkSync(join(temporaryFolder(), 'elsewhere'), join(folder.path, name))
    expect(() => folder.check()).toThrow(`${name} is a link`)
  })

  test('never writes or reads through a link', () => {
    const folder = folderWith()
    const elsewhere = join(temporaryFolder(), 'elsewhere')
    writeFileSync(elsewhere, 'untouched')
    symlinkSync(elsewhere, join(folder.path, 'secrets.json.new'))
    const secrets = folder.secrets()
    expect(readFileSync(elsewhere, 'utf8')).toBe('untouched')
    expect(keptIn(folder)).toEqual(secrets)

    writeFileSync(elsewhere, JSON.stringify({ pid: 1, baseUrl: 'http://x', startedAt: '' }))
    symlinkSync(elsewhere, join(folder.path, 'server.json'))
    expect(() => folder.readServer()).toThrow(DataFolderError)
  })
})

const canTrace = runToEnd('strace', ['-o', '/dev/null', 'true']).status === 0

test.skipIf(!canTrace)('a note is on the disk, under its name, when it is written', () => {
  const folder = temporaryFolder()
  const trace = join(temporaryFolder(), 'trace')
  const from = JSON.stringify(new URL('data-folder.ts', import.meta.url))
  const write = `new DataFolder(${JSON.stringify(folder)}).writeServer({ pid: 1, baseUrl: '', startedAt: '' })`
  const script = `import { DataFolder } from ${from}\n${write}`
  const calls = 'trace=rename,renameat,renameat2,fsync,fdatasync'
  const program = [process.execPath, '--input-type=module', '-e', script]
  const ran = runToEnd('strace', ['-f', '-y', '-qq', '-e', calls, '-o', trace, ...program])
  expect(ran.status).toBe(0)
  const done = readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => line.includes(folder))
    .map((line) => line.replace(/^\d+ +/, '').replaceAll(folder, ''))
  expect(done).toEqual([
    expect.stringMatching(/^f(data)?sync\(\d+<\/server\.json\.new>/),
    expect.stringMatching(/^rename.*"\/server\.json\.new", .*"\/server\.json"/),
    expect.stringMatching(/^fsync\(\d+<>/),
  ])
})

describe.skipIf(process.platform !== 'linux')('a folder that nobody can make', () => {
  test.each(['/proc/svc', '/proc/a/b', '/sys/svc'])('is refused before a start: %s', (path) => {
    expect(() => new DataFolder(path).check()).toThrow('is of the kernel, and keeps no files')
    expect(() => new DataFolder(path).check()).toThrow(DataFolderError)
  })

  test('is refused when it is asked for, at once', () => {
    const module = JSON.stringify(import.meta.resolve('./data-folder.ts'))
    const script = `const { DataFolder } = await import(${module})
      new DataFolder('/proc/svc').make()`
    const ran = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 20_000,
    })
    expect(ran.stderr).toContain('DataFolderError: the system does not let /proc/svc be made: ')
  })

  test.each(['', 'data', 'a/b'])('is refused below a link to what is not there: %s', (below) => {
    const place = temporaryFolder()
    const link = join(place, 'link')
    symlinkSync(join(place, 'not-mounted'), link)
    const folder = new DataFolder(join(link, below))
    expect(() => folder.check()).toThrow(`${link} is a link to what is not there: make that, mount`)
    expect(existsSync(join(place, 'not-mounted'))).toBe(false)
  })
})

test('a folder is made with those above it, all for their owner only', () => {
  const place = temporaryFolder()
  const folder = new DataFolder(join(place, 'a', 'b'))
  folder.make()
  folder.make()
  for (const path of [folder.path, join(place, 'a')])
    expect(statSync(path).mode & 0o777).toBe(0o700)
})

describe('a path', () => {
  /** A folder below `above` whose path has this many bytes; no single name has more than 255. */
  function pathOf(above: string, bytes: number): string {
    let path = above
    while (path.length < bytes)
      path = join(path, 'd'.repeat(Math.min(100, bytes - path.length - 1)))
    return path
  }

  test('that is as long as it may be has room for every database, and no longer one is taken', () => {
    const path = pathOf(temporaryFolder(), 440)
    const folder = new DataFolder(path)
    folder.check()
    mkdirSync(folder.viewsFolder, { recursive: true })
    const longest = join(folder.viewsFolder, 'replay-1000000-statement.db.replaced')
    openDatabaseFile(longest, {
      what: 'rows',
      applicationId: 7,
      migrations: ['CREATE TABLE rows (id INTEGER PRIMARY KEY) STRICT'],
      synchronous: 'OFF',
      cacheKibibytes: 1_024,
      autoCheckpointPages: 0,
      secureDelete: false,
    }).close()
    expect(existsSync(longest)).toBe(true)
    const longer = new DataFolder(`${path}d`)
    expect(() => longer.check()).toThrow(/is too long: it has 441 bytes.* 440 at most.*--data-dir/)
  })

  test('that a link leads to counts as SQLite sees it', () => {
    const above = temporaryFolder()
    const path = pathOf(above, 460)
    mkdirSync(path, { recursive: true, mode: 0o700 })
    const link = join(above, 'link')
    symlinkSync(path, link)
    expect(() => new DataFolder(join(link, 'data')).check()).toThrow(/too long: it has 465 bytes/)
    expect(() => new BackupPlace(new DataFolder(above), link).check()).toThrow(
      /too long: it has 460 bytes.*SVC_BACKUP_DIR/,
    )
  })
})
