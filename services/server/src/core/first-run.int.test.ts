/** What a first start makes on a log that other gateways use too: one demo account, ever. */
import { START } from '@svc/contracts/ports/event-store'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { temporaryFolder } from '@svc/testing/temporary-folder'

import { expect, test } from 'vitest'
import { openGatewayLedger, rates } from '../../testing/gateway-ledger.ts'
import { DataFolder } from '../data-folder/data-folder.ts'
import type { LogLocation } from '../settings/log-location.ts'
import { type FirstRun, prepareFirstRun } from './first-run.ts'

const place: LogLocation = {
  kind: 'eventstoredb',
  url: 'esdb://unused',
  streamPrefix: 'svc.',
  readyWithinMs: 0,
}

/** A gateway on its own folder, as a start makes it. */
async function startGateway(store: MemoryEventStore, folder = new DataFolder(temporaryFolder())) {
  const { ledger, gatewayId } = await openGatewayLedger(store)
  folder.noteRun(gatewayId)
  const demo: FirstRun = { kind: 'demo', price: undefined }
  const prepare = (asked = demo) =>
    prepareFirstRun({ ledger, store, place, gatewayId }, folder, asked)
  return { folder, ledger, prepare }
}

async function eventsOf(store: MemoryEventStore, type: string) {
  const events = await store.readAll({ after: START, limit: 1_000 })
  return events.filter((event) => event.type === type)
}

test('of two that find the log empty at the same moment one makes it', async () => {
  const store = new MemoryEventStore()
  const first = await startGateway(store)
  const second = await startGateway(store)
  const made = await Promise.all([first.prepare(), second.prepare()])
  expect(made.filter(({ apiKey }) => apiKey !== undefined)).toHaveLength(1)
  expect(await eventsOf(store, 'CreditGranted')).toHaveLength(1)
  // A second one would count for whatever model is served: the first alone is the toy's.
  expect(await eventsOf(store, 'PricePublished')).toHaveLength(1)
  const again = await Promise.all([first.prepare(), second.prepare()])
  expect(again.map(({ apiKey }) => apiKey)).toEqual([undefined, undefined])
  expect(new Set(again.map(({ accountId }) => accountId)).size).toBe(1)
  expect(await eventsOf(store, 'CreditGranted')).toHaveLength(1)
})

test('a later one with a folder of its own is given nothing', async () => {
  const store = new MemoryEventStore()
  const { accountId } = await (await startGateway(store)).prepare()
  const late = await (await startGateway(store)).prepare()
  expect(late).toEqual({ accountId, apiKey: undefined })
  expect(await eventsOf(store, 'CreditGranted')).toHaveLength(1)
})

test('one that was killed after its price goes on, and takes no customer for its own', async () => {
  const store = new MemoryEventStore()
  const killed = await startGateway(store)
  killed.folder.writeFirstRun({})
  await killed.ledger.pricing.publish({ model: 'svc-beta', rates })
  const { accountId: customer } = await killed.ledger.administration.openAccount({
    name: 'Ada',
    actor: 'operator',
  })
  const next = await startGateway(store, killed.folder)
  const { accountId, apiKey } = await next.prepare()
  expect(apiKey).toMatch(/^sk-svc-/)
  expect(accountId).not.toBe(customer)
  expect(await next.ledger.balance(customer)).toMatchObject({ settled: 0n })
})

const price = { input: 300_000n, cachedInput: 30_000n, output: 1_200_000n }

test('one that is to be empty makes nothing, also when a later start names no kind', async () => {
  const store = new MemoryEventStore()
  const first = await startGateway(store)
  const nothing = { accountId: undefined, apiKey: undefined }
  expect(await first.prepare({ kind: 'empty', price: undefined })).toEqual(nothing)
  expect(await (await startGateway(store, first.folder)).prepare()).toEqual(nothing)
  expect(await store.readAll({ after: START, limit: 10 })).toEqual([])
})

test.each(['demo', 'empty'] as const)(
  'of two that are to be %s one publishes the price that is set, for every model',
  async (kind) => {
    const store = new MemoryEventStore()
    const gateways = [await startGateway(store), await startGateway(store)]
    const made = await Promise.all(gateways.map(({ prepare }) => prepare({ kind, price })))
    const keys = made.filter(({ apiKey }) => apiKey !== undefined)
    expect(keys).toHaveLength(kind === 'demo' ? 1 : 0)
    expect(await eventsOf(store, 'PricePublished')).toHaveLength(1)
    const { ledger } = await startGateway(store)
    expect(ledger.pricing.current('svc-beta')).toMatchObject({ ...price, isDemo: false })
  },
)

test('the price that is set is not published where there is one', async () => {
  const store = new MemoryEventStore()
  const first = await startGateway(store)
  await first.prepare()
  await (await startGateway(store, first.folder)).prepare({ kind: 'demo', price })
  expect(await eventsOf(store, 'PricePublished')).toHaveLength(1)
})
