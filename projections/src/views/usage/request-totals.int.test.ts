/** What requests come to is what the list of them adds up to, whatever is asked for. */
import { wireFormats } from '@svc/contracts/events/account'
import { formatExact, parseDollars } from '@svc/contracts/money'
import {
  type RequestTotalsAnswer,
  requestsQuery,
  requestTotalsQuery,
} from '@svc/contracts/wire/requests'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dump, inBatchesOf, TIMEOUT_MS, viewsOf } from '../../../testing/open-views.ts'
import { requestTotals } from '../../answers/request-totals-answer.ts'
import { requestsPage } from '../../answers/requests-answer.ts'
import type { Views } from '../views.ts'

const MINUTE_MS = 60_000
/** How many lists a request can be in: a key, and what becomes of it. */
const LISTS = 21
/** When each list gets one request more, in minutes: close together, and hours apart. */
const ROUNDS = [0, 4, 8, 200, 204, 600, 1_000, 1_004]
const MINUTES_BETWEEN = 7
const STEPS_PER_COMMIT = 30
/**
 * How many minutes requests take: most end in the quarter in which they came, and some are
 * overtaken by those of many later ones.
 */
const MINUTES_TAKEN = [0.1, 1, 0.5, 11, 40, 480, 2]
const OUTCOMES = ['stop', 'cancelled', 'error', 'failed', 'abandoned', 'running', 'stop'] as const
const ZONES = ['UTC', '+05:30', 'Asia/Kathmandu', 'America/Los_Angeles'] as const

/** Makes two days of requests over three keys that end in another order than they come in. */
function twoDays() {
  const history = new AccountHistory('Ada').open()
  const keys = [history.keyId, history.key('phone'), history.key('server')]
  const steps: { readonly at: number; readonly add: () => unknown }[] = []
  for (let i = 0; i < LISTS * ROUNDS.length; i += 1) {
    const minutes = (i % LISTS) * MINUTES_BETWEEN + (ROUNDS[Math.floor(i / LISTS)] ?? 0)
    const at = START_MS + minutes * MINUTE_MS + (i % 13) * 1_000
    const id = requestId(at, `${i}`)
    const [keyId, format] = [keys[i % 3], wireFormats[i % wireFormats.length]]
    if (keyId === undefined || format === undefined) throw new Error('no key')
    steps.push({ at, add: () => history.accept(id, at, { keyId, format }) })
    // Requests of one outcome take as long as all others: only so do they overtake each other.
    const taken = MINUTES_TAKEN[(i + Math.floor(i / OUTCOMES.length)) % MINUTES_TAKEN.length] ?? 1
    const endsAt = at + taken * MINUTE_MS
    const outcome = OUTCOMES[(i * 3) % OUTCOMES.length] ?? 'stop'
    const counts = { inputTokens: i * 7, cachedInputTokens: i % 3, outputTokens: 200 - i }
    const end = () => {
      if (outcome === 'failed') history.fail(id, 'no_worker', endsAt)
      else if (outcome === 'abandoned') history.abandon(id, 'deadline', endsAt)
      else if (outcome !== 'running') history.settle(id, endsAt, counts, outcome)
    }
    steps.push({ at: endsAt, add: end })
  }
  const inOrder = steps.toSorted((one, other) => one.at - other.at).map(({ add }) => add)
  return { history, steps: inOrder }
}

/** All of it in a store. */
async function twoDaysStored() {
  const store = new MemoryEventStore()
  const { history, steps } = twoDays()
  for (const add of steps) add()
  await history.writeTo(store)
  return { store, accountId: history.accountId }
}

type Total = RequestTotalsAnswer['total']

/** Adds up every page of the list. */
async function listed(views: Views, accountId: string, fields: object) {
  const byStatus = new Map<string, Total>()
  for (let cursor: string | undefined; ; ) {
    const query = requestsQuery.parse({ ...fields, limit: 100, cursor })
    const page = await requestsPage(views, accountId, query, async () => {})
    for (const { status, usage, amount } of page.data) {
      const before = byStatus.get(status)
      byStatus.set(status, {
        requests: (before?.requests ?? 0) + 1,
        input_tokens: (before?.input_tokens ?? 0) + usage.input_tokens,
        cached_input_tokens: (before?.cached_input_tokens ?? 0) + usage.cached_input_tokens,
        output_tokens: (before?.output_tokens ?? 0) + usage.output_tokens,
        amount: formatExact(parseDollars(before?.amount ?? '0') + parseDollars(amount)),
      })
    }
    if (page.next_cursor === null) return byStatus
    cursor = page.next_cursor
  }
}

