/** A process dies between the event of an erasure and the texts: the next one finishes it. */
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { MemoryTextStore } from '@svc/infra/text-store/memory/memory-text-store'
import { openRunningLedger } from '@svc/testing/ledger/running-ledger'
import { expect, test } from 'vitest'
import type { Erasure, ErasureNotes } from './erasure-notes.ts'

function notesOf(kept: Erasure[]): ErasureNotes {
  return {
    list: () => [...kept],
    add: (erasure) => kept.push(erasure),
    remove: ({ changeId }) => {
      kept.splice(0, kept.length, ...kept.filter((each) => each.changeId !== changeId))
    },
  }
}

async function account() {
  const store = new MemoryEventStore()
  const texts = new MemoryTextStore()
  const kept: Erasure[] = []
  const shared = { texts, erasures: notesOf(kept) }
  const { ledger } = await openRunningLedger(store, {}, shared)
  const terms = { name: 'Ada', spendPolicy: 'standard', actor: 'test' } as const
  const { accountId } = await ledger.administration.openAccount(terms)
  const erase = () => ledger.administration.erase(accountId, { reason: 'asked', actor: 'test' })
  const nextStart = async () => (await openRunningLedger(store, {}, shared)).ledger
  return { store, texts, kept, accountId, erase, nextStart }
}

test('whose event is in the log is finished, once', async () => {
  const { texts, kept, accountId, erase, nextStart } = await account()
  const eraseTexts = texts.erase.bind(texts)
  const { promise: reached, resolve: dies } = Promise.withResolvers<void>()
  texts.erase = () => {
    dies()
    return new Promise(() => {})
  }
  void erase()
  await reached
  texts.erase = eraseTexts
  expect([await texts.count(accountId), kept.length]).toEqual([1, 1])
  const next = await nextStart()
  expect(await next.administration.finishErasures()).toBe(1)
  expect([await texts.count(accountId), kept.length]).toEqual([0, 0])
  await next.administration.renameAccount(accountId, {
    name: 'Grace',
    reason: 'new',
    actor: 'test',
  })
  expect(await next.administration.finishErasures()).toBe(0)
  expect(await texts.count(accountId)).toBe(2)
})

test('whose event never came to the log erases nothing', async () => {
  const { store, texts, kept, accountId, erase, nextStart } = await account()
  const append = store.append.bind(store)
  const { promise: reached, resolve: dies } = Promise.withResolvers<void>()
  store.append = () => {
    dies()
    return new Promise(() => {})
  }
  void erase()
  await reached
  store.append = append
  expect(kept).toHaveLength(1)
  expect(await (await nextStart()).administration.finishErasures()).toBe(0)
  expect([await texts.count(accountId), kept.length]).toEqual([1, 0])
})

test('that failed in a process that lives on leaves no note: later texts stay', async () => {
  const { texts, kept, erase } = await account()
  texts.erase = () => Promise.reject(new Error('the disk is full'))
  await expect(erase()).rejects.toThrow('full')
  expect(kept).toEqual([])
})

test('that went well leaves no note', async () => {
  const { kept, erase } = await account()
  await erase()
  expect(kept).toEqual([])
})
