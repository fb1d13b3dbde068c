/** When views at the end of the log write what they have folded: time passes by hand. */
import type { CrashPoint } from '@svc/contracts/crash-points'
import {
  type EventStore,
  StoreUnavailableError,
  type SubscribeRequest,
} from '@svc/contracts/ports/event-store'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'
import { ManualTime } from '@svc/testing/manual-time'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { projections } from '../src/followed/followed-projections.ts'
import { openProjections } from '../src/open-projections.ts'
import { KeptLog } from '../testing/open-views.ts'

/** The timeout, in the time that passes by hand. */
const TIMEOUT_MS = 60_000
/** A batch at the end of the log waits for others for less than this. */
const READ_MS = 20
const COMMIT_MS = 100
const MANY_REQUESTS = 70

async function liveViews(
  over: (store: EventStore) => EventStore = (store) => store,
  log = new KeptLog(),
) {
  const time = new ManualTime()
  const store = new MemoryEventStore()
  const history = new AccountHistory('Ada').open()
  await history.writeTo(store)
  let commits = 0
  const views = await openProjections({
    folder: temporaryFolder(),
    store: over(store),
    timer: time,
    keepFile: durableFile,
    log,
    reach: (point: CrashPoint) => {
      if (point === 'view.after-commit') commits += 1
    },
  })
  onTestFinished(() => views.close())
  views.start()
  expect(await views.reached(await store.lastPosition(), TIMEOUT_MS)).toBe(true)
  commits = 0
  let requests = 0
  /** @returns the id of the last request */
  const write = async (count = 1): Promise<string> => {
    let id = ''
    for (let i = 0; i < count; i += 1) {
      requests += 1
      id = requestId(START_MS + requests, `${requests}`)
      history.accept(id, START_MS + requests).settle(id, START_MS + requests)
    }
    await history.writeTo(store)
    await time.advance(READ_MS)
    return id
  }
  return { time, store, views, write, commits: () => commits }
}

test('what comes within a tenth of a second is committed together, once in each view', async () => {
  const { time, store, views, write, commits } = await liveViews()
  for (let i = 0; i < 3; i += 1) await write()
  expect(commits()).toBe(0)
  await time.advance(COMMIT_MS)
  expect(commits()).toBe(projections.length)
  const head = await store.lastPosition()
  expect((await views.status()).map(({ position }) => position)).toEqual(
    projections.map(() => head),
  )
  await write()
  await time.advance(COMMIT_MS)
  expect(commits()).toBe(2 * projections.length)
})

test('whoever waits for a view has it at once, and no other view commits for that', async () => {
  const { time, store, views, write, commits } = await liveViews()
  const id = await write()
  const reached = views.reached(await store.lastPosition(), TIMEOUT_MS, 'requests')
  await time.quiet()
  expect((await views.views.request(id))?.status).toBe('finished')
  expect(await reached).toBe(true)
  expect(commits()).toBe(1)
})

test('many events are not put off', async () => {
  const { write, commits } = await liveViews()
  for (let i = 0; i < 3; i += 1) await write(MANY_REQUESTS)
  expect(commits()).toBe(projections.length)
})

test('while the store is away, all that was read before can be seen', async () => {
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => {})
  const { time, store, views, write } = await liveViews((inner) => losable(inner, lost.promise))
  const id = await write()
  lost.reject(new StoreUnavailableError('the store is away'))
  await time.quiet()
  expect(await views.reached(await store.lastPosition(), TIMEOUT_MS)).toBe(true)
  expect((await views.views.request(id))?.status).toBe('finished')
})

/** A store whose subscriptions end when it is lost. */
function losable(store: EventStore, lost: Promise<never>): EventStore {
  return {
    append: (request) => store.append(request),
    readStream: (request) => store.readStream(request),
    readAll: (request) => store.readAll(request),
    readAllBackwards: (request) => store.readAllBackwards(request),
    lastPosition: () => Promise.race([lost, store.lastPosition()]),
    subscribe: (request: SubscribeRequest) => {
      const inner = store.subscribe(request)[Symbol.asyncIterator]()
      const next = () => Promise.race([lost, inner.next()])
      return { [Symbol.asyncIterator]: () => ({ next }) }
    },
    close: () => store.close(),
  }
}
