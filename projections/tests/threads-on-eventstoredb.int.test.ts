/** Views are built in threads from an EventStoreDB, which the one client of the process reads. */
import { accountStream } from '@svc/contracts/events/account'
import { unreadableBecause } from '@svc/contracts/events/stored-event'
import {
  type EventStore,
  type RecordedEvent,
  START,
  StoreUnavailableError,
} from '@svc/contracts/ports/event-store'
import type { StreamDamage } from '@svc/contracts/ports/quarantine'
import { openEventStoreDb } from '@svc/infra/event-store/eventstoredb/open-eventstoredb'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { systemTimer } from '@svc/infra/system/system-timer'
import { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { projectionsOn } from '../src/followed/followed-projections.ts'
import { openProjections } from '../src/open-projections.ts'
import { Business } from '../testing/business.ts'
import { dump, inBatchesOf, KeptLog } from '../testing/open-views.ts'
import { startedThreads } from '../testing/started-threads.ts'

const started = startedThreads()

const PREFIX = 'threads.'
const TIMEOUT_MS = 60_000
/** How many requests the log has: with their ends some 1,000 events, four pages. */
const REQUESTS = 400
const FOREIGN_EVENTS = 4_000
const PAGE_EVENTS = 250
const ALL = { after: START, limit: 10_000 }
const threads = { count: 2, longEvents: PAGE_EVENTS, environment: {} }

async function openStore({ url }: EventStoreDbDouble): Promise<EventStore> {
  const logger = { warn: () => {} }
  const store = await openEventStoreDb({ url, streamPrefix: PREFIX, logger })
  onTestFinished(() => store.close())
  return store
}

/** A server on which others have written before our events, and behind them. */
async function sharedLog() {
  const double = await EventStoreDbDouble.start()
  onTestFinished(() => double.close())
  const store = await openStore(double)
  double.writeForeignEvents('others', FOREIGN_EVENTS)
  const business = new Business(store)
  await business.goOn(REQUESTS)
  double.writeForeignEvents('others', FOREIGN_EVENTS)
  return { double, store, business, events: await store.readAll(ALL) }
}

interface Opened {
  readonly folder?: string
  readonly isInThreads?: boolean
}

async function open(
  store: EventStore,
  { folder = temporaryFolder(), isInThreads = true }: Opened = {},
) {
  const found: StreamDamage[] = []
  const log = new KeptLog()
  const views = await openProjections({
    folder,
    store,
    timer: systemTimer,
    keepFile: durableFile,
    log,
    ...(isInThreads && { threads }),
    inspect: async (stream) => {
      const bad = (await store.readAll(ALL)).find(
        (event) => event.stream === stream && unreadableBecause(event) !== undefined,
      )
      return bad && { stream, revision: bad.revision, cause: 'damaged' }
    },
    quarantine: {
      note: (damage) => {
        if (!found.some(({ stream }) => stream === damage.stream)) found.push(damage)
      },
    },
  })
  onTestFinished(() => views.close())
  views.start()
  return { views, found, log, folder }
}

async function complete(store: EventStore, opened: Opened = {}) {
  const parts = await open(store, opened)
  expect(await parts.views.reached(await store.lastPosition(), TIMEOUT_MS)).toBe(true)
  return parts
}

/** Builds the views without any thread, and closes them. */
async function builtHere(store: EventStore) {
  const { views, found, folder } = await complete(store, { isInThreads: false })
  await views.close()
  return { rows: dump(folder), found }
}

/** Its pages behind an event wait until they are let through. */
function heldBehind({ position }: RecordedEvent, store: EventStore) {
  const { promise: passed, resolve: pass } = Promise.withResolvers<void>()
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  const paged = inBatchesOf(PAGE_EVENTS, store)
  const readAll: EventStore['readAll'] = async (request) => {
    if (request.after >= position) {
      hold()
      await passed
    }
    return paged.readAll(request)
  }
  return { store: { ...paged, readAll }, held, pass }
}

test('a first build makes the rows that are made without threads, its index of ids among them', async () => {
  const { store, business, events } = await sharedLog()
  const { views, folder } = await complete(store)
  expect(started).toHaveLength(threads.count)
  expect((await views.status()).map(({ name, state }) => [name, state])).toEqual(
    projectionsOn(store).map(({ name }) => [name, 'live']),
  )
  for (const event of [events[0], events.at(-1)]) {
    expect(await views.views.eventOf(event?.id ?? '')).toEqual(event)
  }
  await business.goOn(20)
  expect(await views.reached(await store.lastPosition(), TIMEOUT_MS)).toBe(true)
  await views.close()
  expect(dump(folder)).toBe((await builtHere(store)).rows)
})

test('a rebuild and a comparison tell of the events of others that are passed over', async () => {
  const { double, store } = await sharedLog()
  const { views, folder } = await complete(store)
  await views.close()
  for (const work of ['rebuild', 'compare'] as const) {
    // This store has not read the log yet, and knows of no stretch without events of ours.
    const again = await complete(await openStore(double), { folder })
    started.length = 0
    let passedOver = 0
    const onProgress = (progress: { readonly passedOver: number }): void => {
      passedOver = Math.max(passedOver, progress.passedOver)
    }
    if (work === 'rebuild') await again.views.rebuild('usage', onProgress)
    else await again.views.compare(onProgress)
    expect(started.length).toBeGreaterThan(0)
    expect(passedOver).toBeGreaterThan(FOREIGN_EVENTS / 2)
    expect(passedOver).toBeLessThan(2 * FOREIGN_EVENTS + PAGE_EVENTS)
    await again.views.close()
  }
})

test('streams with events of others are left out and named as they are without threads', async () => {
  const { double, store, business } = await sharedLog()
  const streams = business.accounts.map(({ accountId }) => accountStream(accountId))
  const [one = '', other = ''] = streams.toSorted()
  double.writeForeign(PREFIX + one, { type: 'CreditConjured', data: '{}' })
  double.writeForeign(PREFIX + other, { type: 'CreditExpired', data: 'garbage' })
  const { views, found, folder } = await complete(store)
  expect(started).toHaveLength(threads.count)
  const named = { revision: expect.any(Number), cause: expect.any(String) }
  expect(found).toEqual([one, other].map((stream) => ({ stream, ...named })))
  await views.rebuild('statement', () => {})
  for (const stream of [one, other]) expect(views.wrongAbout(stream)).toContain('statement')
  await views.close()
  const here = await builtHere(store)
  expect(found).toEqual(here.found)
  expect(dump(folder)).toBe(here.rows)
})

test('a server that dies in the midst of a build is waited for by the same threads', async () => {
  const { double, store, events } = await sharedLog()
  const shared = heldBehind(events[PAGE_EVENTS] as RecordedEvent, store)
  const { views, log, folder } = await open(shared.store)
  await shared.held
  await double.kill()
  shared.pass()
  await expect.poll(() => log.lines.join('\n')).toContain('retrying: ')
  await double.restart()
  expect(await views.reached(events.at(-1)?.position ?? START, TIMEOUT_MS)).toBe(true)
  expect(started).toHaveLength(threads.count)
  await views.close()
  expect(dump(folder)).toBe((await builtHere(store)).rows)
})

test('a rebuild on a server that died ends as one on a store that is away', async () => {
  const { double, store, events } = await sharedLog()
  const { views, folder } = await complete(store)
  await views.close()
  const shared = heldBehind(events[PAGE_EVENTS] as RecordedEvent, store)
  const again = await open(shared.store, { folder })
  const rebuilt = again.views.rebuild('usage', () => {})
  rebuilt.catch(() => {})
  await shared.held
  await double.kill()
  shared.pass()
  await expect(rebuilt).rejects.toThrow(StoreUnavailableError)
  await double.restart()
  const settled = () => again.views.rebuild('usage', () => {}).catch(String)
  await expect.poll(settled).toMatchObject({ differences: 0 })
})
