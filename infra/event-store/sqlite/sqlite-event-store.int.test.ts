/** What the SQLite adapter does beyond the port. */
import { join } from 'node:path'
import type { CrashPoint } from '@svc/contracts/crash-points'
import {
  type AppendRequest,
  NO_STREAM,
  StoreBusyError,
  StoreFullError,
  StoreUnavailableError,
} from '@svc/contracts/ports/event-store'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DurableFile } from '../../sqlite/durable-file.ts'
import {
  fillStream,
  idsOf,
  mustAppend,
  newEvent,
  newEvents,
  readWholeLog,
  readWholeStream,
} from '../compliance/fixtures.ts'
import { QUEUED_APPENDS_MAX } from './append-queue.ts'
import { openEventLogFile } from './event-log-file.ts'
import { EventIdTakenError } from './group-commit.ts'
import { SqliteEventStore } from './sqlite-event-store.ts'

let folder: string
let file: DurableFile
let store: SqliteEventStore
/** What the store reached, and what the test does there. */
let reached: CrashPoint[]
let atCrashPoint: (point: CrashPoint) => void
let fatal: unknown[]

beforeEach(() => {
  folder = temporaryFolder()
  open()
})
afterEach(async () => {
  await store.close()
})

function open(): void {
  reached = []
  atCrashPoint = () => {}
  fatal = []
  file = openEventLogFile(join(folder, 'ledger.db'))
  store = new SqliteEventStore(file, {
    onFatal: (error) => fatal.push(error),
    reachCrashPoint(point) {
      reached.push(point)
      atCrashPoint(point)
    },
  })
}

const appendTo = (stream: string, events = newEvents(1)): AppendRequest => ({
  stream,
  expected: NO_STREAM,
  events,
})

describe('group commit', () => {
  test('writes what comes in one turn of the event loop in one transaction', async () => {
    const requests = Array.from({ length: 100 }, (_, at) => appendTo(`account-${at}`))
    const outcomes = await Promise.all(requests.map((request) => store.append(request)))
    expect(outcomes.every(({ kind }) => kind === 'appended')).toBe(true)
    expect(reached).toEqual(['store.before-commit', 'store.after-commit'])
  })

  test('bounds a transaction in appends, and keeps the order of what waits', async () => {
    const requests = Array.from({ length: 600 }, (_, at) => appendTo(`account-${at}`))
    await Promise.all(requests.map((request) => store.append(request)))
    expect(reached.filter((point) => point === 'store.after-commit')).toHaveLength(3)
    const ids = idsOf(requests.flatMap(({ events }) => events))
    expect(idsOf(await readWholeLog(store))).toEqual(ids)
  })

  test('bounds a transaction in events, and takes one large append all the same', async () => {
    const requests = [1, 2, 3, 4, 5].map((at) => appendTo(`account-${at}`, newEvents(500)))
    await Promise.all(requests.map((request) => store.append(request)))
    expect(reached.filter((point) => point === 'store.after-commit')).toHaveLength(3)
  })

  test('sees the appends before it in the same transaction', async () => {
    const first = appendTo('account-1', newEvents(2))
    const outcomes = await Promise.all([
      store.append(first),
      store.append(first),
      store.append(appendTo('account-1')),
    ])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['appended', 'duplicate', 'conflict'])
    expect(reached).toHaveLength(2)
  })

  test('refuses more than may wait, and takes appends again later', async () => {
    const wanted = QUEUED_APPENDS_MAX + 10
    const appends = Array.from({ length: wanted }, (_, at) => store.append(appendTo(`a-${at}`)))
    const settled = await Promise.allSettled(appends)
    const refused = settled.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(10)
    for (const { reason } of refused as PromiseRejectedResult[]) {
      expect(reason).toBeInstanceOf(StoreBusyError)
    }
    expect(await readWholeLog(store)).toHaveLength(QUEUED_APPENDS_MAX)
    expect((await store.append(appendTo('later'))).kind).toBe('appended')
  })

  test('remembers a bounded number of heads, and looks up the others', async () => {
    const head = await fillStream(store, 'account-1', 3)
    await store.close()
    open()
    const { kind } = await store.append({ ...appendTo('account-1'), expected: head })
    expect(kind).toBe('appended')
  })
})

