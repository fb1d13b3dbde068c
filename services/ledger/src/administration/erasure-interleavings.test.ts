/**
 * Two gateways over one log and one store of texts: whatever happens first, an erasure takes every
 * text from before it and none from behind it, and leaves nothing that no event names.
 */
import { accountStream } from '@svc/contracts/events/account'
import { ownerOfAccountTexts, wordsIn } from '@svc/contracts/kept-text'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { MemoryTextStore } from '@svc/infra/text-store/memory/memory-text-store'
import { openRunningLedger } from '@svc/testing/ledger/running-ledger'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Erasure, ErasureNotes } from './erasure-notes.ts'

const actor = 'test'
const RUNS = 60

/** A gateway whose every step outside of its memory waits for the scheduler. */
async function gateway(
  scheduler: fc.Scheduler,
  store: MemoryEventStore,
  texts: MemoryTextStore,
  notes: Erasure[],
) {
  const erasures: ErasureNotes = {
    list: () => [...notes],
    add: (erasure) => notes.push(erasure),
    remove: ({ changeId }) => {
      notes.splice(0, notes.length, ...notes.filter((each) => each.changeId !== changeId))
    },
  }
  const scheduledStore = Object.assign(Object.create(store), {
    append: scheduler.scheduleFunction(store.append.bind(store)),
    readStream: store.readStream.bind(store),
    readAll: store.readAll.bind(store),
  })
  const scheduledTexts = Object.assign(Object.create(texts), {
    keep: scheduler.scheduleFunction(texts.keep.bind(texts)),
    wordFor: scheduler.scheduleFunction(texts.wordFor.bind(texts)),
    erase: scheduler.scheduleFunction(texts.erase.bind(texts)),
    find: texts.find.bind(texts),
    count: texts.count.bind(texts),
  })
  return openRunningLedger(scheduledStore, {}, { texts: scheduledTexts, erasures })
}

async function eventsOf(store: MemoryEventStore, accountId: string) {
  const stream = accountStream(accountId)
  return store.readStream({ stream, direction: 'forwards', limit: 1_000 })
}

/** Of texts that only the erased owners have: each is named by no event, or gone. */
async function expectSound(store: MemoryEventStore, texts: MemoryTextStore, accountId: string) {
  const events = await eventsOf(store, accountId)
  const last = events.findLastIndex(({ type }) => type === 'TextsErased')
  const wordsOf = (some: readonly RecordedEvent[]) =>
    some.filter(({ type }) => type !== 'TextsErased').flatMap(({ data }) => wordsIn(data))
  expect([...(await texts.find(wordsOf(events.slice(0, last + 1))))]).toEqual([])
  const later = wordsOf(events.slice(last + 1))
  const found = await texts.find(later)
  expect([...found.keys()].sort()).toEqual([...new Set(later)].sort())
  expect([...found.values()].filter(({ isIntact }) => !isIntact)).toEqual([])
  const erasures = events.filter(({ type }) => type === 'TextsErased').length
  for (let before = 0; before < erasures; before += 1) {
    expect(await texts.count(ownerOfAccountTexts(accountId, before))).toBe(0)
  }
}

async function account() {
  const store = new MemoryEventStore()
  const texts = new MemoryTextStore()
  const { ledger } = await openRunningLedger(store, {}, { texts })
  const terms = { name: 'Ada', spendPolicy: 'standard', actor } as const
  const { accountId } = await ledger.administration.openAccount(terms)
  return { store, texts, accountId }
}

test('changes and erasures of two gateways, in any order of their steps', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const { store, texts, accountId } = await account()
      const [one, two] = [
        await gateway(scheduler, store, texts, []),
        await gateway(scheduler, store, texts, []),
      ]
      const [first, second] = [one.ledger.administration, two.ledger.administration]
      const work = Promise.all([
        first.erase(accountId, { reason: 'asked', actor }),
        second.renameAccount(accountId, { name: 'Grace', reason: 'new', actor }),
        second.erase(accountId, { reason: 'asked again', actor }),
        first.renameAccount(accountId, { name: 'Bob', reason: 'newer', actor }),
      ])
      await scheduler.waitFor(work)
      await expectSound(store, texts, accountId)
    }),
    { numRuns: RUNS },
  )
})

test('an erasure that a crash cut off, finished by another start while texts are written', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const { store, texts, accountId } = await account()
      const notes: Erasure[] = []
      const dying = new MemoryTextStore()
      const dead = await openRunningLedger(
        store,
        {},
        {
          texts: Object.assign(dying, { erase: () => new Promise<number>(() => {}) }),
          erasures: { list: () => notes, add: (erasure) => notes.push(erasure), remove() {} },
        },
      )
      void dead.ledger.administration.erase(accountId, { reason: 'asked', actor })
      while ((await eventsOf(store, accountId)).length < 2) await Promise.resolve()

      const [one, two] = [
        await gateway(scheduler, store, texts, notes),
        await gateway(scheduler, store, texts, []),
      ]
      const work = Promise.all([
        one.ledger.administration.finishErasures(),
        two.ledger.administration.renameAccount(accountId, { name: 'Bob', reason: 'new', actor }),
      ])
      await scheduler.waitFor(work)
      await expectSound(store, texts, accountId)
      expect(notes).toEqual([])
    }),
    { numRuns: RUNS },
  )
})
