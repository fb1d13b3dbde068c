import { makeDerivedId } from '@svc/contracts/ids'
import { costLines } from '@svc/contracts/price'
import { type StatementAnswer, statementQuery } from '@svc/contracts/wire/statement'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { AccountHistory, PRICE, requestId, START_MS } from '@svc/testing/account-history'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { viewsOf } from '../../../testing/open-views.ts'
import { statementPage } from '../../answers/statement-answer.ts'
import type { StatementQuery, StatementRow } from '../rows/statement-rows.ts'
import type { Views } from '../views.ts'

const MINUTE_MS = 60_000
const REQUESTS = 40

/** Times jump forwards and backwards, as clocks of several gateways do. */
async function jumpingHistory() {
  const store = new MemoryEventStore()
  const history = new AccountHistory('Ada').open()
  for (let i = 0; i < REQUESTS; i += 1) {
    const at = START_MS + (i + (i % 3 === 0 ? 5 : -2)) * MINUTE_MS
    const id = requestId(START_MS + i, `${i}`)
    history.accept(id, at).settle(id, at, {
      inputTokens: i * 7,
      cachedInputTokens: i,
      outputTokens: 100 - i,
    })
  }
  await history.writeTo(store)
  const { views } = await viewsOf(store)
  return { views, history }
}

function timeText(timeMs: number | undefined): string | undefined {
  return timeMs === undefined ? undefined : new Date(timeMs).toISOString()
}

/** Every page, as a customer asks for one after the other. */
function pagesOf(views: Views, accountId: string, fields: object): StatementAnswer[] {
  const pages: StatementAnswer[] = []
  for (let cursor: string | undefined; ; ) {
    const query = statementQuery.parse({ ...fields, cursor })
    const page = statementPage(views, accountId, query, START_MS)
    pages.push(page)
    expect(page.has_more).toBe(page.next_cursor !== null)
    if (page.next_cursor === null) return pages
    cursor = page.next_cursor
  }
}

const sum = (rows: readonly StatementRow[]) =>
  rows.reduce((total, { credit, debit }) => total + credit - debit, 0n)

test('opening + rows = closing for every period, page and limit: UX-10', async () => {
  const { views, history } = await jumpingHistory()
  const { accountId } = history
  const all = views.statement({ accountId, limit: 1000 })
  expect(all.rows.map(({ entry }) => entry)).toEqual(all.rows.map((_, i) => i + 1))
  expect(all.closing).toBe(history.balance)

  const time = fc.integer({ min: -3, max: REQUESTS + 8 }).map((n) => START_MS + n * MINUTE_MS)
  const query = fc.record(
    { from: time, to: time, after: fc.integer({ min: 0, max: REQUESTS + 3 }) },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(query, fc.integer({ min: 1, max: 50 }), (filter, limit) => {
      const asked: StatementQuery = { accountId, limit, ...filter }
      const page = views.statement(asked)
      expect(page.opening + sum(page.rows)).toBe(page.closing)
      expect(page.rows.length).toBeLessThanOrEqual(limit)
      // The same entry is the same row under any filter.
      for (const row of page.rows) expect(row).toEqual(all.rows[row.entry - 1])
      const expected = all.rows.filter(
        ({ at, entry }) =>
          at >= (filter.from ?? 0) && at < (filter.to ?? Infinity) && entry > (filter.after ?? 0),
      )
      expect(page.rows).toEqual(expected.slice(0, limit))
      expect(page.more).toBe(expected.length > limit)
    }),
  )
})

test('the newest first has the same rows, and goes on to the oldest page by page: UX-10', async () => {
  const { views, history } = await jumpingHistory()
  const { accountId } = history
  const time = fc.integer({ min: -3, max: REQUESTS + 8 }).map((n) => START_MS + n * MINUTE_MS)
  const period = fc.record({ from: time, to: time }, { requiredKeys: [] })
  fc.assert(
    fc.property(period, fc.integer({ min: 1, max: 50 }), (asked, limit) => {
      const whole = views.statement({ accountId, limit: 1000, ...asked })
      const found: StatementRow[] = []
      let closing = whole.closing
      let after: number | undefined
      do {
        const page = views.statement({ accountId, limit, ...asked, order: 'newest', after })
        // Each page closes where the one above it opens.
        expect(page.closing).toBe(closing)
        expect(page.opening + sum(page.rows)).toBe(page.closing)
        expect(page.rows.length).toBeLessThanOrEqual(limit)
        found.push(...page.rows)
        closing = page.opening
        after = page.more ? page.rows.at(-1)?.entry : undefined
      } while (after !== undefined)
      expect(found).toEqual(whole.rows.toReversed())
      expect(closing).toBe(whole.opening)
    }),
  )
})

test('single periods add up to the whole, and each opens where the one before closed', async () => {
  const { views, history } = await jumpingHistory()
  const { accountId } = history
  let balance = 0n
  let rows = 0
  for (let start = -5; start < REQUESTS + 10; start += 5) {
    const from = START_MS + start * MINUTE_MS
    const page = views.statement({ accountId, from, to: from + 5 * MINUTE_MS, limit: 1000 })
    expect(page.opening).toBe(balance)
    balance = page.closing
    rows += page.rows.length
  }
  expect(balance).toBe(history.balance)
  expect(rows).toBe(REQUESTS + 1)
})

