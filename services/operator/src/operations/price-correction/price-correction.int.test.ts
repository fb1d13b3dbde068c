/** A wrong price is made good, customer by customer: tried, done, broken off, begun again. */
import type { CorrectedAccount, CorrectionResult } from '@svc/contracts/admin/corrections'
import type { OperationInput, Operations } from '@svc/contracts/admin/operations'
import { ServiceError } from '@svc/contracts/errors'
import { formatExact } from '@svc/contracts/money'
import { costOf } from '@svc/contracts/price'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { AccountHistory, PRICE, requestId, START_MS } from '@svc/testing/account-history'
import { folderWithHistory } from '@svc/testing/data-folders'
import { describe, expect, test } from 'vitest'
import { collect, openOperations, remoteAt, serveOperations } from '../../../testing/operations.ts'

const MINUTE_MS = 60_000
const COUNTS = { inputTokens: 20, cachedInputTokens: 100, outputTokens: 42 }
/** A tenth of the published price, which had the point at the wrong place. */
const RIGHT = { input: '0.015', cached_input: '0.0015', output: '0.06' }
const rates = { input: 15_000n, cachedInput: 1_500n, output: 60_000n }
const DIFFERENCE = costOf(PRICE, COUNTS) - costOf(rates, COUNTS)

type Asked = Omit<OperationInput<'correctPrice'>, 'version'>
const asked: Asked = { ...RIGHT, reason: 'the point was wrong', idempotency_key: 'correction-1' }

function requests(name: string, count: number): AccountHistory {
  const account = new AccountHistory(name, START_MS + name.length).open()
  for (let index = 1; index <= count; index += 1) {
    const at = START_MS + index * MINUTE_MS
    const id = requestId(at, name)
    account.accept(id, at).settle(id, at + 900, COUNTS)
  }
  return account
}

/**
 * Opens a service that has, beside the one account of the history, one with three requests and one
 * with a running one.
 */
async function open(isRemote = false): Promise<{ operations: Operations; ids: readonly string[] }> {
  const { path, account } = await folderWithHistory()
  const store = openSqliteEventStore(new DataFolder(path).ledgerFile, { onFatal: () => {} })
  const others = [requests('B', 3), requests('CC', 1)]
  const at = START_MS + 60 * MINUTE_MS
  others[1]?.accept(requestId(at, 'running'), at)
  for (const other of others) await other.writeTo(store)
  await store.close()
  const local = await openOperations(path)
  const operations = isRemote ? remoteAt(await serveOperations(local)) : local
  await operations.publishPrice({
    model: 'svc-beta',
    ...RIGHT,
    effective_from: null,
    confirm: true,
  })
  return { operations, ids: [account, ...others].map(({ accountId }) => accountId) }
}

const version = PRICE.version

async function run(operations: Operations, terms: Partial<Asked> = {}) {
  const lines = await collect(operations.correctPrice({ version, ...asked, ...terms }))
  const accounts = lines.filter((line): line is CorrectedAccount => line.type === 'account')
  const result = lines.find((line): line is CorrectionResult => line.type === 'result')
  if (result === undefined) throw new Error('no result')
  return { accounts, result, amounts: accounts.map(({ amount }) => amount) }
}

async function adjustments(operations: Operations): Promise<readonly unknown[]> {
  const { events } = await operations.listEvents({ type: 'BalanceAdjusted', limit: 100 })
  return events.map(({ stream }) => stream)
}

async function refusalOf(operations: Operations, terms: Partial<OperationInput<'correctPrice'>>) {
  try {
    await collect(operations.correctPrice({ version, ...asked, ...terms }))
  } catch (error) {
    if (error instanceof ServiceError) return [error.code, error.param]
    throw error
  }
  return 'done'
}

const times = (count: number) => formatExact(DIFFERENCE * BigInt(count))

