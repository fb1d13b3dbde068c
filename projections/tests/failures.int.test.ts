/** What happens to the views when the log, their files or the process let them down. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import type { CrashPoint } from '@svc/contracts/crash-points'
import { type ReadAllRequest, type RecordedEvent, START } from '@svc/contracts/ports/event-store'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { systemTimer } from '@svc/infra/system/system-timer'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { describe, expect, onTestFinished, test } from 'vitest'
import { projections } from '../src/followed/followed-projections.ts'
import { openProjections } from '../src/open-projections.ts'
import { viewPath } from '../src/runner/file/view-file.ts'
import { accountsProjection } from '../src/views/accounts/accounts.ts'
import { dump, KeptLog, TIMEOUT_MS, viewsOf } from '../testing/open-views.ts'

const id = requestId(START_MS, 'first')

async function someHistory(store = new MemoryEventStore(), name = 'Ada') {
  const history = new AccountHistory(name).open().accept(id, START_MS).settle(id, START_MS)
  await history.writeTo(store)
  return { store, history }
}

/** A log whose first event stands behind those of others, which are passed over in two steps. */
class SharedLog extends MemoryEventStore {
  override readAll(request: ReadAllRequest): Promise<readonly RecordedEvent[]> {
    if (request.after === START) for (const events of [1_000, 2_000]) request.onPassedOver?.(events)
    return super.readAll(request)
  }
}

const accountsFile = (folder: string) => viewPath(folder, accountsProjection)

function alter(folder: string, sql: string): void {
  const database = new DatabaseSync(accountsFile(folder))
  database.exec(sql)
  database.close()
}

describe('an event that cannot be followed', () => {
  test('that one view cannot fold stops that one only', async () => {
    const { store, history } = await someHistory()
    const unknown = requestId(START_MS, 'never accepted')
    await history.settle(unknown, START_MS).writeTo(store)
    const views = await viewsOf(store)
    const states = new Map((await views.status()).map((line) => [line.name, line]))
    expect(states.get('accounts')?.state).toBe('live')
    expect(states.get('statement')?.error).toContain(`${unknown} was debited but never accepted`)
    expect(states.get('requests')?.state).toBe('failed')
    expect(await views.reached(await store.lastPosition(), TIMEOUT_MS, 'accounts')).toBe(true)
  })
})

describe('a disk that is full', () => {
  test('at a single commit holds a view up for a moment', async () => {
    const { store } = await someHistory()
    const folder = temporaryFolder()
    let commits = 0
    const reach = (point: CrashPoint) => {
      if (point !== 'view.before-commit') return
      commits += 1
      if (commits === 1) throw diskFull()
    }
    const views = await openProjections({
      folder,
      store,
      timer: systemTimer,
      keepFile: durableFile,
      log: new KeptLog(),
      reach,
    })
    onTestFinished(() => views.close())
    views.start()
    expect(await views.reached(await store.lastPosition(), TIMEOUT_MS)).toBe(true)
    expect((await views.status()).map(({ state }) => state)).toEqual(projections.map(() => 'live'))
  })

  test('holds the views up, and when there is room again they go on and miss nothing', async () => {
    const { store, history } = await someHistory()
    const folder = temporaryFolder()
    const log = new KeptLog()
    let full = false
    const views = await openProjections({
      folder,
      store,
      timer: systemTimer,
      keepFile: durableFile,
      log,
      reach(point) {
        if (full && point === 'view.before-commit') throw diskFull()
      },
    })
    onTestFinished(() => views.close())
    views.start()
    await views.reached(await store.lastPosition(), TIMEOUT_MS)

    full = true
    const late = requestId(START_MS + 1, 'while the disk is full')
    await history
      .accept(late, START_MS + 1)
      .settle(late, START_MS + 2)
      .writeTo(store)
    const errors = async () => (await views.status()).map(({ error }) => error)
    await expect.poll(errors).toEqual(projections.map(() => 'database or disk is full'))
    expect((await views.status()).map(({ state }) => state)).not.toContain('failed')
    expect(log.lines).toHaveLength(1)

    full = false
    expect(await views.reached(await store.lastPosition(), TIMEOUT_MS)).toBe(true)
    expect((await views.views.request(late))?.status).toBe('finished')
    await views.close()
    const fresh = temporaryFolder()
    await (await viewsOf(store, fresh)).close()
    expect(dump(folder)).toBe(dump(fresh))
  })

  test('does not keep the views from closing: the log has what they could not write', async () => {
    const { store } = await someHistory()
    const folder = temporaryFolder()
    const reach = (point: CrashPoint) => {
      if (point === 'view.before-commit') throw diskFull()
    }
    const views = await openProjections({
      folder,
      store,
      timer: systemTimer,
      keepFile: durableFile,
      log: new KeptLog(),
      reach,
    })
    views.start()
    await views.reached(await store.lastPosition(), 50)
    await views.close()
    const again = await viewsOf(store, folder)
    expect((await again.views.request(id))?.status).toBe('finished')
  })
})

