/** Usage adds up: over any steps of time, in any zone, over keys, and over the requests. */
import { wireFormats } from '@svc/contracts/events/account'
import { idTimeMs } from '@svc/contracts/ids'
import { formatExact, parseDollars } from '@svc/contracts/money'
import type { TokenClass, TokenCounts } from '@svc/contracts/tokens'
import { requestsQuery } from '@svc/contracts/wire/requests'
import { type UsageAnswer, type UsageQueryFields, usageQuery } from '@svc/contracts/wire/usage'
import { timeSteps } from '@svc/contracts/zone'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { AccountHistory, PRICE, requestId, START_MS } from '@svc/testing/account-history'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { inBatchesOf, TIMEOUT_MS, viewsOf } from '../../../testing/open-views.ts'
import { requestsPage } from '../../answers/requests-answer.ts'
import { usagePage } from '../../answers/usage-answer.ts'
import type { RequestRow } from '../rows/request-rows.ts'
import type { StatementRow } from '../rows/statement-rows.ts'
import type { UsedTokens } from '../rows/usage-rows.ts'
import type { Views } from '../views.ts'

const REQUESTS = 120
const HOUR_MS = 3_600_000
const ZONES = [
  ...['UTC', '+05:30', '+05:45', '-08:00'],
  ...['Asia/Kolkata', 'Asia/Kathmandu', 'America/Los_Angeles'],
] as const
const NOW_MS = START_MS + 40 * 24 * HOUR_MS

/**
 * Makes three weeks around the end of daylight saving time, over three keys, with clocks that jump.
 */
async function threeWeeks() {
  const store = new MemoryEventStore()
  const { views, reached } = await viewsOf(store)
  const history = new AccountHistory('Ada').open()
  const keys = [history.keyId, history.key('phone'), history.key('server')]
  const ids: string[] = []
  for (let i = 0; i < REQUESTS; i += 1) {
    const at = START_MS + i * 4.2 * HOUR_MS + (i % 7) * 601_000 - (i % 2) * 6 * HOUR_MS
    const id = requestId(START_MS + i, `${i}`)
    ids.push(id)
    const [keyId, format] = [keys[i % keys.length], wireFormats[i % wireFormats.length]]
    if (keyId === undefined || format === undefined) throw new Error('no key')
    history.accept(id, at, { keyId, format })
    if (i % 11 === 10) history.fail(id, 'no_worker', at)
    else {
      const counts = { inputTokens: i * 7, cachedInputTokens: i % 3, outputTokens: 200 - i }
      history.settle(id, at, counts)
    }
    // The commits are small, so that rows go on behind a commit too.
    if (i % 7 === 6 || i === REQUESTS - 1) {
      await history.writeTo(store)
      await reached(await store.lastPosition(), TIMEOUT_MS)
    }
  }
  const requests: RequestRow[] = []
  for (const id of ids) {
    const request = await views.request(id)
    if (request !== undefined) requests.push(request)
  }
  return { views, history, requests }
}

const query = (fields: object): UsageQueryFields => usageQuery.parse(fields)

/** Every page, in the order of time. */
function pagesOf(views: Views, accountId: string, fields: object): UsageAnswer[] {
  const pages: UsageAnswer[] = []
  for (let cursor: string | undefined; ; ) {
    const page = usagePage(views, accountId, query({ ...fields, cursor }), NOW_MS)
    const last = pages.at(-1)?.data.at(-1)
    const first = page.data[0]
    if (last !== undefined && first !== undefined) {
      expect(Date.parse(first.from)).toBeGreaterThanOrEqual(Date.parse(last.to))
    }
    pages.push(page)
    expect(page.has_more).toBe(page.next_cursor !== null)
    if (page.next_cursor === null) return pages
    cursor = page.next_cursor
  }
}

function sumOf(requests: readonly RequestRow[]) {
  const debited = requests.filter(({ counts, lines }) => counts !== null && lines.length > 0)
  const tokens = (of: keyof NonNullable<RequestRow['counts']>) =>
    debited.reduce((sum, { counts }) => sum + (counts?.[of] ?? 0), 0)
  return {
    requests: debited.length,
    inputTokens: tokens('inputTokens'),
    cachedInputTokens: tokens('cachedInputTokens'),
    outputTokens: tokens('outputTokens'),
    amount: debited.reduce((sum, { amount }) => sum + amount, 0n),
  }
}

