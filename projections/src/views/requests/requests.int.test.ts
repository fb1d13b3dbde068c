/** The view is an index: what a request was comes from its events, wherever they stand. */

import { DatabaseSync } from 'node:sqlite'
import { accountStream } from '@svc/contracts/events/account'
import { BrokenChainError } from '@svc/contracts/ports/event-store'
import { MemoryEventStore, MemoryLog } from '@svc/infra/event-store/memory/memory-event-store'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { describe, expect, test } from 'vitest'
import { viewsOf } from '../../../testing/open-views.ts'
import { viewPath } from '../../runner/file/view-file.ts'
import { requestsProjection } from './requests.ts'

const first = requestId(START_MS, 'first')
const second = requestId(START_MS + 1, 'second')

/** Makes two requests at the same time, the first with all four events. */
async function interleaved() {
  const log = new MemoryLog()
  const store = new MemoryEventStore(log)
  const history = new AccountHistory('Ada').open()
  await history
    .accept(first, START_MS)
    .accept(second, START_MS + 1)
    .writeTo(store)
  await history
    .settle(first, START_MS + 2, undefined, 'error')
    .fail(first, 'worker_failed', START_MS + 2)
    .settle(second, START_MS + 3)
    .writeTo(store)
  return { log, store, stream: accountStream(history.accountId), history }
}

test('the events of a request are found between those of others', async () => {
  const { store, history } = await interleaved()
  const { views } = await viewsOf(store)
  const revisionsOf = async (id: string) =>
    (await views.request(id))?.events.map(({ type, revision }) => [type, revision])
  expect(await revisionsOf(first)).toEqual([
    ['RequestAccepted', 3],
    ['TokensMetered', 5],
    ['CreditDebited', 6],
    ['RequestFailed', 7],
  ])
  expect(await revisionsOf(second)).toEqual([
    ['RequestAccepted', 4],
    ['TokensMetered', 8],
    ['CreditDebited', 9],
  ])
  expect((await views.request(second))?.balanceAfter).toBe(history.balance)
})

test('the evidence behind cached tokens is that of the meter, and there is none before', async () => {
  const store = new MemoryEventStore()
  const history = new AccountHistory('Ada').open().accept(first, START_MS)
  await history.writeTo(store)
  const folder = temporaryFolder()
  const running = await viewsOf(store, folder)
  expect((await running.views.request(first))?.cache).toBeNull()
  await running.close()
  await history.settle(first, START_MS + 1).writeTo(store)
  const { views } = await viewsOf(store, folder)
  expect((await views.request(first))?.cache).toEqual({
    schedule: 'any-token',
    reusedTokens: 0,
    blocks: 0,
    source: 'none',
    lastBlockHash: null,
    evaluatedTokens: 20,
    workerId: 'wrk_test',
  })
})

test('the sweeper sees what it needs, and a request no more once it has ended', async () => {
  const store = new MemoryEventStore()
  const history = new AccountHistory('Ada').open().accept(first, START_MS)
  await history.writeTo(store)
  const folder = temporaryFolder()
  const running = await viewsOf(store, folder)
  expect(running.views.runningRequests({ limit: 10 }).rows).toEqual([
    {
      requestId: first,
      accountId: history.accountId,
      gatewayId: 'gw_test',
      deadline: START_MS + 600_000,
    },
  ])
  await running.close()
  await history.abandon(first, 'gateway died', START_MS + 1).writeTo(store)
  const ended = await viewsOf(store, folder)
  expect(ended.views.runningRequests({ limit: 10 }).rows).toEqual([])
  expect(await ended.views.request(first)).toMatchObject({ status: 'abandoned' })
})

describe('a receipt is refused', () => {
  test('when an event of it was altered after the view had seen it', async () => {
    const { log, store, stream } = await interleaved()
    const { views } = await viewsOf(store)
    const events = log.streams.get(stream) ?? []
    const debit = events[6]
    if (debit?.type !== 'CreditDebited') throw new Error('no debit')
    events[6] = { ...debit, data: debit.data.replace(/"amount":"\d+"/, '"amount":"1"') }
    await expect(views.request(first)).rejects.toThrow(new BrokenChainError(stream, 6))
  })

  test.each([
    ['begins elsewhere', 'accepted = 4', 'no acceptance'],
    ['has an event of another one', 'debited = 9', `an event of ${second}`],
    ['has an event of another kind', 'debited = 2', 'no acceptance'],
    ['ends behind the end of the log', 'ended = 99', 'the event log ends before'],
  ])('when by a damaged index the request %s', async (_, change, message) => {
    const { store } = await interleaved()
    const folder = temporaryFolder()
    await (await viewsOf(store, folder)).close()
    const database = new DatabaseSync(viewPath(folder, requestsProjection))
    database.prepare(`UPDATE requests SET ${change} WHERE request_id = ?`).run(first)
    database.close()
    const { views } = await viewsOf(store, folder)
    await expect(views.request(first)).rejects.toThrow(message)
  })
})

test('a second end of a request stops the view: it would hide the first one', async () => {
  const { store, history } = await interleaved()
  await history.abandon(first, 'again', START_MS + 9).writeTo(store)
  const views = await viewsOf(store)
  const requests = (await views.status()).find(({ name }) => name === 'requests')
  expect(requests).toMatchObject({ state: 'failed' })
  expect(requests?.error).toContain(`${first} was ended already`)
})
