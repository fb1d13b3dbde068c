import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { AccountHistory, HOLD, PRICE, requestId, START_MS } from '@svc/testing/account-history'
import { describe, expect, test } from 'vitest'
import type { RunningPlace } from '../src/views/views.ts'
import { viewsOf } from '../testing/open-views.ts'

const minute = (n: number) => START_MS + n * 60_000
const first = requestId(minute(1), 'first')
const second = requestId(minute(2), 'second')
/** The cost of 20 × 0.15 + 100 × 0.015 + 42 × 0.60 dollars per million, in pico-dollars. */
const COST = 29_700_000n

async function viewsAfter(write: (history: AccountHistory) => AccountHistory) {
  const store = new MemoryEventStore()
  const history = write(new AccountHistory('Ada').open())
  await history.writeTo(store)
  return { history, store, views: (await viewsOf(store)).views }
}

describe('accounts', () => {
  test('an opened account with a grant', async () => {
    const { views, history } = await viewsAfter((ada) => ada)
    expect(views.account(history.accountId)).toEqual({
      accountId: history.accountId,
      name: 'Ada',
      externalId: null,
      metadata: {},
      status: 'open',
      spendPolicy: 'standard',
      settled: 5_000_000_000_000n,
      held: 0n,
      grantedTotal: 5_000_000_000_000n,
      debitedTotal: 0n,
      openRequests: 0,
      openedAt: START_MS,
      lastActivityAt: START_MS,
    })
  })

  test('a running request holds, a settled one is debited and holds no more: UX-11', async () => {
    const { views, history, store } = await viewsAfter((ada) =>
      ada.accept(first, minute(1)).accept(second, minute(2)),
    )
    expect(views.account(history.accountId)).toMatchObject({ held: 2n * HOLD, openRequests: 2 })
    expect(views.accountTotals()).toEqual({ accounts: 1, openRequests: 2 })
    await history.settle(first, minute(3)).writeTo(store)
    const after = await viewsOf(store)
    expect(after.views.account(history.accountId)).toMatchObject({
      settled: 5_000_000_000_000n - COST,
      debitedTotal: COST,
      held: HOLD,
      openRequests: 1,
      lastActivityAt: minute(3),
    })
  })

  test.each(['fail', 'abandon'] as const)('%s releases the hold and moves nothing', async (end) => {
    const { views, history } = await viewsAfter((ada) =>
      ada.accept(first, minute(1))[end](first, 'worker_failed', minute(2)),
    )
    expect(views.account(history.accountId)).toMatchObject({
      settled: 5_000_000_000_000n,
      held: 0n,
      openRequests: 0,
    })
  })

  test('pages by id, without gap or repeat', async () => {
    const store = new MemoryEventStore()
    for (let i = 0; i < 5; i += 1) {
      await new AccountHistory(`a${i}`, minute(i)).open().writeTo(store)
    }
    const { views } = await viewsOf(store)
    const pageOne = views.accounts({ limit: 3 })
    const pageTwo = views.accounts({ limit: 3, after: pageOne.at(-1)?.accountId ?? '' })
    const ids = [...pageOne, ...pageTwo].map(({ accountId }) => accountId)
    expect(pageOne).toHaveLength(3)
    expect(new Set(ids).size).toBe(5)
    expect(ids).toEqual(ids.toSorted())
  })
})

