/** Views of a long log are built in threads: with the same rows, and whatever happens to those. */
import { readdirSync, rmSync } from 'node:fs'
import { accountStream } from '@svc/contracts/events/account'
import type { ReadAllRequest, RecordedEvent } from '@svc/contracts/ports/event-store'
import { StoreUnavailableError } from '@svc/contracts/ports/event-store'
import type { Timer } from '@svc/contracts/ports/time'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { systemTimer } from '@svc/infra/system/system-timer'
import { requestId, START_MS } from '@svc/testing/account-history'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { describe, expect, onTestFinished, test } from 'vitest'
import { projections } from '../src/followed/followed-projections.ts'
import { openProjections, type Projections } from '../src/open-projections.ts'
import { Business } from '../testing/business.ts'
import { dump, KeptLog } from '../testing/open-views.ts'
import { startedThreads } from '../testing/started-threads.ts'

const started = startedThreads()

const TIMEOUT_MS = 60_000
/** How many requests the log has: with their ends some 3,600 events, fifteen pages. */
const REQUESTS = 1_200
const threads = { count: 2, longEvents: 250, environment: {} }

/** Its pages behind a position wait, or fail, for as long as it is told. */
class HeldLog extends MemoryEventStore {
  from = Number.POSITIVE_INFINITY
  until: Promise<unknown> = Promise.resolve()
  isAway = false

  override async readAll(request: ReadAllRequest): Promise<readonly RecordedEvent[]> {
    if (request.after >= this.from) {
      if (this.isAway) throw new StoreUnavailableError('away')
      await this.until
    }
    return super.readAll(request)
  }
}

interface Opened {
  readonly folder?: string
  readonly log?: KeptLog
  readonly damaged?: string
  readonly isInThreads?: boolean
}

async function open(
  store: MemoryEventStore,
  { folder = temporaryFolder(), log = new KeptLog(), damaged, isInThreads = true }: Opened = {},
): Promise<Projections> {
  const views = await openProjections({
    folder,
    store,
    timer: systemTimer,
    keepFile: durableFile,
    log,
    ...(isInThreads && { threads }),
    inspect: async (stream) =>
      stream === damaged ? { stream, revision: 0, cause: 'altered' } : undefined,
  })
  onTestFinished(() => views.close())
  views.start()
  return views
}

async function complete(store: MemoryEventStore, opened: Opened = {}): Promise<Projections> {
  const views = await open(store, opened)
  await views.reached(await store.lastPosition(), TIMEOUT_MS)
  return views
}

async function longLog<Store extends MemoryEventStore>(store: Store): Promise<Business<Store>> {
  const business = new Business(store)
  await business.goOn(REQUESTS)
  return business
}

/** The rows that are folded without any thread. */
async function rowsHere(store: MemoryEventStore, damaged?: string): Promise<string> {
  const folder = temporaryFolder()
  const views = await complete(store, { folder, isInThreads: false, ...(damaged && { damaged }) })
  await views.close()
  return dump(folder)
}

const fewestEvents = async (views: Projections) =>
  Math.min(...(await views.status()).map(({ events }) => events))

