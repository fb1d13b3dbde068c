/** An event that is none of ours, in one stream: the views of all others know nothing of it. */
import { accountStream } from '@svc/contracts/events/account'
import { unreadableBecause } from '@svc/contracts/events/stored-event'
import { type NewEvent, StoreUnavailableError } from '@svc/contracts/ports/event-store'
import type { StreamDamage } from '@svc/contracts/ports/quarantine'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { systemTimer } from '@svc/infra/system/system-timer'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { projections } from '../src/followed/followed-projections.ts'
import { openProjections, type Projections } from '../src/open-projections.ts'
import { KeptLog, TIMEOUT_MS } from '../testing/open-views.ts'

const request = (name: string) => requestId(START_MS, name)

const account = (name: string) =>
  new AccountHistory(name).open().accept(request(name), START_MS).settle(request(name), START_MS)

const raw = (type: string, data: string, metadata = '{"schemaVersion":1}'): NewEvent => ({
  id: '00000000-0000-8000-8000-000000000000',
  type,
  data,
  metadata,
})

/**
 * The texts that somebody can have written into the stream of an account, and what is said of each.
 */
const foreign = {
  'an unknown type': [raw('CreditConjured', '{}'), 'its type is unknown'],
  'a newer schema version': [
    raw('CreditGranted', '{}', '{"schemaVersion":99}'),
    'has schema version 99',
  ],
  'no JSON': [raw('CreditExpired', 'garbage'), 'its data are no JSON'],
  'JSON that is no object': [raw('CreditExpired', 'null'), 'its data are no object'],
  'no metadata of ours': [raw('CreditExpired', '{}', 'null'), 'name no schema version'],
  'an event of the price list': [raw('PriceWithdrawn', '{}'), 'do not belong into this stream'],
  'an event of a user': [raw('LinkRevoked', '{}'), 'do not belong into this stream'],
} as const satisfies Record<string, readonly [NewEvent, string]>

async function viewsOn(store: MemoryEventStore, folder: string, inspect = unreadableIn(store)) {
  const found: StreamDamage[] = []
  const log = new KeptLog()
  const views = await openProjections({
    folder,
    store,
    timer: systemTimer,
    keepFile: durableFile,
    log,
    inspect,
    quarantine: {
      note: (damage) => {
        if (!found.some(({ stream }) => stream === damage.stream)) found.push(damage)
      },
    },
  })
  onTestFinished(() => views.close())
  views.start()
  expect(await views.reached(await store.lastPosition(), TIMEOUT_MS)).toBe(true)
  expect((await views.status()).map(({ state }) => state)).toEqual(projections.map(() => 'live'))
  return { views, found, log }
}

const unreadableIn = (store: MemoryEventStore) => async (stream: string) => {
  const events = await store.readStream({ stream, direction: 'forwards', limit: 100 })
  const bad = events.find((event) => unreadableBecause(event) !== undefined)
  return bad && { stream, revision: bad.revision, cause: 'damaged' }
}

const standing = ({ views }: Projections, accountId: string) => ({
  account: views.account(accountId),
  statement: views.statement({ accountId, limit: 10 }),
  keys: views.keys(accountId),
})

