/** A process dies between the event of an erasure and the texts: the next one finishes it. */
import { ownerOfAccountTexts } from '@svc/contracts/kept-text'
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
  const erase = (idempotencyKey?: string) =>
    ledger.administration.erase(accountId, { reason: 'asked', actor: 'test', idempotencyKey })
  const rename = (name: string) =>
    ledger.administration.renameAccount(accountId, { name, reason: 'new', actor: 'test' })
  const nextStart = async () => (await openRunningLedger(store, {}, shared)).ledger
  return { ledger, store, texts, kept, accountId, erase, rename, nextStart }
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
  expect(await texts.count(accountId)).toBe(0)
  expect(await texts.count(ownerOfAccountTexts(accountId, 1))).toBe(2)
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

test('that failed in a process that lives on is finished by a start: later texts stay', async () => {
  const { texts, kept, accountId, erase, rename, nextStart } = await account()
  const eraseTexts = texts.erase.bind(texts)
  texts.erase = () => Promise.reject(new Error('the disk is full'))
  await expect(erase()).rejects.toThrow('full')
  texts.erase = eraseTexts
  await rename('Grace')
  expect(kept).toHaveLength(1)
  expect(await (await nextStart()).administration.finishErasures()).toBe(1)
  expect(await texts.count(accountId)).toBe(0)
  expect(await texts.count(ownerOfAccountTexts(accountId, 1))).toBe(2)
  expect(kept).toEqual([])
})

test('is finished by whoever asks for it again under the same key, and takes no later text', async () => {
  const { texts, accountId, erase, rename } = await account()
  await erase('key')
  await rename('Grace')
  expect(await erase('key')).toEqual({ texts: 0 })
  expect(await texts.count(ownerOfAccountTexts(accountId, 1))).toBe(2)
  expect(await erase()).toEqual({ texts: 2 })
})

test('that died before what is kept elsewhere had gone is finished by the next start', async () => {
  const { ledger, kept, accountId, nextStart } = await account()
  const { promise: reached, resolve: dies } = Promise.withResolvers<void>()
  const forget = () => {
    dies()
    return new Promise(() => {})
  }
  void ledger.administration.erase(accountId, { reason: 'asked', actor: 'test', forget })
  await reached
  expect(kept).toHaveLength(1)
  const forgotten: string[] = []
  const next = await nextStart()
  await next.administration.finishErasures(async (each) => forgotten.push(each))
  expect([forgotten, kept]).toEqual([[accountId], []])
})

test('that went well leaves no note', async () => {
  const { kept, erase } = await account()
  await erase()
  expect(kept).toEqual([])
})