describe.each([
  ['local', false],
  ['remote', true],
])('%s', (_name, isRemote) => {
  test('is tried, done once, and found done; each amount is old cost less new cost', async () => {
    const { operations, ids } = await open(isRemote)
    const { idempotency_key: _, ...trial } = asked
    const tried = await collect(operations.correctPrice({ version, ...trial, dry_run: true }))
    expect(tried[0]).toEqual({ type: 'progress', accounts: 0, total: 3 })
    expect(tried.at(-1)).toMatchObject({ type: 'result', run_id: null, dry_run: true, created: 0 })
    expect(await adjustments(operations)).toEqual([])
    const { events } = await operations.listEvents({ type: 'PriceCorrected', limit: 10 })
    expect(events).toEqual([])

    const first = await run(operations)
    expect(first.amounts).toEqual([times(2), times(3), times(1)])
    expect(first.accounts.map(({ created }) => created)).toEqual([true, true, false])
    expect(first.accounts[2]?.problem).toMatch(/runs at this price/)
    expect(first.result).toMatchObject({
      requests: 6,
      accounts: 3,
      created: 2,
      problems: 1,
      amount: times(6),
      old: { input: '0.15', cached_input: '0.015', output: '0.60' },
      new: { input: '0.015', cached_input: '0.0015', output: '0.06' },
    })
    expect(await adjustments(operations)).toHaveLength(2)

    const again = await run(operations)
    expect(again.amounts).toEqual(first.amounts)
    expect(again.result).toEqual({ ...first.result, created: 0 })
    const other = await run(operations, { idempotency_key: 'correction-2' })
    expect(other.amounts).toEqual(['0.00', '0.00', times(1)])
    expect(await adjustments(operations)).toHaveLength(2)

    const statement = await operations.statement({ account_id: ids[1] ?? '', limit: 100 })
    expect(statement.rows.at(-1)).toMatchObject({
      type: 'adjustment',
      credit: times(3),
      reason: asked.reason,
      description: expect.stringContaining(version),
    })
    const reconciled = (await collect(operations.reconcile())).at(-1)
    expect(reconciled).toMatchObject({ type: 'result', ok: true })
  })

  test('that breaks off is begun again with the same key, and nothing is done twice', async () => {
    const { operations } = await open(isRemote)
    for await (const { type } of operations.correctPrice({ version, ...asked })) {
      if (type === 'account') break
    }
    const done = (await adjustments(operations)).length
    expect(done).toBeGreaterThan(0)
    const { result, accounts } = await run(operations)
    expect(result.amount).toBe(times(6))
    // A server may have been at the next account when its caller left.
    expect(result.created).toBeLessThanOrEqual(2 - done)
    expect(accounts[0]).toMatchObject({ created: false, amount: times(2) })
    expect(new Set(await adjustments(operations)).size).toBe(2)
    expect(await adjustments(operations)).toHaveLength(2)
  })
})

test('two runs of one key at the same time correct each account once', async () => {
  const { operations } = await open()
  const both = await Promise.all([run(operations), run(operations)])
  expect(both.map(({ result }) => result.amount)).toEqual([times(6), times(6)])
  expect(both[0].result.created + both[1].result.created).toBe(2)
  expect(await adjustments(operations)).toHaveLength(2)
})

test('what was refunded is not given back again, nor is more refunded than is left', async () => {
  const { operations, ids } = await open()
  const at = START_MS + MINUTE_MS
  const account_id = ids[1] ?? ''
  const refund = { account_id, request_id: requestId(at, 'B'), reason: 'r' }
  await operations.refund({ ...refund, amount: null })
  const { amounts } = await run(operations)
  expect(amounts[1]).toBe(times(2))
  const late = { ...refund, request_id: requestId(at + MINUTE_MS, 'B'), amount: null }
  const moved = await operations.refund(late)
  expect(moved.amount).toBe(formatExact(costOf(rates, COUNTS)))
})

