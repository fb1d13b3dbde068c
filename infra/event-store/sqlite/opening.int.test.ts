/** Which files are opened and which are refused, with what is said and nothing written. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { NO_STREAM } from '@svc/contracts/ports/event-store'
import { runToEnd } from '@svc/testing/bounded-run'
import { runProgram } from '@svc/testing/child-process'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { beforeEach, describe, expect, test } from 'vitest'
import { type StoreOpenCode, StoreOpenError } from '../../store-open-error.ts'
import { fillStream, newEvents, readWholeLog } from '../compliance/fixtures.ts'
import { looksLikeEventLog } from './event-log-file.ts'
import { openSqliteEventStore, type SqliteEventStore } from './sqlite-event-store.ts'

const APPENDING_PROGRAM = new URL('testing/append-until-killed.ts', import.meta.url)

let folder: string
let path: string
beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'ledger.db')
})

function open(): SqliteEventStore {
  return openSqliteEventStore(path, {
    onFatal: (error) => {
      throw error
    },
  })
}

async function makeLog(events = 20): Promise<void> {
  const store = open()
  await fillStream(store, 'account-1', events)
  await store.close()
}

function refusal(): StoreOpenError {
  try {
    void open().close()
  } catch (error) {
    if (error instanceof StoreOpenError) return error
    throw error
  }
  throw new Error('it was opened')
}

/** Every file of the folder with its content. */
function content(): Record<string, string> {
  const files = readdirSync(folder)
  return Object.fromEntries(
    files.map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
  )
}

function expectRefusal(code: StoreOpenCode, message: RegExp): void {
  const before = content()
  const error = refusal()
  expect(error.code).toBe(code)
  expect(error.message).toMatch(message)
  expect(error.message).not.toContain('\n')
  expect(error.message).toContain(path)
  expect(content()).toEqual(before)
}

describe('a new log', () => {
  test('is made for its owner only, and is marked as ours', async () => {
    await makeLog(0)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const database = new DatabaseSync(path)
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 })
    expect(database.prepare('PRAGMA application_id').get()).toEqual({ application_id: 0x73766365 })
    database.close()
  })

  test('takes the place of an empty file', async () => {
    writeFileSync(path, '')
    await makeLog(3)
    const store = open()
    expect(await readWholeLog(store)).toHaveLength(3)
    await store.close()
  })

  test('has the settings that the promises rest on', async () => {
    const settings = runToEnd(process.execPath, [
      '--input-type=module',
      '--eval',
      `const { openEventLogFile } = await import(${JSON.stringify(
        new URL('./event-log-file.ts', import.meta.url).href,
      )})
       const { database } = openEventLogFile(${JSON.stringify(path)})
       const names = ['journal_mode', 'synchronous', 'locking_mode', 'trusted_schema', 'cell_size_check', 'mmap_size']
       console.log(JSON.stringify(names.map((name) => Object.values(database.prepare('PRAGMA ' + name).get() ?? {})[0] ?? 0)))`,
    ])
    // SQLite does not sync: `durable-file.ts` does it, and the order is tested in
    // `crash.int.test.ts`.
    expect(JSON.parse(settings.stdout)).toEqual(['wal', 0, 'exclusive', 0, 1, 0])
  })
})