describe('an event id', () => {
  test('is unique in the whole log; the other appends of the transaction are written', async () => {
    const [event] = newEvents(1) as [ReturnType<typeof newEvent>]
    const { head } = await mustAppend(store, 'account-1', NO_STREAM, [event])
    const [before, taken, atHead, after] = await Promise.allSettled([
      store.append(appendTo('account-2')),
      store.append(appendTo('account-3', [...newEvents(2), event])),
      store.append({ stream: 'account-1', expected: head, events: [event] }),
      store.append(appendTo('account-4')),
    ])
    for (const refused of [taken, atHead]) {
      expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(EventIdTakenError) })
    }
    for (const written of [before, after]) {
      expect(written).toMatchObject({ value: { kind: 'appended' } })
    }
    const streams = (await readWholeLog(store)).map(({ stream }) => stream)
    expect(streams).toEqual(['account-1', 'account-2', 'account-4'])
    expect(fatal).toEqual([])
  })
})

describe('a full disk', () => {
  test('refuses appends, loses none, and takes them again when there is room', async () => {
    const head = await fillStream(store, 'account-1', 50)
    const pages = Number(file.database.prepare('PRAGMA page_count').get()?.page_count)
    file.database.exec(`PRAGMA max_page_count = ${pages}`)
    const large = Array.from({ length: 20 }, () => newEvent(JSON.stringify('x'.repeat(9_000))))
    const request = { stream: 'account-1', expected: head, events: large }
    const appends = [store.append(appendTo('account-2')), store.append(request)]
    for (const { status, ...rest } of await Promise.allSettled(appends)) {
      expect(status).toBe('rejected')
      expect(rest).toMatchObject({ reason: expect.any(StoreFullError) })
    }
    expect(await readWholeLog(store)).toHaveLength(50)
    expect(fatal).toEqual([])

    file.database.exec('PRAGMA max_page_count = 1000000')
    expect((await store.append(request)).kind).toBe('appended')
    expect(await readWholeStream(store, 'account-1')).toHaveLength(70)
  })
})

describe('a commit that fails', () => {
  test('leaves the outcome unknown for all of the transaction, and the store refuses work', async () => {
    await fillStream(store, 'account-1', 3)
    const defect = new Error('the disk is on fire')
    atCrashPoint = () => {
      throw defect
    }
    const unknown = { kind: 'unknown', cause: defect }
    const waiting = Array.from({ length: 300 }, (_, at) => store.append(appendTo(`b-${at}`)))
    expect(await Promise.all(waiting)).toEqual(Array(300).fill(unknown))
    expect(fatal).toEqual([defect])
    atCrashPoint = () => {}
    expect(await store.append(appendTo('later'))).toEqual(unknown)
    await expect(readWholeLog(store)).rejects.toThrow(StoreUnavailableError)
    expect(fatal).toHaveLength(1)

    await store.close()
    open()
    expect(await readWholeLog(store)).toHaveLength(3)
  })

  test('after it was durable is found to be so by the same append', async () => {
    const request = appendTo('account-1', newEvents(3))
    atCrashPoint = (point) => {
      if (point === 'store.after-commit') throw new Error('too late')
    }
    expect((await store.append(request)).kind).toBe('unknown')
    await store.close()
    open()
    expect((await store.append(request)).kind).toBe('duplicate')
  })
})

describe('the log', () => {
  test('keeps text with a raw NUL, which SQLite could end a text at', async () => {
    const event = newEvent('"a\0b"')
    await mustAppend(store, 'account-1', NO_STREAM, [event])
    expect((await readWholeStream(store, 'account-1'))[0]?.data).toBe(event.data)
  })

  test('is moved into the file when it is long', async () => {
    const logPages = (): number =>
      Number(file.database.prepare('PRAGMA wal_checkpoint(NOOP)').get()?.log)
    let longest = 0
    for (let account = 0; account < 60; account += 1) {
      await fillStream(store, `account-${account}`, 500, { batch: 500 })
      longest = Math.max(longest, logPages())
    }
    expect(longest).toBeGreaterThan(50)
    expect(longest).toBeLessThan(1_500)
    expect(await readWholeLog(store)).toHaveLength(30_000)
  })
})