test('of a period is about the requests that came in then', async () => {
  const { operations } = await open()
  const from = new Date(START_MS + 2 * MINUTE_MS).toISOString()
  const to = new Date(START_MS + 3 * MINUTE_MS).toISOString()
  const { amounts, result } = await run(operations, { from, to })
  expect(amounts).toEqual([times(1), times(1)])
  expect(result).toMatchObject({ from, to, problems: 0 })
  const rest = await run(operations, { idempotency_key: 'the rest' })
  expect(rest.amounts).toEqual([times(1), times(2), times(1)])
})

test('a closed account is named, and the others are corrected', async () => {
  const { operations, ids } = await open()
  await operations.closeAccount({ account_id: ids[1] ?? '', remainder: 'written_off', reason: 'r' })
  const { accounts, result } = await run(operations)
  expect(accounts[1]).toMatchObject({ created: false, problem: expect.stringMatching(/closed on/) })
  expect(result).toMatchObject({ created: 1, problems: 2 })
})

test('the month tells it as corrected', async () => {
  const { operations, ids } = await open()
  await run(operations)
  const month = new Date().toISOString().slice(0, 7)
  const { customers } = await operations.month({ month, zone: 'UTC' })
  const corrected = customers.find(({ account_id }) => account_id === ids[1])?.corrected
  expect(corrected).toBe(times(3))
})

const soon = new Date(Date.now() + 3_600_000).toISOString()
const late = new Date(START_MS + 9 * MINUTE_MS).toISOString()
const early = new Date(START_MS + MINUTE_MS).toISOString()

test.each<[string, Partial<OperationInput<'correctPrice'>>, string, string | null]>([
  ['an unknown version', { version: 'price_00000000000000000000000000' }, 'not_found', 'version'],
  ['no id of a price', { version: 'x' }, 'not_found', 'version'],
  [
    'the price that it has',
    { input: '0.15', cached_input: '0.015', output: '0.6' },
    'invalid_value',
    'rates',
  ],
  ['a price below zero', { input: '-1' }, 'invalid_value', 'input'],
  ['a price that is none', { output: 'NaN' }, 'invalid_value', 'output'],
  ['a price of too many digits', { output: '0.0000000001' }, 'invalid_value', 'output'],
  ['a cached token that costs more', { cached_input: '9' }, 'invalid_value', 'rates'],
  ['a period turned round', { from: late, to: early }, 'invalid_value', 'from'],
  ['a period without an instant', { from: early, to: early }, 'invalid_value', 'from'],
  ['a period in the future', { to: soon }, 'invalid_value', 'to'],
  [
    'a run without a key',
    { idempotency_key: undefined },
    'missing_required_parameter',
    'idempotency_key',
  ],
])('%s is refused, and leaves no event', async (_what, terms, code, param) => {
  const { operations } = await open()
  const before = (await operations.status()).projections[0]?.head
  expect(await refusalOf(operations, terms)).toEqual([code, param])
  expect((await operations.status()).projections[0]?.head).toBe(before)
})

test('a price that is in force, and one that has never been, are refused', async () => {
  const { operations } = await open()
  const [, inForce] = await operations.listPrices()
  const terms = { version: inForce?.version ?? '', input: '9', cached_input: '1', output: '9' }
  expect(await refusalOf(operations, terms)).toEqual(['conflict', 'to'])
  const announced = await operations.publishPrice({
    model: 'svc-beta',
    ...RIGHT,
    effective_from: soon,
    confirm: true,
  })
  expect(await refusalOf(operations, { ...terms, version: announced.version })).toEqual([
    'conflict',
    null,
  ])
})

test('a key that stands for another run is refused before anything is corrected', async () => {
  const { operations } = await open()
  const to = new Date(START_MS + 3 * MINUTE_MS).toISOString()
  await run(operations, { to })
  const done = await adjustments(operations)
  expect(await refusalOf(operations, { to: late })).toEqual(['conflict', null])
  expect(await refusalOf(operations, { to, output: '0.07' })).toEqual(['conflict', null])
  expect(await adjustments(operations)).toEqual(done)
  // A field that is left out the second time is as it was the first time.
  expect((await run(operations)).result.to).toBe(to)
})
