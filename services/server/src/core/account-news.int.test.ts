import type { EventStore } from '@svc/contracts/ports/event-store'
import { newKey, openFunded, openLedger } from '@svc/testing/ledger/open-ledger'
import { sampleId } from '@svc/testing/ledger/sample'
import { until } from '@svc/testing/until'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { AccountNews, CURRENT_MS } from './account-news.ts'

/** In which every change is noticed. */
const NOTICED_MS = 1_000

/** Two ledgers on one store, of which the second one follows what the first one writes. */
async function openTwo() {
  const here = await openLedger({ gatewayId: sampleId('gw', 1) })
  const { store, time } = here
  const there = await openLedger({ store, time, gatewayId: sampleId('gw', 2) })
  const log = new SwitchedLog(store)
  const logger = pino({ level: 'silent' })
  const ports = { store: log, ledger: there.ledger, clock: time, timer: time, logger }
  const news = await AccountNews.start(ports)
  onTestFinished(() => time.until(news.stop()))
  const { accountId } = await openFunded(here, 1_000n)
  const made = await newKey(here.ledger, accountId, { name: 'key', actor: 'test' })
  expect(await there.ledger.authenticate(made.secret)).toMatchObject({ accountId })
  await time.advance(NOTICED_MS)
  return { here, there, accountId, ...made, news, log, time }
}

/** A log whose next pages can be kept waiting, or refused. */
class SwitchedLog {
  gate: Promise<void> | undefined
  readonly #store: EventStore

  constructor(store: EventStore) {
    this.#store = store
  }

  async readAll(request: Parameters<EventStore['readAll']>[0]) {
    const page = await this.#store.readAll(request)
    await this.gate
    return page
  }

  lastPosition() {
    return this.#store.lastPosition()
  }
}

test('a key that another process has revoked is unknown soon, though nobody has written', async () => {
  const { here, there, accountId, keyId, secret, time } = await openTwo()
  expect(there.ledger.knownCaller(secret)).toBeDefined()
  await here.ledger.administration.revokeKey(accountId, { keyId, reason: 'a test', actor: 'test' })
  await time.advance(NOTICED_MS)
  await until(() => there.ledger.knownCaller(secret) === undefined)
})

test('an account that another process has frozen is known to be, soon', async () => {
  const { here, there, accountId, time } = await openTwo()
  expect(there.ledger.isKnownFrozen(accountId)).toBe(false)
  const change = { reason: 'a test', actor: 'test' }
  await here.ledger.administration.freeze(accountId, change)
  await time.advance(NOTICED_MS)
  await until(() => there.ledger.isKnownFrozen(accountId))
})

test('an account whose texts another process has erased is told, soon', async () => {
  const { here, accountId, news, time } = await openTwo()
  const told: string[] = []
  news.onErased = (erased) => told.push(erased)
  await here.ledger.administration.erase(accountId, { reason: 'a test', actor: 'test' })
  await time.advance(NOTICED_MS)
  await until(() => told.length > 0)
  expect(told).toEqual([accountId])
})

test('prices are shown of the list that another process has put the account on, soon', async () => {
  const { here, there, accountId, time } = await openTwo()
  const rates = { input: 2n, cachedInput: 1n, output: 3n }
  await here.ledger.pricing.publish({ model: 'svc-beta', priceList: 'large', rates })
  await here.ledger.administration.setPriceList(accountId, { priceList: 'large', actor: 'test' })
  await time.advance(NOTICED_MS)
  await until(async () => (await there.ledger.recentPriceList(accountId)) === 'large')
})

test('while the log is read in time, memory is gone by until there is news of the account', async () => {
  const { here, there, news, accountId, keyId, time } = await openTwo()
  const stranger = await openFunded(here, 5n)
  await here.ledger.administration.freeze(stranger.accountId, { reason: 'a test', actor: 'test' })
  await time.advance(NOTICED_MS)
  expect(news.mayBeOld(accountId)).toBe(false)
  there.ledger.lookAgain = () => new Promise(() => {})
  await here.ledger.administration.revokeKey(accountId, { keyId, reason: 'a test', actor: 'test' })
  await time.advance(NOTICED_MS)
  expect(news.mayBeOld(accountId)).toBe(true)
})

test('when a page of the log does not come in time, memory may be old', async () => {
  const { news, log, accountId, time } = await openTwo()
  const { promise, resolve } = Promise.withResolvers<void>()
  log.gate = promise
  await time.advance(CURRENT_MS + NOTICED_MS)
  expect(news.mayBeOld(accountId)).toBe(true)
  log.gate = undefined
  resolve()
  await time.advance(NOTICED_MS)
  expect(news.mayBeOld(accountId)).toBe(false)
})

test('a log that refuses to be read leaves memory to go by', async () => {
  const { news, log, accountId, time } = await openTwo()
  log.gate = Promise.reject(new Error('away'))
  log.gate.catch(() => {})
  await time.advance(CURRENT_MS + NOTICED_MS)
  expect(news.mayBeOld(accountId)).toBe(false)
})

test('nothing is followed when it was stopped, and an unknown account is not loaded', async () => {
  const { here, there, accountId, keyId, secret, news, time } = await openTwo()
  const stranger = await openFunded(here, 5n)
  await here.ledger.administration.freeze(stranger.accountId, { reason: 'a test', actor: 'test' })
  await time.advance(NOTICED_MS)
  expect(there.ledger.lastPosition(stranger.accountId)).toBeUndefined()
  await time.until(news.stop())
  await here.ledger.administration.revokeKey(accountId, { keyId, reason: 'a test', actor: 'test' })
  await time.advance(NOTICED_MS)
  expect(there.ledger.knownCaller(secret)).toBeDefined()
})
