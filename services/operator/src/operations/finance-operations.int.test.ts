/** The close of a month against an independent sum over the very events. */
import { rootCaller } from '@svc/contracts/admin/caller'
import { makeDerivedId } from '@svc/contracts/ids'
import { formatExact } from '@svc/contracts/money'
import { AccountHistory, requestId } from '@svc/testing/account-history'
import { openRunningService } from '@svc/testing/running-service'
import { describe, expect, test } from 'vitest'

const HOUR_MS = 3_600_000
const FIRST_MS = Date.UTC(2026, 8, 25, 13, 7)
const ACCOUNTS = 3
const REQUESTS = 500

interface Moved {
  readonly at: number
  readonly kind: 'payments' | 'promotional' | 'used' | 'expired'
  readonly amount: bigint
}

/** Ten weeks of requests, with a gift that expires and a second payment. */
function tenWeeks(index: number): { history: AccountHistory; moved: readonly Moved[] } {
  const history = new AccountHistory(`customer ${index}`, FIRST_MS)
  const opened = FIRST_MS + index
  history.open(opened)
  const moved: Moved[] = [{ at: opened, kind: 'payments', amount: history.balance }]
  for (let i = 0; i < REQUESTS; i += 1) {
    const at = FIRST_MS + HOUR_MS + i * 3.37 * HOUR_MS + index * 1_234_567
    const id = requestId(at, `${index} ${i}`)
    const before = history.balance
    history.accept(id, at)
    if (i % 9 === 8) history.fail(id, 'no_worker', at)
    else history.settle(id, at, { inputTokens: i, cachedInputTokens: index, outputTokens: 7 * i })
    if (history.balance !== before) {
      moved.push({ at, kind: 'used', amount: before - history.balance })
    }
    if (i % 100 === 50) moved.push(...gift(history, index, at))
  }
  return { history, moved }
}

/** Credit that is given and taken away by time in the same quarter of an hour. */
function gift(history: AccountHistory, index: number, at: number): readonly Moved[] {
  const grantId = makeDerivedId('grant', at, `${index}`)
  const amount = 123_456_789n
  history.balance += amount
  history.add(grantId, {
    type: 'CreditGranted',
    data: {
      grantId,
      amount,
      category: 'promotional',
      priority: 1,
      expiresAt: at + 1,
      reference: null,
      reason: 'a gift',
      changeId: null,
      paidDebt: 0n,
      balanceAfter: history.balance,
      at,
    },
  })
  history.balance -= amount
  history.add(grantId, {
    type: 'CreditExpired',
    data: { grantId, amount, balanceAfter: history.balance, at: at + 1 },
  })
  return [
    { at, kind: 'promotional', amount },
    { at: at + 1, kind: 'expired', amount },
  ]
}

function expectedOf(moved: readonly Moved[], from: number, to: number) {
  const sum = (kind: Moved['kind'], start: number, end: number) =>
    moved
      .filter((each) => each.kind === kind && each.at >= start && each.at < end)
      .reduce((total, { amount }) => total + amount, 0n)
  const balanceAt = (time: number) =>
    sum('payments', 0, time) +
    sum('promotional', 0, time) -
    sum('used', 0, time) -
    sum('expired', 0, time)
  return {
    opening: formatExact(balanceAt(from)),
    payments: formatExact(sum('payments', from, to)),
    promotional: formatExact(sum('promotional', from, to)),
    used: formatExact(sum('used', from, to)),
    expired: formatExact(sum('expired', from, to)),
    refunded: '0.00',
    corrected: '0.00',
    closing: formatExact(balanceAt(to)),
  }
}

// These months have both of the days on which clocks change in Berlin and Los Angeles.
const months = [
  ['2026-10', 'UTC', '2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z'],
  ['2026-10', 'Europe/Berlin', '2026-10-01T00:00:00+02:00', '2026-11-01T00:00:00+01:00'],
  ['2026-11', 'America/Los_Angeles', '2026-11-01T00:00:00-07:00', '2026-12-01T00:00:00-08:00'],
  ['2026-10', 'Asia/Kathmandu', '2026-10-01T00:00:00+05:45', '2026-11-01T00:00:00+05:45'],
  ['2026-11', '+05:30', '2026-11-01T00:00:00+05:30', '2026-12-01T00:00:00+05:30'],
  ['2026-08', 'UTC', '2026-08-01T00:00:00Z', '2026-09-01T00:00:00Z'],
] as const