/** What the statement says of the step and the group of a row. */
function saidByStatement(
  statement: readonly StatementRow[],
  { from, to, key, model, format, class: only }: UsageAnswer['data'][number],
) {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  const entries = statement.filter(
    (entry) =>
      entry.type === 'usage' &&
      entry.at >= start &&
      entry.at < end &&
      (key === undefined || (key.id === entry.key?.keyId && key.name === entry.key.name)) &&
      (model === undefined || model === entry.model) &&
      (format === undefined || format === entry.format),
  )
  const ofClass = (name: TokenClass, of: keyof TokenCounts, price: bigint) => {
    const tokens = entries.reduce((sum, entry) => sum + (entry.tokens?.[of] ?? 0), 0)
    return { class: name, tokens, amount: formatExact(BigInt(tokens) * price) }
  }
  const lines = [
    ofClass('input', 'inputTokens', PRICE.input),
    ofClass('cached_input', 'cachedInputTokens', PRICE.cachedInput),
    ofClass('output', 'outputTokens', PRICE.output),
  ].filter((line) => only === undefined || only === line.class)
  return { requests: only === undefined ? entries.length : null, lines }
}

test('each row of usage is what the statement says of its step and group: UX-04', async () => {
  const { views, history } = await threeWeeks()
  const { accountId } = history
  const { rows: statement } = views.statement({ accountId, limit: 1000 })
  const asked = fc.record({
    zone: fc.constantFrom(...ZONES),
    by: fc.constantFrom(...timeSteps),
    groupBy: fc.subarray(['key', 'model', 'format', 'class']),
    limit: fc.integer({ min: 1, max: 100 }),
  })
  fc.assert(
    fc.property(asked, ({ groupBy, ...fields }) => {
      const group_by = groupBy.length === 0 ? undefined : groupBy.join(',')
      const period = { from: '2026-11-05', to: '2026-11-16' }
      const pages = pagesOf(views, accountId, { ...fields, ...period, group_by })
      for (const row of pages.flatMap(({ data }) => data)) {
        expect(Object.keys(row).filter((name) => groupBy.includes(name))).toEqual(groupBy)
        const { requests, lines } = row
        expect({ requests, lines }).toEqual(saidByStatement(statement, row))
      }
    }),
    { numRuns: 60 },
  )
})

test('sums of steps, groups and pages are those of requests and statement, in every zone: UX-04', async () => {
  const { views, history, requests } = await threeWeeks()
  const { accountId } = history
  const all = sumOf(requests)
  const { rows } = views.statement({ accountId, limit: 1000 })
  expect(rows.reduce((sum, { debit }) => sum + debit, 0n)).toBe(all.amount)

  const groupBy = fc.subarray(['key', 'model', 'format', 'class'])
  const asked = fc.record({
    zone: fc.constantFrom(...ZONES),
    by: fc.constantFrom(...timeSteps),
    groupBy,
    limit: fc.integer({ min: 1, max: 1000 }),
  })
  fc.assert(
    fc.property(asked, ({ groupBy: groups, ...fields }) => {
      const found = { requests: 0, amount: 0n, tokens: 0 }
      const group_by = groups.length === 0 ? undefined : groups.join(',')
      const period = { from: '2026-10-30', to: '2026-12-01' }
      for (const page of pagesOf(views, accountId, { ...fields, ...period, group_by })) {
        expect(parseDollars(page.total.amount)).toBe(all.amount)
        expect(page.total.requests).toBe(all.requests)
        for (const { requests: charged, lines, amount } of page.data) {
          const ofLines = lines.reduce((sum, line) => sum + parseDollars(line.amount), 0n)
          expect(ofLines).toBe(parseDollars(amount))
          found.requests += charged ?? 0
          found.amount += ofLines
          found.tokens += lines.reduce((sum, { tokens }) => sum + tokens, 0)
        }
      }
      expect(found.amount).toBe(all.amount)
      expect(found.tokens).toBe(all.inputTokens + all.cachedInputTokens + all.outputTokens)
      if (!groups.includes('class')) expect(found.requests).toBe(all.requests)
    }),
    { numRuns: 60 },
  )
})

test('a day of usage is the day of the statement, to the last pico-dollar: UX-04', async () => {
  const { views, history } = await threeWeeks()
  const { accountId } = history
  for (const zone of ZONES) {
    const { data } = usagePage(
      views,
      accountId,
      query({ zone, from: '2026-10-30', to: '2026-12-01' }),
      NOW_MS,
    )
    expect(data.length).toBeGreaterThan(20)
    for (const day of data) {
      const period = { from: Date.parse(day.from), to: Date.parse(day.to) }
      const { rows } = views.statement({ accountId, limit: 1000, ...period })
      const debits = rows.filter(({ type }) => type === 'usage')
      expect(debits.reduce((sum, { debit }) => sum + debit, 0n)).toBe(parseDollars(day.amount))
      expect(debits.length).toBe(day.requests)
    }
  }
})

