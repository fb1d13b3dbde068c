/** What a caller does that was not answered: it tells the same end again. */

import { StoreAwayError } from '@svc/contracts/ports/event-store'
import { ending, eventsOf, openFunded, openLedger, request } from '@svc/testing/ledger/open-ledger'
import { describe, expect, test } from 'vitest'
import { WatchedStore } from '../testing/watched-store.ts'

async function openWatched(options: Parameters<typeof openLedger>[0] = {}, credit = 10_000n) {
  const store = new WatchedStore()
  const setting = { ...(await openLedger({ ...options, store })), store }
  const { accountId, keyId } = await openFunded(setting, credit)
  const accept = () => setting.ledger.accept(accountId, request(setting, keyId))
  return { ...setting, accountId, keyId, accept }
}

describe('an end that is sent again', () => {
  test('a settlement that had landed gives what was debited, whatever is asked now', async () => {
    const { ledger, store, accept, accountId, time } = await openWatched({
      limits: { replayPageEvents: 2 },
    })
    const { requestId, durable } = await accept()
    await durable
    const first = await ledger.settle(accountId, ending(requestId, { outputTokens: 4 }))
    for (let other = 0; other < 3; other += 1) await (await accept()).durable
    const before = (await eventsOf(store, accountId)).length
    const again = ledger.settle(accountId, ending(requestId))
    expect(await time.until(again)).toEqual(first)
    expect((await eventsOf(store, accountId)).length).toBe(before)
    const failed = time.until(ledger.fail(accountId, requestId, 'x'))
    await expect(failed).rejects.toMatchObject({ code: 'conflict' })
  })

  test('one that its callers gave up, and that landed later, is recognised', async () => {
    const { ledger, store, accept, accountId, time } = await openWatched({
      limits: { unknownOutcomeMs: 2_000 },
    })
    const { requestId, durable } = await accept()
    await durable
    store.always = { kind: 'unknown', cause: new Error('no answer') }
    const settled = ledger.settle(accountId, ending(requestId))
    settled.catch(() => {})
    await time.advance(2_100)
    await expect(settled).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(ledger.isRunning(requestId)).toBe(true)
    store.always = undefined
    await time.advance(10_000)
    expect(await ledger.settle(accountId, ending(requestId))).toMatchObject({ amount: 50n })
    expect(ledger.isRunning(requestId)).toBe(false)
    const debits = (await eventsOf(store, accountId)).filter(({ type }) => type === 'CreditDebited')
    expect(debits).toHaveLength(1)
  })

  test('a failure that had landed is that failure; what was abandoned cannot be settled', async () => {
    const { ledger, accept, accountId } = await openWatched()
    const { requestId, durable } = await accept()
    await durable
    await ledger.fail(accountId, requestId, 'broke')
    await ledger.fail(accountId, requestId, 'broke')
    const settled = ledger.settle(accountId, ending(requestId))
    await expect(settled).rejects.toMatchObject({ code: 'conflict' })
    const abandoned = await accept()
    await abandoned.durable
    await ledger.abandon(accountId, abandoned.requestId, 'swept')
    await ledger.fail(accountId, abandoned.requestId, 'broke')
  })

  test('is not refused for good while the store cannot be read', async () => {
    const { ledger, store, accept, accountId, time } = await openWatched()
    const { requestId, durable } = await accept()
    await durable
    const first = await ledger.settle(accountId, ending(requestId))
    const reading = store.readStream.bind(store)
    store.readStream = (asked) =>
      asked.direction === 'backwards' ? Promise.reject(new StoreAwayError()) : reading(asked)
    const unread = time.until(ledger.settle(accountId, ending(requestId)))
    await expect(unread).rejects.toMatchObject({ code: 'store_unavailable' })
    store.readStream = reading
    expect(await time.until(ledger.settle(accountId, ending(requestId)))).toEqual(first)
  })

  test('of a request that another gateway has ended leaves nothing that runs', async () => {
    const { ledger, store, accept, accountId, time } = await openWatched()
    const { requestId, durable } = await accept()
    await durable
    const other = await openLedger({ store, time })
    expect(await time.until(other.ledger.abandon(accountId, requestId, 'swept'))).toBe(true)
    expect(ledger.isRunning(requestId)).toBe(true)
    const settled = time.until(ledger.settle(accountId, ending(requestId)))
    await expect(settled).rejects.toMatchObject({ code: 'conflict' })
    expect(ledger.isRunning(requestId)).toBe(false)
  })

  test('of a request that never was is refused', async () => {
    const { ledger, accountId } = await openWatched()
    const never = ledger.newRequestId()
    await expect(ledger.settle(accountId, ending(never))).rejects.toMatchObject({
      code: 'conflict',
    })
    await expect(ledger.fail(accountId, never, 'x')).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('a command that cannot even be decided', () => {
  test('refuses all that is queued, and all that waits, at once', async () => {
    const { ledger, accept, accountId, keyId, time } = await openWatched({}, 60n)
    await (await accept()).durable
    await (await accept()).durable
    const waiting = accept()
    let told: unknown
    waiting.catch((error: unknown) => {
      told = error
    })
    await time.quiet()
    const idempotency = {
      bodyHash: 'b',
      get keyHash(): string {
        throw new Error('a defect')
      },
    }
    const broken = request({ ledger }, keyId, { idempotency })
    await expect(ledger.accept(accountId, broken)).rejects.toMatchObject({ code: 'internal_error' })
    await time.quiet()
    expect(told).toMatchObject({ code: 'internal_error' })
  })
})
