import { ManualTime } from '@svc/testing/manual-time'
import { expect, test } from 'vitest'
import { startRemovingExpired } from './expired-answers.ts'

const REMOVAL_INTERVAL_MS = 10 * 60_000

/** A store of texts that have expired. */
function storeOf(expired: number) {
  return {
    left: expired,
    async removeExpired(_now: number, limit: number): Promise<number> {
      const removed = Math.min(limit, this.left)
      this.left -= removed
      return removed
    },
  }
}

function started(time: ManualTime, stores: Parameters<typeof startRemovingExpired>[0]['stores']) {
  const errors: unknown[] = []
  const logger = { error: (fields: unknown) => void errors.push(fields) }
  return { errors, stop: startRemovingExpired({ stores, clock: time, timer: time, logger }) }
}

test('all that has expired is removed at the start, however many texts that are', async () => {
  const time = new ManualTime()
  const stores = [storeOf(12_345), storeOf(501)]
  const { stop } = started(time, stores)
  await time.advance(1)
  expect(stores.map(({ left }) => left)).toEqual([0, 0])
  await stop()
})

test('what expires later is removed within ten minutes, also beside a store that fails', async () => {
  const time = new ManualTime()
  const broken = { removeExpired: () => Promise.reject(new Error('disk I/O error')) }
  const store = storeOf(0)
  const { stop, errors } = started(time, [broken, store])
  await time.advance(1)
  store.left = 3
  await time.advance(REMOVAL_INTERVAL_MS)
  expect(store.left).toBe(0)
  expect(errors).toHaveLength(2)
  await stop()
})

test('a stop waits for the removal under way, so that its store can be closed', async () => {
  const time = new ManualTime()
  const removal = Promise.withResolvers<number>()
  const { stop } = started(time, [{ removeExpired: () => removal.promise }])
  let isStopped = false
  const stopped = stop().then(() => {
    isStopped = true
  })
  await time.advance(1)
  expect(isStopped).toBe(false)
  removal.resolve(0)
  await stopped
})