/** Makes the error that SQLite throws. */
function diskFull(): Error {
  return Object.assign(new Error('database or disk is full'), { errcode: 13 })
}

describe('a file that cannot be trusted', () => {
  test('a damaged one is rebuilt, with a warning', async () => {
    const { store } = await someHistory()
    const folder = temporaryFolder()
    await (await viewsOf(store, folder)).close()
    const expected = dump(folder)
    writeFileSync(accountsFile(folder), 'this is no database'.repeat(500))
    const log = new KeptLog()
    await (await viewsOf(store, folder, log)).close()
    expect(log.lines.join()).toContain('is damaged')
    expect(dump(folder)).toBe(expected)
  })

  test('one that is ahead of the log is rebuilt, with a warning', async () => {
    const { store, history } = await someHistory()
    await history.accept(requestId(START_MS, 'more'), START_MS).writeTo(store)
    const folder = temporaryFolder()
    await (await viewsOf(store, folder)).close()
    const restored = (await someHistory()).store
    const log = new KeptLog()
    const views = await viewsOf(restored, folder, log)
    expect(await views.reached(await restored.lastPosition(), TIMEOUT_MS)).toBe(true)
    expect(log.lines.join()).toContain('lies beyond the end of the event log')
    expect(views.views.runningRequests({ limit: 10 }).rows).toEqual([])
  })

  test('one of another log of the same length is rebuilt', async () => {
    const folder = temporaryFolder()
    await (await viewsOf((await someHistory()).store, folder)).close()
    const other = await someHistory(new MemoryEventStore(), 'Grace')
    const log = new KeptLog()
    const views = await viewsOf(other.store, folder, log)
    await views.reached(await other.store.lastPosition(), TIMEOUT_MS)
    expect(log.lines.join()).toContain('another event')
    expect(views.views.accounts({ limit: 9 }).map(({ accountId }) => accountId)).toEqual([
      other.history.accountId,
    ])
  })
})