describe('a log is refused', () => {
  test('while another store of this process has it, whose lock stays', async () => {
    const store = open()
    await fillStream(store, 'account-1', 3)
    expect(refusal().message).toMatch(/in use by another process: stop that one/)
    // That refusal must not have dropped the lock of the first: another process still meets it.
    const other = runProgram(APPENDING_PROGRAM, [path])
    expect(await other.ended).toBe(1)
    expect(other.lines).toEqual([])
    await fillStream(store, 'account-2', 3)
    await store.close()
    await makeLogAgain()
  })

  test('while another process has it, and opened as soon as that is killed', async () => {
    const other = runProgram(APPENDING_PROGRAM, [path])
    await other.printed(20)
    expect(refusal()).toMatchObject({ code: 'in-use' })
    other.child.kill('SIGKILL')
    await other.ended
    const store = open()
    expect((await readWholeLog(store)).length).toBeGreaterThan(0)
    await store.close()
  })

  test('when a newer version wrote it, and its log is not merged into it', async () => {
    const elsewhere = join(folder, 'elsewhere.db')
    const database = new DatabaseSync(elsewhere)
    database.exec(`PRAGMA journal_mode = WAL; CREATE TABLE event (a);
      PRAGMA application_id = ${0x73766365}; PRAGMA user_version = 2;
      PRAGMA wal_checkpoint(TRUNCATE); CREATE TABLE later (a)`)
    // A killed process leaves its files like this: with a commit in the log alone.
    for (const suffix of ['', '-wal']) copyFileSync(elsewhere + suffix, path + suffix)
    database.close()
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
    expectRefusal('newer-schema', /newer version \(schema 2, this program knows 1\): run that/)
  })

  test('when it is no SQLite file', () => {
    writeFileSync(path, 'The quick brown fox jumps over the lazy dog. '.repeat(100))
    expectRefusal('foreign-file', /is not an event log of this program: move it away/)
  })

  test('when another program wrote it', () => {
    const database = new DatabaseSync(path)
    database.exec('PRAGMA application_id = 1234; CREATE TABLE theirs (a)')
    database.close()
    expectRefusal('foreign-file', /is not an event log of this program/)
  })

  test('when another program wrote it and did not sign it', () => {
    const database = new DatabaseSync(path)
    database.exec('CREATE TABLE theirs (a)')
    database.close()
    expectRefusal('foreign-file', /is not an event log of this program/)
  })

  test('when its first pages are damaged', async () => {
    await makeLog()
    const bytes = readFileSync(path)
    bytes.fill(0xaa, 100, 8_192)
    writeFileSync(path, bytes)
    expectRefusal('damaged', /is damaged and cannot be read: restore it from a backup/)
  })

  test('when it was cut short', async () => {
    await makeLog(500)
    truncateSync(path, 4_096)
    expectRefusal('damaged', /is damaged/)
  })

  test('when its end is gone, unless the log has it', async () => {
    await makeLog(500)
    const { size } = statSync(path)
    truncateSync(path, size - 4_096)
    expect(() => looksLikeEventLog(path)).toThrow(/shorter than its first page says.*restore it/)
    expectRefusal('damaged', /is shorter than its first page says/)
    writeFileSync(`${path}-wal`, 'what a process that was killed has left')
    expect(() => looksLikeEventLog(path)).not.toThrow()
  })

  test('when its tables are gone', async () => {
    await makeLog()
    const database = new DatabaseSync(path)
    database.exec('DROP TABLE event')
    database.close()
    expectRefusal('damaged', /is damaged/)
  })

  test('when its folder is missing', () => {
    path = join(folder, 'missing', 'ledger.db')
    expect(refusal()).toMatchObject({ code: 'not-writable' })
    expect(existsSync(join(folder, 'missing'))).toBe(false)
  })

  test('when its place is a folder', () => {
    mkdirSync(path)
    expect(refusal().message).toMatch(/cannot be written|not an event log/)
  })

  test('when its folder is a file', () => {
    writeFileSync(join(folder, 'file'), '')
    path = join(folder, 'file', 'ledger.db')
    expect(refusal()).toMatchObject({ code: 'not-writable' })
  })
})

describe('a process that died while it made a new log', () => {
  test('leaves one that the next process goes on with', async () => {
    const database = new DatabaseSync(path)
    database.exec('PRAGMA journal_mode = WAL')
    database.close()
    const store = open()
    const request = { stream: 'a', expected: NO_STREAM, events: newEvents(1) }
    expect((await store.append(request)).kind).toBe('appended')
    await store.close()
  })
})

async function makeLogAgain(): Promise<void> {
  const store = open()
  expect(await readWholeLog(store)).toHaveLength(6)
  await store.close()
}