test('the pages that a customer reads are those of the period: UX-10', async () => {
  const { views, history } = await jumpingHistory()
  const { accountId } = history
  const all = views.statement({ accountId, limit: 1000 }).rows
  const asked = fc.record({
    from: fc.option(fc.integer({ min: -3, max: REQUESTS }), { nil: undefined }),
    minutes: fc.option(fc.integer({ min: 1, max: REQUESTS }), { nil: undefined }),
    limit: fc.integer({ min: 1, max: 15 }),
  })
  fc.assert(
    fc.property(asked, ({ from: start, minutes, limit }) => {
      const from = start === undefined ? undefined : START_MS + start * MINUTE_MS
      const to = minutes === undefined ? undefined : (from ?? START_MS) + minutes * MINUTE_MS
      const entries = all.filter(({ at }) => at >= (from ?? 0) && at < (to ?? Infinity))
      const pages = pagesOf(views, accountId, { from: timeText(from), to: timeText(to), limit })
      expect(pages.flatMap(({ data }) => data.map(({ entry }) => entry))).toEqual(
        entries.map(({ entry }) => entry),
      )
      const openings = pages.map(({ opening }) => opening)
      expect(openings.slice(1)).toEqual(pages.slice(0, -1).map(({ closing }) => closing))
    }),
  )
})

/** Adds a gift. @returns the id of its grant */
function give(history: AccountHistory, name: string, amount: bigint): string {
  const grantId = makeDerivedId('grant', START_MS, history.accountId, name)
  history.balance += amount
  history.add(grantId, {
    type: 'CreditGranted',
    data: {
      grantId,
      amount,
      category: 'promotional',
      priority: 1,
      expiresAt: null,
      at: START_MS,
      reference: null,
      reason: 'a gift',
      changeId: null,
      paidDebt: 0n,
      balanceAfter: history.balance,
    },
  })
  return grantId
}

test('what is taken from several gifts at once is shown as promotional, all of it', async () => {
  const history = new AccountHistory('Ada').open()
  const gifts = [give(history, 'one', 300n), give(history, 'two', 700n)]
  const store = new MemoryEventStore()
  await history.writeTo(store)
  // Which grants were gifts is known behind a restart, too.
  const folder = temporaryFolder()
  await (await viewsOf(store, folder)).close()
  const id = requestId(START_MS, 'both')
  const lines = [...costLines(PRICE, { inputTokens: 1, cachedInputTokens: 0, outputTokens: 0 })]
  const taken = [100n, 200n].map((amount, i) => ({ grantId: gifts[i] ?? '', amount }))
  const rest = { grantId: history.grantId, amount: PRICE.input - 300n }
  const none = { debt: 0n, paidDebt: 0n, reference: null, correction: null, reason: 'a mistake' }
  history.balance -= PRICE.input
  history.accept(id, START_MS).add(id, {
    type: 'CreditDebited',
    data: {
      requestId: id,
      amount: PRICE.input,
      lines,
      slices: [...taken, rest],
      debt: 0n,
      balanceAfter: history.balance,
      at: START_MS,
    },
  })
  history.balance -= 300n
  history.add('adj_1', {
    type: 'BalanceAdjusted',
    data: {
      adjustmentId: 'adj_1',
      category: 'promotional',
      amount: -300n,
      credit: 0n,
      slices: taken,
      balanceAfter: history.balance,
      at: START_MS,
      ...none,
    },
  })
  await history.writeTo(store)
  const { views } = await viewsOf(store, folder)
  const { rows } = views.statement({ accountId: history.accountId, limit: 10 })
  const shown = rows.slice(-2).map(({ paid, promotional }) => ({ paid, promotional }))
  expect(shown).toEqual([
    { paid: PRICE.input - 300n, promotional: 300n },
    { paid: 0n, promotional: 300n },
  ])
})

test('a month closes where its statement does, also around an adjustment of nothing', async () => {
  const store = new MemoryEventStore()
  const history = new AccountHistory('Ada').open()
  const end = Date.UTC(2026, 11, 1)
  const id = requestId(end - MINUTE_MS, 'last')
  const nothing = { amount: 0n, credit: 0n, paidDebt: 0n, debt: 0n, slices: [] }
  await history
    .accept(id, end - MINUTE_MS)
    // A price was corrected: one request costs more, another as much less.
    .add('adj', {
      type: 'BalanceAdjusted',
      data: {
        adjustmentId: 'adj_1',
        category: 'paid',
        ...nothing,
        balanceAfter: history.balance,
        reference: null,
        reason: 'the price was wrong',
        correction: null,
        at: end + 1,
      },
    })
    // This event is timed by another clock, which is behind.
    .settle(id, end - 1)
    .writeTo(store)
  const { views } = await viewsOf(store)
  const { accountId } = history
  const statement = views.statement({ accountId, from: START_MS, to: end, limit: 1000 })
  const snapshot = await views.movementsSnapshot()
  const month = snapshot.movements(accountId, START_MS, end)
  snapshot.close()
  expect(statement.closing).toBe(history.balance)
  expect([month.opening, month.closing]).toEqual([statement.opening, statement.closing])
  expect(-month.used + month.payments).toBe(sum(statement.rows))
})