describe('requests', () => {
  test('a running request is found by the sweeper, oldest first', async () => {
    const { views } = await viewsAfter((ada) =>
      ada.accept(second, minute(2)).accept(first, minute(1)),
    )
    expect(views.runningRequests({ limit: 10 }).rows.map((row) => row.requestId)).toEqual([
      first,
      second,
    ])
    expect(views.runningRequests({ limit: 1 }).rows).toHaveLength(1)
    expect(await views.request(first)).toMatchObject({
      status: 'running',
      counts: null,
      hold: HOLD,
    })
  })

  test('running requests are paged by deadline and id, without gap or repeat', async () => {
    const ids = ['c', 'a', 'b', 'e', 'd'].map((name, at) => requestId(minute(at < 3 ? 1 : 2), name))
    const { views } = await viewsAfter((ada) =>
      ids.reduce((account, id, at) => account.accept(id, minute(at < 3 ? 1 : 2)), ada),
    )
    const seen: string[] = []
    let after: RunningPlace | undefined
    do {
      const page = views.runningRequests({ after, limit: 2 })
      seen.push(...page.rows.map(({ requestId }) => requestId))
      after = page.next
    } while (after !== undefined)
    expect(seen).toEqual(ids.toSorted())
  })

  test('a finished request has its meter, price, lines, slices and events', async () => {
    const { views, history } = await viewsAfter((ada) =>
      ada.accept(first, minute(1)).settle(first, minute(2)),
    )
    const row = await views.request(first)
    expect(row).toMatchObject({
      status: 'finished',
      accountId: history.accountId,
      keyId: history.keyId,
      price: PRICE,
      counts: { inputTokens: 20, cachedInputTokens: 100, outputTokens: 42 },
      amount: COST,
      slices: [{ grantId: history.grantId, amount: COST }],
      balanceAfter: 5_000_000_000_000n - COST,
      finishReason: 'stop',
      reason: null,
      acceptedAt: minute(1),
      endedAt: minute(2),
      latencies: { queueMs: 0.2, prefillMs: 12.5, firstTokenMs: 14.1, totalMs: 90.25 },
    })
    expect(row?.lines).toEqual([
      { class: 'input', tokens: 20, price: 150_000n, amount: 3_000_000n },
      { class: 'cached_input', tokens: 100, price: 15_000n, amount: 1_500_000n },
      { class: 'output', tokens: 42, price: 600_000n, amount: 25_200_000n },
    ])
    expect(row?.events.map(({ type, revision }) => [type, revision])).toEqual([
      ['RequestAccepted', 3],
      ['TokensMetered', 4],
      ['CreditDebited', 5],
    ])
    const stream = `account-${history.accountId}`
    expect(row?.events.every((event) => event.stream === stream)).toBe(true)
    expect(row?.events.every((event) => /^[0-9a-f]{64}$/.test(event.hash))).toBe(true)
    expect(views.runningRequests({ limit: 10 }).rows).toEqual([])
  })

  test('a cancelled one is stopped, and says by which rule it was charged', async () => {
    const { views } = await viewsAfter((ada) =>
      ada.accept(first, minute(1)).settle(first, minute(2), undefined, 'cancelled'),
    )
    expect(await views.request(first)).toMatchObject({
      status: 'stopped',
      reason: 'metered_until_cancelled',
      amount: COST,
    })
  })

  test('a failure after the debit keeps the charge and says why', async () => {
    const { views } = await viewsAfter((ada) =>
      ada
        .accept(first, minute(1))
        .settle(first, minute(2), undefined, 'error')
        .fail(first, 'worker_failed', minute(2)),
    )
    expect(await views.request(first)).toMatchObject({
      status: 'failed',
      reason: 'worker_failed',
      amount: COST,
    })
  })

  test('an abandoned one costs nothing', async () => {
    const { views } = await viewsAfter((ada) =>
      ada.accept(first, minute(1)).abandon(first, 'gateway died', minute(9)),
    )
    expect(await views.request(first)).toMatchObject({
      status: 'abandoned',
      reason: 'gateway died',
      amount: 0n,
      balanceAfter: null,
      endedAt: minute(9),
    })
  })

  test('an unknown request is not there', async () => {
    const { views } = await viewsAfter((ada) => ada)
    expect(await views.request(first)).toBeUndefined()
  })
})

describe('statement', () => {
  test('names key, model and the disjoint classes, with the balance after', async () => {
    const { views, history } = await viewsAfter((ada) =>
      ada.accept(first, minute(1)).settle(first, minute(2)),
    )
    const { rows, opening, closing, more } = views.statement({
      accountId: history.accountId,
      limit: 10,
    })
    expect({ opening, closing, more }).toEqual({
      opening: 0n,
      closing: 5_000_000_000_000n - COST,
      more: false,
    })
    expect(
      rows.map(({ entry, type, reference, description }) => [entry, type, reference, description]),
    ).toEqual([
      [1, 'grant', history.grantId, 'paid credit: first payment'],
      [2, 'usage', first, 'svc-beta, key laptop: 20 input + 100 cached input + 42 output tokens'],
    ])
    expect(rows[1]).toMatchObject({ debit: COST, credit: 0n, event: { type: 'CreditDebited' } })
  })

  test('an account without movements has an empty statement', async () => {
    const { views } = await viewsAfter((ada) => ada)
    const empty = { opening: 0n, closing: 0n, rows: [], more: false }
    expect(views.statement({ accountId: 'acct_none', limit: 10 })).toEqual(empty)
  })
})