test.each(Object.entries(foreign))('%s harms the views of its account only', async (_, what) => {
  const [event, why] = what
  const store = new MemoryEventStore()
  const [damaged, other, late] = [account('damaged'), account('other'), account('late')]
  await damaged.writeTo(store)
  await other.writeTo(store)
  const folder = temporaryFolder()
  const before = await viewsOn(store, folder)
  const wasDamaged = standing(before.views, damaged.accountId)
  const stream = accountStream(damaged.accountId)
  const [last] = await store.readStream({ stream, direction: 'backwards', limit: 1 })
  await damaged.addRaw(event).writeTo(store)
  await late.writeTo(store)
  expect(await before.views.reached(await store.lastPosition(), TIMEOUT_MS)).toBe(true)

  const revision = (last?.revision ?? -1) + 1
  const expected = [{ stream, revision, cause: expect.stringContaining(why) }]
  const sane = {
    other: standing(before.views, other.accountId),
    late: standing(before.views, late.accountId),
  }
  expect(sane.late.account).toMatchObject({ openRequests: 0 })
  expect(before.found).toEqual(expected)
  for (const { name } of projections) await before.views.rebuild(name, () => {})
  const compared = await before.views.compare(() => {})
  expect(compared.map(({ differences }) => differences.count)).toEqual(projections.map(() => 0))
  await before.views.close()

  const restarted = await viewsOn(store, folder)
  expect(restarted.found).toEqual(expected)
  expect(standing(restarted.views, damaged.accountId)).toEqual(wasDamaged)
  expect(standing(restarted.views, other.accountId)).toEqual(sane.other)
  expect(standing(restarted.views, late.accountId)).toEqual(sane.late)
  const anew = await viewsOn(store, temporaryFolder())
  expect(anew.found).toEqual(expected)
  expect(standing(anew.views, late.accountId)).toEqual(sane.late)
  expect(await anew.views.views.treeSize()).toBe(await restarted.views.views.treeSize())
})

test('a view waits for a store that cannot tell yet whether the stream is whole', async () => {
  const store = new MemoryEventStore()
  const [damaged, other] = [account('damaged'), account('other')]
  const { type, data } = (await lastOf(damaged, store)) as NewEvent
  await damaged.addRaw(raw(type, data)).writeTo(store)
  await other.writeTo(store)
  const log = new KeptLog()
  let asked = 0
  const views = await openProjections({
    folder: temporaryFolder(),
    store,
    timer: systemTimer,
    keepFile: durableFile,
    log,
    async inspect(stream) {
      asked += 1
      if (asked === 1) throw new StoreUnavailableError('the store is away')
      return { stream, revision: 0, cause: 'damaged' }
    },
  })
  onTestFinished(() => views.close())
  views.start()
  expect(await views.reached(await store.lastPosition(), TIMEOUT_MS)).toBe(true)
  expect(asked).toBeGreaterThan(1)
  expect((await views.status()).map(({ state }) => state)).toEqual(projections.map(() => 'live'))
  expect(log.lines).toContain('views cannot follow the event log, retrying: the store is away')
})

async function lastOf(history: AccountHistory, store: MemoryEventStore) {
  await history.writeTo(store)
  const stream = accountStream(history.accountId)
  const [last] = await store.readStream({ stream, direction: 'backwards', limit: 1 })
  return last
}

test('a view is distrusted about a stream until it is rebuilt, over a restart too', async () => {
  const store = new MemoryEventStore()
  const one = account('one')
  await one.writeTo(store)
  const stream = accountStream(one.accountId)
  const folder = temporaryFolder()
  const { views } = await viewsOn(store, folder)
  expect(views.wrongAbout(stream)).toEqual([])
  await views.distrust(stream)
  await views.distrust(stream)
  const stood = standing(views, one.accountId)
  await views.close()

  const { views: again } = await viewsOn(store, folder)
  const names = projections.map(({ name }) => name)
  expect(again.wrongAbout(stream)).toEqual(names)
  expect(again.wrongAbout('account-other')).toEqual([])
  expect(standing(again, one.accountId)).toEqual(stood)
  for (const [index, name] of names.entries()) {
    await again.rebuild(name, () => {})
    expect(again.wrongAbout(stream)).toEqual(names.slice(index + 1))
  }
})

test('a whole history that one view cannot fold stops that view, and an altered one does not', async () => {
  const store = new MemoryEventStore()
  const [altered, other] = [account('altered'), account('other')]
  await altered.settle(request('never accepted'), START_MS).writeTo(store)
  await other.writeTo(store)
  const stream = accountStream(altered.accountId)
  const inspect = async () => ({ stream, revision: 2, cause: 'altered' })
  const { views, found } = await viewsOn(store, temporaryFolder(), inspect)
  expect(found).toEqual([
    expect.objectContaining({ stream, cause: expect.stringContaining('never accepted') }),
  ])
  expect(views.wrongAbout(stream)).not.toEqual([])
  for (const { name } of projections) await views.rebuild(name, () => {})
  expect(views.views.account(other.accountId)).toMatchObject({ openRequests: 0 })
})