test('movements of two periods next to each other add up, and open where the one before closed', async () => {
  const { views, history } = await threeWeeks()
  const { accountId } = history
  const snapshot = await views.movementsSnapshot()
  onTestFinished(() => snapshot.close())
  const quarter = fc.integer({ min: -10, max: 40 * 96 }).map((n) => START_MS + n * 900_000)
  const whole = snapshot.movements(accountId, START_MS - 10 * HOUR_MS, NOW_MS)
  expect(whole.opening).toBe(0n)
  expect(whole.closing).toBe(history.balance)
  fc.assert(
    fc.property(quarter, (middle) => {
      const first = snapshot.movements(accountId, START_MS - 10 * HOUR_MS, middle)
      const second = snapshot.movements(accountId, middle, NOW_MS)
      expect(first.closing).toBe(second.opening)
      expect(first.used + second.used).toBe(whole.used)
      for (const month of [first, second]) {
        const { opening, payments, promotional, used, expired, refunded, corrected } = month
        expect(opening + payments + promotional - used - expired - refunded + corrected).toBe(
          month.closing,
        )
      }
    }),
  )
})

/** @param everyHours how far one request is from the next */
function spender(name: string, everyHours: number): AccountHistory {
  const history = new AccountHistory(name).open()
  const keys = [history.keyId, history.key('second')]
  for (let i = 0; i < 20; i += 1) {
    const at = START_MS + i * everyHours * HOUR_MS
    const id = requestId(at, `${name} ${i}`)
    history.accept(id, at, { keyId: keys[i % 2] ?? history.keyId }).settle(id, at)
  }
  return history
}

/** A moment behind everything that is ever used here. */
const FAR_MS = START_MS + 10_000 * HOUR_MS

/** Asks what each account has used since a moment, as its own page of usage says it. */
function usedSince(views: Views, accountIds: readonly string[], fromMs: number) {
  return accountIds.map((accountId) => {
    return views.usage({ accountId, edges: [fromMs, FAR_MS], groupBy: [] }).total.amount
  })
}

function spentSince(views: Views, accountIds: readonly string[], fromMs: number) {
  const debited = accountIds.map((accountId) => {
    return { accountId, debitedTotal: views.account(accountId)?.debitedTotal ?? 0n }
  })
  return views.spentSince(debited, fromMs)
}

test('what all accounts spent since a moment is what each of them used since', async () => {
  const store = new MemoryEventStore()
  const accounts = [spender('Ada', 13), spender('Grace', 13), spender('Alan', 1)]
  accounts.push(new AccountHistory('nobody').open())
  for (const history of accounts) await history.writeTo(store)
  const { views } = await viewsOf(inBatchesOf(7, store))
  const accountIds = accounts.map(({ accountId }) => accountId)
  for (const hour of [0, 30, 100, 500, 30]) {
    const from = START_MS + hour * HOUR_MS
    const used = usedSince(views, accountIds, from)
    expect(spentSince(views, accountIds, from)).toEqual(used)
    expect(spentSince(views, accountIds.toReversed(), from)).toEqual(used.toReversed())
  }
})

test('keys know what they spent and when they were last used, also by a request that failed', async () => {
  const { views, history, requests } = await threeWeeks()
  const keys = views.keys(history.accountId)
  expect(keys.map(({ name }) => name).toSorted()).toEqual(['laptop', 'phone', 'server'])
  for (const key of keys) {
    const own = requests.filter(({ keyId }) => keyId === key.keyId)
    const { requests: count, amount } = sumOf(own)
    expect(key).toMatchObject({ requests: count, amount } satisfies Partial<UsedTokens>)
    expect(key.lastUsedAt).toBe(Math.max(...own.map(({ acceptedAt }) => acceptedAt)))
  }
  const unused = new AccountHistory('Bob').open()
  expect(views.keys(unused.accountId)).toEqual([])
})

