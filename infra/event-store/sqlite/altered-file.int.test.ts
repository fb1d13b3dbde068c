/** History that was edited in the file, with the pages of SQLite left sound or not. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  BrokenChainError,
  NO_STREAM,
  START,
  StoreDamagedError,
} from '@svc/contracts/ports/event-store'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fillStream, mustAppend, newEvent, readWholeStream } from '../compliance/fixtures.ts'
import { verifyLog } from '../verify-log.ts'
import { openSqliteEventStore, type SqliteEventStore } from './sqlite-event-store.ts'

const PAGE_BYTES = 4_096
const PAGE_HEAD_BYTES = 8

let folder: string
let path: string
let store: SqliteEventStore
const altered = 'account-1'
const untouched = 'account-2'

function open(): SqliteEventStore {
  store = openSqliteEventStore(path, {
    onFatal: (error) => {
      throw error
    },
  })
  return store
}

beforeEach(async () => {
  folder = temporaryFolder()
  path = join(folder, 'ledger.db')
  open()
  let head = NO_STREAM
  for (let at = 0; at < 10; at += 1) {
    const event = { ...newEvent(`{"marker":"event-${at}-of-one"}`), type: `Type${at}` }
    head = (await mustAppend(store, altered, head, [event])).head
  }
  await fillStream(store, untouched, 10)
  await store.close()
})
afterEach(async () => {
  await store.close()
})

async function expectBrokenAt(revision: number): Promise<void> {
  open()
  await expect(readWholeStream(store, altered)).rejects.toThrow(
    new BrokenChainError(altered, revision),
  )
  expect(await readWholeStream(store, untouched)).toHaveLength(10)
  const { broken, streams } = await verifyLog(store)
  expect(broken).toEqual([{ stream: altered, revision, cause: expect.any(String) }])
  expect(streams).toBe(2)
}

/** Flips one bit of the first byte of a text that is in the file once. */
function flipBitAt(text: string): void {
  const bytes = readFileSync(path)
  const at = bytes.indexOf(text)
  expect(at).toBeGreaterThan(0)
  expect(bytes.indexOf(text, at + 1)).toBe(-1)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

function edit(...statements: string[]): void {
  const database = new DatabaseSync(path)
  for (const statement of statements) database.exec(statement)
  database.close()
}

const ofOne = "stream_id = (SELECT id FROM stream WHERE name = 'account-1')"

describe('a log in which', () => {
  test('one bit of the data was flipped is found, though SQLite sees nothing', async () => {
    flipBitAt('event-6-of-one')
    const database = new DatabaseSync(path)
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    database.close()
    await expectBrokenAt(6)
  })

  test('one bit of a type was flipped is found', async () => {
    flipBitAt('Type3')
    await expectBrokenAt(3)
  })

  const edits: [string, number, string[]][] = [
    ['data was edited', 4, [`UPDATE event SET data = '{}' WHERE revision = 4 AND ${ofOne}`]],
    ['metadata was edited', 4, [`UPDATE event SET metadata = '' WHERE revision = 4 AND ${ofOne}`]],
    ['an id was edited', 4, [`UPDATE event SET id = zeroblob(16) WHERE revision = 4 AND ${ofOne}`]],
    [
      'a hash was edited',
      4,
      [`UPDATE event SET hash = zeroblob(32) WHERE revision = 4 AND ${ofOne}`],
    ],
    ['an event was removed', 4, [`DELETE FROM event WHERE revision = 4 AND ${ofOne}`]],
    ['the first event was removed', 0, [`DELETE FROM event WHERE revision = 0 AND ${ofOne}`]],
    [
      'an event was removed and the gap closed',
      4,
      [
        `DELETE FROM event WHERE revision = 4 AND ${ofOne}`,
        `UPDATE event SET revision = -revision WHERE false`,
        ...[5, 6, 7, 8, 9].map(
          (r) => `UPDATE event SET revision = ${r - 1} WHERE revision = ${r} AND ${ofOne}`,
        ),
      ],
    ],
    [
      'two events were swapped',
      4,
      [
        `UPDATE event SET revision = 99 WHERE revision = 4 AND ${ofOne}`,
        `UPDATE event SET revision = 4, position = 1004 WHERE revision = 5 AND ${ofOne}`,
        `UPDATE event SET revision = 5, position = 1005 WHERE revision = 99 AND ${ofOne}`,
        ...[6, 7, 8, 9].map(
          (r) => `UPDATE event SET position = ${1000 + r} WHERE revision = ${r} AND ${ofOne}`,
        ),
      ],
    ],
  ]

  test.each(edits)('%s is found at revision %d', async (_name, revision, statements) => {
    edit(...statements)
    await expectBrokenAt(revision)
  })

  test('the name of a stream was edited shows a stream that breaks at its start', async () => {
    edit("UPDATE stream SET name = 'account-9' WHERE name = 'account-1'")
    const { broken } = await verifyLog(open())
    expect(broken).toMatchObject([{ stream: 'account-9', revision: 0 }])
  })

  test('the name of a stream was removed still shows its events', async () => {
    edit("DELETE FROM stream WHERE name = 'account-1'")
    const { broken, events } = await verifyLog(open())
    expect(broken).toMatchObject([{ stream: 'unknown stream 1', revision: 0 }])
    expect(events).toBe(20)
  })
})

test('a page that SQLite cannot read is told as a damaged file, by reads and by the health', async () => {
  open()
  // An opening reads the last page, and finds damage there by itself.
  await fillStream(store, 'account-3', 200)
  await store.close()
  const bytes = readFileSync(path)
  const at = bytes.lastIndexOf('event-9-of-one')
  // The head of the page says where its rows are.
  bytes.fill(0xff, at - (at % PAGE_BYTES), at - (at % PAGE_BYTES) + PAGE_HEAD_BYTES)
  writeFileSync(path, bytes)
  open()
  expect(store.troubles()).toEqual([])
  const request = { after: START, limit: 100 }
  await expect(store.readAll(request)).rejects.toThrow(StoreDamagedError)
  await expect(verifyLog(store)).rejects.toThrow(
    `${path} is damaged and cannot be read: stop svc and restore it from a backup`,
  )
  expect(store.troubles()).toEqual([
    { message: expect.stringContaining(path), notReady: 'the event log is damaged' },
  ])
})
