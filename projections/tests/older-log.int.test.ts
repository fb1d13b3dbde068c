/** A log on a server that lacks what the views have seen: an older copy, or not all there yet. */
import type { EventStore } from '@svc/contracts/ports/event-store'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { systemTimer } from '@svc/infra/system/system-timer'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { openProjections } from '../src/open-projections.ts'
import { OlderLogError } from '../src/runner/foreign-views.ts'
import { dump, KeptLog, TIMEOUT_MS, viewsOf } from '../testing/open-views.ts'

const id = requestId(START_MS, 'first')

async function storeWith(name: string, settledAt = START_MS): Promise<MemoryEventStore> {
  const store = new MemoryEventStore()
  await new AccountHistory(name).open().accept(id, START_MS).settle(id, settledAt).writeTo(store)
  return store
}

/** Makes the same log without its last events, until it is whole. */
function shortened(store: EventStore) {
  let missing = 2
  const events = async () => (await store.readAll({ after: -1n, limit: 100 })).slice(0, -missing)
  const copy: EventStore = {
    append: (request) => store.append(request),
    async readStream(request) {
      const last = (await events()).at(-1)?.position ?? -1n
      return (await store.readStream(request)).filter(({ position }) => position <= last)
    },
    readAll: (request) => store.readAll(request),
    readAllBackwards: (request) => store.readAllBackwards(request),
    lastPosition: async () => (await events()).at(-1)?.position ?? -1n,
    subscribe: (request) => store.subscribe(request),
    close: () => store.close(),
  }
  return {
    copy,
    becomeWhole: () => {
      missing = 0
      copy.readStream = (request) => store.readStream(request)
      copy.lastPosition = () => store.lastPosition()
    },
  }
}

const refused = { olderLog: 'refuse' } as const

test('it is refused, the views stay as they are, and are right again when it is whole', async () => {
  const store = await storeWith('Ada')
  const folder = temporaryFolder()
  await (await viewsOf(store, folder)).close()
  const before = dump(folder)
  const { copy, becomeWhole } = shortened(store)
  const log = new KeptLog()
  await expect(
    openProjections({
      folder,
      store: copy,
      timer: systemTimer,
      keepFile: durableFile,
      log,
      ...refused,
    }),
  ).rejects.toThrow(OlderLogError)
  expect([dump(folder), log.lines]).toEqual([before, []])

  becomeWhole()
  const views = await openProjections({
    folder,
    store: copy,
    timer: systemTimer,
    keepFile: durableFile,
    log,
    ...refused,
  })
  onTestFinished(() => views.close())
  views.start()
  expect(await views.reached(await store.lastPosition(), TIMEOUT_MS)).toBe(true)
  expect(log.lines).toEqual([])
})

test('a log that went another way is told before anybody reads the rows of the old one', async () => {
  const folder = temporaryFolder()
  await (await viewsOf(await storeWith('Ada'), folder)).close()
  const other = await storeWith('Ada', START_MS + 1)
  const log = new KeptLog()
  const views = await openProjections({
    folder,
    store: other,
    timer: systemTimer,
    keepFile: durableFile,
    log,
    ...refused,
  })
  onTestFinished(() => views.close())
  expect(log.lines.join()).toContain('holds another event at position')
  expect(views.views.accountTotals().accounts).toBe(0)
  views.start()
  expect(await views.reached(await other.lastPosition(), TIMEOUT_MS)).toBe(true)
})