test('totals of every filter, status and period are those of the rows: UX-04, UX-32', async () => {
  const { store, accountId } = await twoDaysStored()
  const { views } = await viewsOf(inBatchesOf(7, store))
  const whole = await listed(views, accountId, {})
  expect(whole.size).toBe(5)
  const asked = fc.record(
    {
      key_id: fc.constantFrom(...views.keys(accountId).map(({ keyId }) => keyId)),
      format: fc.constantFrom(...wireFormats),
      status: fc.constantFrom(...whole.keys()),
      model: fc.constantFrom('svc-beta', 'another'),
      zone: fc.constantFrom(...ZONES),
      from: fc.constantFrom('2026-10-31', '2026-11-01', '2026-11-01T02:15:00Z'),
      to: fc.constantFrom('2026-11-01T09:30:00Z', '2026-11-02', '2026-11-03'),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(asked, async (fields) => {
      const totals = requestTotals(views, accountId, requestTotalsQuery.parse(fields), START_MS)
      const rows = await listed(views, accountId, fields)
      const byStatus = new Map(totals.data.map(({ status, ...total }) => [status as string, total]))
      expect(byStatus).toEqual(rows)
      const amounts = totals.data.map(({ amount }) => parseDollars(amount))
      expect(totals.total.amount).toBe(formatExact(amounts.reduce((sum, each) => sum + each, 0n)))
      const counts = totals.data.map(({ requests }) => requests)
      expect(totals.total.requests).toBe(counts.reduce((sum, each) => sum + each, 0))
    }),
    { numRuns: 60 },
  )
})

test.each([undefined, 'finished', 'running'])(
  'a period of which a request still runs is not over: asked for %s',
  async (status) => {
    const history = new AccountHistory('Ada').open()
    const id = requestId(START_MS, '1')
    history.accept(id, START_MS)
    const to = '2026-11-02'
    const longAfter = Date.parse(to) + 30 * MINUTE_MS
    const store = new MemoryEventStore()
    const over = async () => {
      await history.writeTo(store)
      const { views } = await viewsOf(store)
      const query = requestTotalsQuery.parse({ to, status })
      return requestTotals(views, history.accountId, query, longAfter).over
    }
    expect(await over()).toBe(false)
    history.settle(id, longAfter, { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 }, 'stop')
    expect(await over()).toBe(true)
  },
)

test.each([
  ['is read in pages of other sizes', (folder: string) => readInPages(folder, 7)],
  ['grows while it is followed', (folder: string) => followed(folder, { restarts: false })],
  ['grows between restarts', (folder: string) => followed(folder, { restarts: true })],
])('the rows are the same where the log %s', async (_, read) => {
  const [whole, folder] = [temporaryFolder(), temporaryFolder()]
  await readInPages(whole, 1_000)
  await read(folder)
  expect(dump(folder)).toBe(dump(whole))
})

async function readInPages(folder: string, size: number): Promise<void> {
  const { store } = await twoDaysStored()
  await viewsOf(inBatchesOf(size, store), folder)
}

/** Commits after every few steps, so that rows are continued from the table too. */
async function followed(folder: string, { restarts }: { restarts: boolean }): Promise<void> {
  const store = new MemoryEventStore()
  const { history, steps } = twoDays()
  let following = await viewsOf(store, folder)
  for (let from = 0; from < steps.length; from += STEPS_PER_COMMIT) {
    for (const add of steps.slice(from, from + STEPS_PER_COMMIT)) add()
    await history.writeTo(store)
    if (restarts) {
      await following.close()
      following = await viewsOf(store, folder)
    }
    await following.reached(await store.lastPosition(), TIMEOUT_MS)
  }
}

test.each([
  [{ from: '2026-11-01T00:07:00Z' }, 'from'],
  [{ to: '2026-11-01', zone: '+05:07' }, 'to'],
  [{ from: '2026-11-10', to: '2026-11-01' }, 'from'],
  [{ zone: 'Mars/Phobos' }, 'zone'],
])('%j is refused at %s', async (fields, param) => {
  const { views } = await viewsOf(new MemoryEventStore())
  const ask = () => requestTotals(views, 'acct_x', requestTotalsQuery.parse(fields), START_MS)
  expect(ask).toThrow(expect.objectContaining({ code: 'invalid_value', param }))
})
