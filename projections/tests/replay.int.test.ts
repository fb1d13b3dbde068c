/** The same log gives the same bytes, however it is read: invariants I10, I12 and I14. */
import { type WireFormat, wireFormats } from '@svc/contracts/events/account'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { systemTimer } from '@svc/infra/system/system-timer'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { projections } from '../src/followed/followed-projections.ts'
import { openProjections } from '../src/open-projections.ts'
import { dump, inBatchesOf, KeptLog, TIMEOUT_MS, viewsOf } from '../testing/open-views.ts'

const MINUTE_MS = 60_000

type Step = {
  account: number
  minutes: number
  format: WireFormat
  act: 'accept' | 'settle' | 'cancel' | 'fail' | 'abandon' | 'debitThenFail' | 'adjust'
}

const step = fc.record({
  account: fc.nat({ max: 2 }),
  // Gateways have clocks of their own: an event can be older than the one before it.
  minutes: fc.integer({ min: -30, max: 50 }),
  format: fc.constantFrom(...wireFormats),
  act: fc.constantFrom<Step['act'][]>(
    'accept',
    'accept',
    'settle',
    'cancel',
    'fail',
    'abandon',
    'debitThenFail',
    'adjust',
  ),
})

/** Writes a history of three accounts, step by step, to a store. */
class Writer {
  readonly #accounts = [0, 1, 2].map((i) => new AccountHistory(`account ${i}`).open())
  readonly #open: string[][] = [[], [], []]
  readonly #store: EventStore
  #count = 0
  #nowMs = START_MS

  constructor(store: EventStore) {
    this.#store = store
  }

  async write(steps: readonly Step[]): Promise<void> {
    for (const each of steps) await this.#step(each)
  }

  async #step({ account, minutes, format, act }: Step): Promise<void> {
    const history = this.#accounts[account]
    const open = this.#open[account]
    if (history === undefined || open === undefined) throw new Error('no such account')
    this.#count += 1
    this.#nowMs = Math.max(START_MS, this.#nowMs + minutes * MINUTE_MS)
    const at = this.#nowMs
    const isNew = act === 'accept' || act === 'adjust'
    const id = isNew ? requestId(at, `${account}`, `${this.#count}`) : open.shift()
    if (id === undefined) return
    if (act === 'accept') open.push(history.accept(id, at, { format }) && id)
    if (act === 'adjust') adjust(history, id, at)
    if (act === 'settle') history.settle(id, at)
    if (act === 'cancel') history.settle(id, at, undefined, 'cancelled')
    if (act === 'fail') history.fail(id, 'no worker', at)
    if (act === 'abandon') history.abandon(id, 'gateway died', at)
    if (act === 'debitThenFail') history.settle(id, at, undefined, 'error').fail(id, 'broke', at)
    await history.writeTo(this.#store)
  }
}

function adjust(history: AccountHistory, adjustmentId: string, at: number): void {
  const amount = 1_000n
  history.balance += amount
  history.add(adjustmentId, {
    type: 'BalanceAdjusted',
    data: {
      adjustmentId,
      category: 'promotional',
      amount,
      credit: amount,
      paidDebt: 0n,
      debt: 0n,
      slices: [],
      balanceAfter: history.balance,
      reference: null,
      reason: 'a gift',
      correction: null,
      at,
    },
  })
}

test('batches of 1, 7, 1000, a restart in the middle, and a rebuild give equal bytes', async () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(steps, steps, async (before, after) => {
      const store = new MemoryEventStore()
      const writer = new Writer(store)
      const restarted = temporaryFolder()
      await writer.write(before)
      const early = await viewsOf(store, restarted)
      await early.close()
      await writer.write(after)
      const late = await viewsOf(store, restarted)
      const expected = dump(restarted)
      for (const size of [1, 7, 1000]) {
        const folder = temporaryFolder()
        const views = await viewsOf(inBatchesOf(size, store), folder)
        expect(dump(folder)).toBe(expected)
        await views.close()
      }
      for (const { name } of projections) {
        const { differences } = await late.rebuild(name, () => {})
        expect(differences).toBe(0)
      }
      expect(dump(restarted)).toBe(expected)
      await late.close()
    }),
    { numRuns: 12 },
  )
})

test('views follow live, and a read after `reached` includes the event', async () => {
  const store = new MemoryEventStore()
  const history = new AccountHistory('Ada').open()
  await history.writeTo(store)
  const { views, reached } = await viewsOf(store)
  for (let i = 0; i < 20; i += 1) {
    const id = requestId(START_MS + i, `${i}`)
    await history
      .accept(id, START_MS + i)
      .settle(id, START_MS + i)
      .writeTo(store)
    expect(await reached(await store.lastPosition(), TIMEOUT_MS)).toBe(true)
    expect(views.account(history.accountId)?.settled).toBe(history.balance)
    expect((await views.request(id))?.balanceAfter).toBe(history.balance)
  }
})

test('`reached` gives up when its time is over', async () => {
  const store = new MemoryEventStore()
  const { reached } = await viewsOf(store)
  expect(await reached(10n, 5)).toBe(false)
})

test('nothing is folded before the start', async () => {
  const store = new MemoryEventStore()
  await new AccountHistory('Ada').open().writeTo(store)
  const views = await openProjections({
    folder: temporaryFolder(),
    store,
    timer: systemTimer,
    keepFile: durableFile,
    log: new KeptLog(),
  })
  expect((await views.status()).map(({ state, position }) => [state, position])).toEqual(
    projections.map(() => ['stopped', -1n]),
  )
  await views.close()
})