test('a month of every customer is what its events sum up to, in every zone', async () => {
  const { store, operationsOf } = await openRunningService()
  const businesses = Array.from({ length: ACCOUNTS }, (_, index) => tenWeeks(index))
  for (const { history } of businesses) await history.writeTo(store)
  const operations = operationsOf(rootCaller)
  for (const [month, zone, from, to] of months) {
    const report = await operations.month({ month, zone })
    expect(report).toMatchObject({ month, zone, currency: 'USD', from, to })
    expect(report.position).toBe(`${await store.lastPosition()}`)
    const inMonth = businesses.filter(({ moved }) => (moved[0]?.at ?? 0) < Date.parse(to))
    expect(report.customers).toHaveLength(inMonth.length)
    for (const { history, moved } of inMonth) {
      const { accountId } = history
      const expected = expectedOf(moved, Date.parse(from), Date.parse(to))
      const shown = report.customers.find(({ account_id }) => account_id === accountId)
      expect(shown).toEqual({ account_id: accountId, external_id: null, name: 'Ada', ...expected })
    }
    const all = inMonth.flatMap(({ moved }) => moved)
    expect(report.totals).toEqual(expectedOf(all, Date.parse(from), Date.parse(to)))
  }
})

test('a month is over at the first moment of the next in its zone, by the clock of the server', async () => {
  const time = { ms: Date.parse('2026-12-01T00:00:00Z') - 1 }
  const { operationsOf } = await openRunningService({ clock: { nowMs: () => time.ms } })
  const operations = operationsOf(rootCaller)
  const isOver = async (month: string, zone = 'UTC') =>
    (await operations.month({ month, zone })).over
  expect(await isOver('2026-10')).toBe(true)
  expect(await isOver('2026-11', 'Asia/Kathmandu')).toBe(true)
  expect(await isOver('2026-11')).toBe(false)
  expect(await isOver('2027-03')).toBe(false)
  time.ms += 1
  expect(await isOver('2026-11')).toBe(true)
  expect(await isOver('2026-11', 'America/Los_Angeles')).toBe(false)
})

test('what moved before an account was opened, by another clock, is in the month', async () => {
  const { store, operationsOf } = await openRunningService()
  const october = Date.UTC(2026, 9, 1)
  const amount = 5_000_000_000_000n
  const early = new AccountHistory('early', october)
  const accountId = early.accountId
  const terms = { spendPolicy: 'standard', externalId: null, metadata: {} } as const
  const opened = { accountId, name: 'early', currency: 'USD', ...terms } as const
  const payment = { category: 'paid', priority: 1, expiresAt: null, reference: null } as const
  const granted = {
    grantId: early.grantId,
    amount,
    ...payment,
    reason: 'a payment',
    paidDebt: 0n,
    changeId: null,
  }
  early
    .add(accountId, { type: 'AccountOpened', data: { ...opened, at: october + 500 } })
    .add(early.grantId, {
      type: 'CreditGranted',
      data: { ...granted, balanceAfter: amount, at: october - 500 },
    })
  await early.writeTo(store)
  await new AccountHistory('later', october).open(october + 1_000).writeTo(store)
  const operations = operationsOf(rootCaller)
  const september = await operations.month({ month: '2026-09', zone: 'UTC' })
  expect(september.customers).toMatchObject([
    { account_id: accountId, opening: '0.00', payments: '5.00', closing: '5.00' },
  ])
  const next = await operations.month({ month: '2026-10', zone: 'UTC' })
  expect(next.customers).toMatchObject([
    { account_id: accountId, opening: '5.00', payments: '0.00' },
    { opening: '0.00', payments: '5.00' },
  ])
  expect(next.totals.opening).toBe(september.totals.closing)
  expect((await operations.month({ month: '2026-08', zone: 'UTC' })).customers).toEqual([])
})

describe('a month is refused', () => {
  test.each([
    [{ month: '2026-13' }, 'month'],
    [{ month: 'October' }, 'month'],
    [{ month: '2026-10', zone: 'Mars/Phobos' }, 'zone'],
    [{ month: '2026-10', zone: '+05:07' }, 'zone'],
  ])('%j', async (asked, param) => {
    const { operationsOf } = await openRunningService()
    await expect(operationsOf(rootCaller).month(asked)).rejects.toMatchObject({
      code: 'invalid_value',
      param,
    })
  })
})