describe('a rebuild', () => {
  test('counts the rows that were wrong, and puts them right', async () => {
    const { store, history } = await someHistory()
    const folder = temporaryFolder()
    await (await viewsOf(store, folder)).close()
    const expected = dump(folder)
    alter(
      folder,
      `UPDATE accounts SET settled = '1'; INSERT INTO holds VALUES ('req_x', 'acct_x', '5', 0, 0)`,
    )
    const views = await viewsOf(store, folder)
    expect(views.views.account(history.accountId)?.settled).toBe(1n)
    const progress: number[] = []
    const summary = await views.rebuild('accounts', ({ done }) => progress.push(done))
    expect(summary).toEqual({ name: 'accounts', events: 6, differences: 2 })
    expect(progress.at(-1)).toBe(6)
    expect(views.views.account(history.accountId)?.settled).toBe(history.balance)
    expect(dump(folder)).toBe(expected)
    expect(existsSync(`${accountsFile(folder)}.rebuild`)).toBe(false)
    expect(existsSync(`${accountsFile(folder)}.replaced`)).toBe(false)
  })

  test('tells of the events of others that are passed over on the way', async () => {
    const { store } = await someHistory(new SharedLog())
    const views = await viewsOf(store)
    const progress: (readonly number[])[] = []
    await views.rebuild('accounts', ({ done, passedOver }) => progress.push([done, passedOver]))
    expect(progress).toEqual([
      [0, 1_000],
      [0, 3_000],
      [6, 3_000],
    ])
  })

  test('goes on while events come, and loses none', async () => {
    const { store, history } = await someHistory()
    const views = await viewsOf(store)
    const running = views.rebuild('requests', () => {})
    const more = requestId(START_MS + 1, 'meanwhile')
    await history.accept(more, START_MS + 1).writeTo(store)
    expect((await running).differences).toBe(0)
    await history.settle(more, START_MS + 2).writeTo(store)
    expect(await views.reached(await store.lastPosition(), TIMEOUT_MS)).toBe(true)
    expect((await views.views.request(more))?.status).toBe('finished')
  })

  test('that is cancelled leaves the live view as it was', async () => {
    const { store, history } = await someHistory()
    const folder = temporaryFolder()
    const views = await viewsOf(store, folder)
    const before = dump(folder)
    const cancel = new AbortController()
    const running = views.rebuild('accounts', () => cancel.abort(), cancel.signal)
    await expect(running).rejects.toThrow(/abort/i)
    expect(dump(folder)).toBe(before)
    expect(views.views.account(history.accountId)?.settled).toBe(history.balance)
    expect(existsSync(`${accountsFile(folder)}.rebuild`)).toBe(false)
  })

  test('of an unknown view, or of one that is being rebuilt, is refused', async () => {
    const { store } = await someHistory()
    const views = await viewsOf(store)
    await expect(views.rebuild('nothing', () => {})).rejects.toMatchObject({ code: 'not_found' })
    const running = views.rebuild('accounts', () => {})
    await expect(views.rebuild('accounts', () => {})).rejects.toMatchObject({ code: 'conflict' })
    await running
  })

  test('left half-done by a crash is swept away at the next start', async () => {
    const { store } = await someHistory()
    const folder = temporaryFolder()
    const half = `${accountsFile(folder)}.rebuild`
    const replaced = `${accountsFile(folder)}.replaced`
    const old = join(folder, 'accounts-v0.db')
    const replay = join(folder, 'replay-1-accounts.db')
    const left = [half, `${half}-wal`, replaced, old, replay]
    for (const file of left) writeFileSync(file, 'half')
    await viewsOf(store, folder)
    expect(left.filter((file) => existsSync(file))).toEqual([])
  })
})

test.each(projections.map((_, i) => i + 1))(
  'a process killed before its commit number %i goes on where it was',
  async (commits) => {
    const folder = temporaryFolder()
    const log = join(folder, 'ledger.db')
    const store = openSqliteEventStore(log, { onFatal: () => {} })
    const history = new AccountHistory('Ada').open()
    for (let i = 0; i < 50; i += 1) {
      const request = requestId(START_MS + i, `${i}`)
      history.accept(request, START_MS + i).settle(request, START_MS + i)
    }
    await history.writeTo(store)
    await store.close()

    const child = fileURLToPath(new URL('../testing/killed-views.ts', import.meta.url))
    const killed = spawn(process.execPath, [child, folder, `${commits}`], { stdio: 'inherit' })
    const [, signal] = (await once(killed, 'exit')) as [number | null, string | null]
    expect(signal).toBe('SIGKILL')

    const again = openSqliteEventStore(log, { onFatal: () => {} })
    await (await viewsOf(again, join(folder, 'views'))).close()
    const fresh = temporaryFolder()
    await (await viewsOf(again, fresh)).close()
    await again.close()
    expect(dump(join(folder, 'views'))).toBe(dump(fresh))
  },
)