describe('a first build', () => {
  test('makes the rows that are made without threads, and then follows the log', async () => {
    const business = await longLog(new MemoryEventStore())
    const folder = temporaryFolder()
    const views = await complete(business.store, { folder })
    expect(started).toHaveLength(threads.count)
    await business.goOn(50)
    expect(await views.reached(await business.store.lastPosition(), TIMEOUT_MS)).toBe(true)
    expect((await views.status()).map(({ state }) => state)).toEqual(projections.map(() => 'live'))
    await views.close()
    expect(dump(folder)).toBe(await rowsHere(business.store))
  })

  test('of one view that is new leaves the others where they are', async () => {
    const { store } = await longLog(new HeldLog())
    const folder = temporaryFolder()
    await (await complete(store, { folder })).close()
    for (const name of readdirSync(folder).filter((each) => each.startsWith('usage-'))) {
      rmSync(`${folder}/${name}`)
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    Object.assign(store, { from: 1_000, until: promise })
    const views = await open(store, { folder })
    const head = await store.lastPosition()
    expect(await views.reached(head, TIMEOUT_MS, 'accounts')).toBe(true)
    expect(await views.reached(head, 50, 'usage')).toBe(false)
    resolve()
    expect(await views.reached(head, TIMEOUT_MS)).toBe(true)
    await views.close()
    expect(dump(folder)).toBe(await rowsHere(store))
  })

  test('tells how far it is, while nobody is told of rows that are not there yet', async () => {
    const { store } = await longLog(new HeldLog())
    const { promise, resolve } = Promise.withResolvers<void>()
    Object.assign(store, { from: 2_000, until: promise })
    const views = await open(store)
    await expect.poll(() => fewestEvents(views)).toBeGreaterThan(1_000)
    const status = await views.status()
    expect(status.map(({ state }) => state)).toEqual(projections.map(() => 'catching-up'))
    expect(status.every(({ position, head }) => position > 0n && position < head)).toBe(true)
    expect(views.checkpoints()).toEqual([])
    expect(await views.reached(500n, 0)).toBe(false)
    resolve()
    expect(await views.reached(await store.lastPosition(), TIMEOUT_MS)).toBe(true)
  })

  test('is at the end of the log for whoever asks only when its rows are there', async () => {
    const { store } = await longLog(new HeldLog())
    const head = await store.lastPosition()
    const { promise: folded, resolve: tellFolded } = Promise.withResolvers<void>()
    const { promise: passed, resolve: pass } = Promise.withResolvers<void>()
    const [read, end] = [store.readAll.bind(store), store.lastPosition.bind(store)]
    let isRead = false
    store.readAll = async (request) => {
      const page = await read(request)
      isRead ||= page.at(-1)?.position === head
      return page
    }
    // The end of the log is asked for once more when all is folded.
    store.lastPosition = async () => {
      if (isRead) {
        tellFolded()
        await passed
      }
      return end()
    }
    const views = await open(store)
    await folded
    expect(views.lastStatus().every(({ position }) => position < head)).toBe(true)
    expect(await views.reached(head, 0)).toBe(false)
    pass()
    expect(await views.reached(head, TIMEOUT_MS)).toBe(true)
    expect(views.lastStatus().map(({ position }) => position)).toEqual(projections.map(() => head))
  })

  test('waits for a store that is away, and says so once', async () => {
    const { store } = await longLog(new HeldLog())
    const expected = await rowsHere(store)
    Object.assign(store, { from: 2_000, isAway: true })
    const [folder, log] = [temporaryFolder(), new KeptLog()]
    const views = await open(store, { folder, log })
    await expect
      .poll(async () => (await views.status()).map(({ error }) => error))
      .toEqual(projections.map(() => 'away'))
    store.isAway = false
    expect(await views.reached(await store.lastPosition(), TIMEOUT_MS)).toBe(true)
    expect((await views.status()).map(({ error }) => error)).toEqual(projections.map(() => null))
    expect(log.lines.filter((line) => line.includes('retrying: away'))).toHaveLength(1)
    // Nothing is begun again: the threads have waited, and none has died of a page that failed.
    expect(started).toHaveLength(threads.count)
    expect(log.lines.join('\n')).not.toContain('has ended')
    await views.close()
    expect(dump(folder)).toBe(expected)
  })

  test('is begun again when a thread dies, and told', async () => {
    const { store } = await longLog(new HeldLog())
    const { promise, resolve } = Promise.withResolvers<void>()
    Object.assign(store, { from: 2_000, until: promise })
    const [folder, log] = [temporaryFolder(), new KeptLog()]
    const views = await open(store, { folder, log })
    await expect.poll(() => fewestEvents(views)).toBeGreaterThan(1_000)
    await started[0]?.terminate()
    resolve()
    expect(await views.reached(await store.lastPosition(), TIMEOUT_MS)).toBe(true)
    expect(log.lines.join('\n')).toMatch(/building again: .*: a thread that builds views has ended/)
    expect(started).toHaveLength(2 * threads.count)
    await views.close()
    expect(dump(folder)).toBe(await rowsHere(store))
  })

  test('goes on without threads when they die again and again', async () => {
    const { store } = await longLog(new MemoryEventStore())
    const [folder, log] = [temporaryFolder(), new KeptLog()]
    const killer = setInterval(() => {
      for (const worker of started.splice(0)) void worker.terminate()
    }, 1)
    onTestFinished(() => clearInterval(killer))
    await (await complete(store, { folder, log })).close()
    expect(log.lines.at(-1)).toContain('building without threads')
    expect(log.lines.filter((line) => line.includes('has ended'))).toHaveLength(3)
    expect(dump(folder)).toBe(await rowsHere(store))
  })

  test('that is stopped in its midst is begun again by the next start', async () => {
    const { store } = await longLog(new HeldLog())
    Object.assign(store, { from: 2_000, until: new Promise(() => {}) })
    const folder = temporaryFolder()
    const views = await open(store, { folder })
    await expect.poll(() => fewestEvents(views)).toBeGreaterThan(1_000)
    await views.close()
    expect(started.map(({ threadId }) => threadId)).toEqual([-1, -1])
    expect(readdirSync(folder).filter((name) => name.includes('.rebuild'))).toEqual([])
    store.from = Number.POSITIVE_INFINITY
    await (await complete(store, { folder })).close()
    expect(dump(folder)).toBe(await rowsHere(store))
  })

  test('leaves out a damaged stream as it is left out without threads', async () => {
    const { store, accounts } = await longLog(new MemoryEventStore())
    const [altered] = accounts as [(typeof accounts)[number]]
    const damaged = accountStream(altered.accountId)
    await altered.settle(requestId(START_MS, 'never accepted'), START_MS).writeTo(store)
    await new Business(store).goOn(0)
    const folder = temporaryFolder()
    const views = await complete(store, { folder, damaged })
    expect(views.wrongAbout(damaged)).toContain('statement')
    await views.close()
    expect(dump(folder)).toBe(await rowsHere(store, damaged))
  })

  test('stops the one view that cannot fold an event, and no other', async () => {
    const { store, accounts } = await longLog(new MemoryEventStore())
    const unknown = requestId(START_MS, 'never accepted')
    await accounts[0]?.settle(unknown, START_MS).writeTo(store)
    const [folder, log] = [temporaryFolder(), new KeptLog()]
    const views = await complete(store, { folder, log })
    await expect
      .poll(async () => (await views.status()).map(({ state }) => state))
      .not.toContain('catching-up')
    const states = new Map((await views.status()).map((line) => [line.name, line]))
    expect(states.get('accounts')?.state).toBe('live')
    expect(states.get('statement')?.error).toContain(`${unknown} was debited but never accepted`)
    expect(states.get('requests')?.state).toBe('failed')
    expect(log.lines.join('\n')).toMatch(/view stopped before an event .*: statement: /)
    await views.close()
    expect(dump(folder)).toBe(await rowsHere(store))
  })
})

describe('beside the live views', () => {
  test('each is rebuilt, compared and swapped', async () => {
    const { store } = await longLog(new MemoryEventStore())
    const folder = temporaryFolder()
    const views = await complete(store, { folder })
    const expected = await rowsHere(store)
    for (const { name } of projections) {
      started.length = 0
      const progress: number[] = []
      const { events, differences } = await views.rebuild(name, ({ done }) => progress.push(done))
      expect(differences).toBe(0)
      expect(progress.at(-1)).toBe(events)
      expect(started).toHaveLength(1)
    }
    await views.close()
    expect(dump(folder)).toBe(expected)
  })

  test('all are compared, and every event is given once to who reads along', async () => {
    const { store } = await longLog(new MemoryEventStore())
    const views = await complete(store)
    const given: bigint[] = []
    const compared = await views.compare(
      () => {},
      undefined,
      async ({ recorded }) => {
        given.push(...recorded.map(({ position }) => position))
      },
    )
    expect(compared.map(({ differences }) => differences.count)).toEqual(projections.map(() => 0))
    const all = await store.readAll({ after: -1n, limit: 10_000 })
    expect(given).toEqual(all.map(({ position }) => position))
  })

  test('on a store that is away they end with its own error, and change nothing', async () => {
    const { store } = await longLog(new HeldLog())
    const folder = temporaryFolder()
    const views = await complete(store, { folder })
    const before = dump(folder)
    Object.assign(store, { from: 2_000, isAway: true })
    await expect(views.rebuild('usage', () => {})).rejects.toThrow(StoreUnavailableError)
    await expect(views.compare(() => {})).rejects.toThrow(StoreUnavailableError)
    const readAlong = views.compare(
      () => {},
      undefined,
      async () => {},
    )
    await expect(readAlong).rejects.toThrow(StoreUnavailableError)
    expect(dump(folder)).toBe(before)
    store.isAway = false
    expect(await views.rebuild('usage', () => {})).toMatchObject({ differences: 0 })
  })

  test('a thread that cannot be started leaves neither another nor a timer behind', async () => {
    const store = new MemoryEventStore()
    await longLog(store)
    const running = new Set<number>()
    let starts = 0
    const timer: Timer = {
      after(delayMs, call) {
        const id = Math.random()
        running.add(id)
        const cancel = systemTimer.after(delayMs, () => {
          running.delete(id)
          call()
        })
        return () => {
          running.delete(id)
          cancel()
        }
      },
    }
    const refusing = {
      count: 2,
      longEvents: 250,
      get environment(): NodeJS.ProcessEnv {
        starts += 1
        if (starts === 2) throw new Error('no more threads')
        return {}
      },
    }
    const ports = { store, timer, keepFile: durableFile, log: new KeptLog() }
    const folder = temporaryFolder()
    await (await complete(store, { folder })).close()
    started.length = 0
    const views = await openProjections({ ...ports, folder, threads: refusing })
    onTestFinished(() => views.close())

    await expect(views.compare(() => {})).rejects.toThrow('no more threads')
    expect(started.map(({ threadId }) => threadId)).toEqual([-1])
    expect(running.size).toBe(0)
  })

  test('a rebuild that is cancelled ends its thread and changes nothing', async () => {
    const { store } = await longLog(new MemoryEventStore())
    const folder = temporaryFolder()
    const views = await complete(store, { folder })
    const before = dump(folder)
    started.length = 0
    const cancel = new AbortController()
    const running = views.rebuild('usage', () => cancel.abort(), cancel.signal)
    await expect(running).rejects.toThrow(/abort/i)
    expect(started.map(({ threadId }) => threadId)).toEqual([-1])
    expect(dump(folder)).toBe(before)
    expect(readdirSync(folder).filter((name) => name.includes('.rebuild'))).toEqual([])
  })

  test('a rebuild whose thread dies is begun again, and told', async () => {
    const { store } = await longLog(new MemoryEventStore())
    const log = new KeptLog()
    const views = await complete(store, { log })
    started.length = 0
    const running = views.rebuild('usage', () => {
      if (started.length === 1) void started[0]?.terminate()
    })
    expect(await running).toMatchObject({ differences: 0 })
    expect(started).toHaveLength(2)
    expect(log.lines.at(-1)).toContain('building again')
  })
})
