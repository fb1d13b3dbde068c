/**
 * Views that are built from a long log write and commit in parts. While customers are served the
 * parts are a quarter as long: so here a few thousand events are a long log.
 */
import { accountStream } from '@svc/contracts/events/account'
import type { Pace } from '@svc/contracts/ports/pace'
import type { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { systemTimer } from '@svc/infra/system/system-timer'
import { requestId, START_MS } from '@svc/testing/account-history'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { projections } from '../src/followed/followed-projections.ts'
import { openProjections, type Projections } from '../src/open-projections.ts'
import { everyTurn } from '../src/runner/every-turn.ts'
import { Business } from '../testing/business.ts'
import { dump, KeptLog } from '../testing/open-views.ts'

const TIMEOUT_MS = 60_000
/**
 * How many requests the log has: with their ends 6,000 events, more than one commit of a build that
 * shares the loop.
 */
const REQUESTS = 2_000
const sharing: Pace = { isShared: true, step: everyTurn.step }

async function viewsOn(
  store: MemoryEventStore,
  folder: string,
  pace: Pace,
  damaged?: string,
): Promise<Projections> {
  const views = await openProjections({
    folder,
    store,
    pace,
    timer: systemTimer,
    keepFile: durableFile,
    log: new KeptLog(),
    inspect: async (stream) =>
      stream === damaged ? { stream, revision: 0, cause: 'altered' } : undefined,
  })
  onTestFinished(() => views.close())
  views.start()
  expect(await views.reached(await store.lastPosition(), TIMEOUT_MS)).toBe(true)
  return views
}

test('rows that were built in parts are those of views that followed the log', async () => {
  const business = new Business()
  await business.goOn(1)
  const [followed, built] = [temporaryFolder(), temporaryFolder()]
  const live = await viewsOn(business.store, followed, everyTurn)
  await business.goOn(REQUESTS)
  expect(await live.reached(await business.store.lastPosition(), TIMEOUT_MS)).toBe(true)
  const anew = await viewsOn(business.store, built, sharing)
  const expected = dump(followed)
  expect(dump(built)).toBe(expected)
  for (const { name } of projections) {
    expect(await anew.rebuild(name, () => {})).toMatchObject({ differences: 0 })
  }
  expect(dump(built)).toBe(expected)
})

test('an event that cannot be folded undoes no event before it, also where rows were written', async () => {
  const business = new Business()
  const [altered] = business.accounts as [Business['accounts'][number]]
  const damaged = accountStream(altered.accountId)
  await business.goOn(REQUESTS / 2)
  await altered.settle(requestId(START_MS, 'never accepted'), START_MS).writeTo(business.store)
  await business.goOn(REQUESTS / 2)
  const [followed, built] = [temporaryFolder(), temporaryFolder()]
  const bySingles = await viewsOn(business.store, followed, everyTurn, damaged)
  const anew = await viewsOn(business.store, built, sharing, damaged)
  expect(anew.wrongAbout(damaged)).not.toEqual([])
  expect(anew.wrongAbout(damaged)).toEqual(bySingles.wrongAbout(damaged))
  expect(dump(built)).toBe(dump(followed))
  for (const { name } of projections) await anew.rebuild(name, () => {})
  expect(dump(built)).toBe(dump(followed))
})