test('requests are found by time, key, format and status, the newest first, page by page', async () => {
  const { views, history, requests } = await threeWeeks()
  const { accountId } = history
  const asked = fc.record(
    {
      key_id: fc.constantFrom(...new Set(requests.map(({ keyId }) => keyId))),
      format: fc.constantFrom(...wireFormats),
      status: fc.constantFrom('finished', 'failed', 'stopped', 'running'),
      model: fc.constantFrom('svc-beta', 'another'),
      from: fc.constantFrom('2026-10-31', '2026-11-01', '2026-11-01T00:00:00.030Z'),
      to: fc.constantFrom('2026-11-01T00:00:00.090Z', '2026-11-02'),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(asked, fc.integer({ min: 1, max: 100 }), async (fields, limit) => {
      const found: string[] = []
      for (let cursor: string | undefined; ; ) {
        const query = requestsQuery.parse({ ...fields, limit, cursor })
        const page = await requestsPage(views, accountId, query, async () => {})
        expect(page.data.length).toBeLessThanOrEqual(limit)
        found.push(...page.data.map(({ id }) => id))
        if (page.next_cursor === null) break
        cursor = page.next_cursor
      }
      const { from = '2026-10-01', to = '2026-12-01' } = fields
      const expected = requests.filter(
        ({ requestId: id, keyId, format, status, model }) =>
          idTimeMs(id) >= Date.parse(from) &&
          idTimeMs(id) < Date.parse(to) &&
          keyId === (fields.key_id ?? keyId) &&
          format === (fields.format ?? format) &&
          status === (fields.status ?? status) &&
          model === (fields.model ?? model),
      )
      expect(found).toEqual(expected.map(({ requestId: id }) => id).toReversed())
    }),
    { numRuns: 40 },
  )
})

test('a cursor leads on in the list that gave it, and in no other', async () => {
  const { views, history } = await threeWeeks()
  const asked = { from: '2026-10-30', to: '2026-12-01', limit: 3 }
  const [first] = pagesOf(views, history.accountId, asked)
  const cursor = first?.next_cursor
  if (cursor == null) throw new Error('there is one page only')
  const page = (accountId: string, fields: object) => () =>
    usagePage(views, accountId, query({ ...asked, cursor, ...fields }), NOW_MS)
  expect(page(history.accountId, {})().data).not.toEqual([])
  const refusal = expect.objectContaining({ code: 'invalid_value', param: 'cursor' })
  expect(page(new AccountHistory('Bob').accountId, {})).toThrow(refusal)
  expect(page(history.accountId, { from: '2026-10-31' })).toThrow(refusal)
  expect(page(history.accountId, { cursor: `9${cursor.slice(1)}` })).toThrow(refusal)
})

test.each([
  [{ zone: 'Mars/Phobos' }, 'zone', /there is no time zone/],
  [{ from: '2026-11-10', to: '2026-11-01' }, 'from', /begin at 2026-11-10.*end at 2026-11-01/],
  [{ from: '2026-11-01', to: '2026-11-01' }, 'from', /begin at/],
  [{ from: '2026-11-01T00:07:00Z' }, 'from', /quarter of an hour/],
  [{ from: '1883-11-18', zone: 'America/New_York' }, 'from', /in this century/],
  [{ zone: '+05:07', from: '2026-11-01' }, 'from', /quarter of an hour/],
  [{ cursor: 'req_1.0000000000000000' }, 'cursor', /belongs to no page/],
])('%j is refused at %s', async (fields, param, message) => {
  const { views } = await viewsOf(new MemoryEventStore())
  const ask = () => usagePage(views, 'acct_x', query(fields), NOW_MS)
  expect(ask).toThrow(expect.objectContaining({ code: 'invalid_value', param }))
  expect(ask).toThrow(message)
})

test('what was spent since is right while accounts go on, also late and with clocks that jump', async () => {
  const store = new MemoryEventStore()
  const accounts = [spender('Ada', 13), spender('Grace', 2), new AccountHistory('new').open()]
  for (const history of accounts) await history.writeTo(store)
  const projections = await viewsOf(store)
  const { views } = projections
  const accountIds = accounts.map(({ accountId }) => accountId)
  const from = START_MS + 100 * HOUR_MS
  const expectSpent = (start: number) => {
    expect(spentSince(views, accountIds, start)).toEqual(usedSince(views, accountIds, start))
  }
  expectSpent(from)
  for (const [turn, hour] of [50, 99, 700, 99, 899, 901].entries()) {
    for (const [index, history] of accounts.entries()) {
      const at = START_MS + hour * HOUR_MS
      const id = requestId(at, `${turn} ${index}`)
      await history.accept(id, at).settle(id, at).writeTo(store)
    }
    await projections.reached(await store.lastPosition(), 10_000)
    expectSpent(from)
    expectSpent(from + 24 * HOUR_MS)
  }
})
