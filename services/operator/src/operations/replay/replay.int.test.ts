/** The past, folded anew: what was known at every position is what a replay up to there says. */
import { rootCaller } from '@svc/contracts/admin/caller'
import type { Operations } from '@svc/contracts/admin/operations'
import { accountStream } from '@svc/contracts/events/account'
import { encodeEvent } from '@svc/contracts/events/codec'
import { eventId } from '@svc/contracts/ids'
import { formatExact } from '@svc/contracts/money'
import { AccountHistory, HOLD, requestId, START_MS } from '@svc/testing/account-history'
import { openRunningService } from '@svc/testing/running-service'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  collect,
  localOperations,
  type OpenedOperations,
  remoteAt,
  serveOperations,
} from '../../../testing/operations.ts'

interface Known {
  readonly accounts: Readonly<Record<string, { readonly settled: string; readonly held: string }>>
  readonly nextMs: number
}

/** Three accounts whose requests come in turns, and what was known behind every write. */
async function business() {
  const { store, operationsOf } = await openRunningService()
  const operations = operationsOf(rootCaller)
  const histories = ['Ada', 'Bob', 'Eve'].map((name, i) => new AccountHistory(name, START_MS + i))
  const running = new Map(histories.map((history) => [history, 0]))
  const known = new Map<bigint, Known>([[-1n, { accounts: {}, nextMs: START_MS }]])
  const opened: AccountHistory[] = []
  let at = START_MS
  const write = async (history: AccountHistory): Promise<void> => {
    await history.writeTo(store)
    at += 1_000
    const accounts = opened.map((each) => {
      const held = formatExact(BigInt(running.get(each) ?? 0) * HOLD)
      return [each.accountId, { settled: formatExact(each.balance), held }] as const
    })
    known.set(await store.lastPosition(), { accounts: Object.fromEntries(accounts), nextMs: at })
  }
  for (const history of histories) {
    opened.push(history)
    await write(history.open(at))
  }
  for (let i = 0; i < 40; i += 1) {
    const history = histories[i % histories.length] as AccountHistory
    const id = requestId(at, history.accountId, `${i}`)
    running.set(history, 1)
    await write(history.accept(id, at))
    running.set(history, 0)
    if (i % 7 === 6) await write(history.fail(id, 'no_worker', at))
    else
      await write(history.settle(id, at, { inputTokens: i, cachedInputTokens: 1, outputTokens: 9 }))
  }
  return { operations, histories, known, store }
}

async function replayed(operations: Operations, input: Parameters<Operations['replay']>[0]) {
  const lines = await collect(operations.replay(input))
  const result = lines.at(-1)
  if (result?.type !== 'result') throw new Error('there is no result')
  const accounts = lines.flatMap((line) => (line.type === 'account' ? [line.account] : []))
  const entries = lines.flatMap((line) => (line.type === 'entry' ? [line.entry] : []))
  return { accounts, entries, result }
}

test('balances are those that were known at any position, and at the time behind it', async () => {
  const { operations, known } = await business()
  const positions = [...known.keys()]
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...positions), fc.boolean(), async (position, byTime) => {
      const { accounts, nextMs } = known.get(position) as Known
      const to = byTime ? new Date(nextMs).toISOString() : `${position}`
      const then = await replayed(operations, { to })
      const balances = then.accounts.map(({ account_id, settled, held }) => {
        return [account_id, { settled, held }] as const
      })
      expect(Object.fromEntries(balances)).toEqual(accounts)
      expect(then.result).toMatchObject({ position: `${position}`, account: null })
      expect(then.result.events).toBe(Number(position) + 1)
    }),
    { numRuns: 40 },
  )
})

test('the end of the log is what the live views say, of accounts and statements', async () => {
  const { operations, histories, store } = await business()
  const to = `${await store.lastPosition()}`
  const { accounts, result } = await replayed(operations, { to })
  const listed = await operations.listAccounts({ limit: 10 })
  // A replay says what stands at its end, and not what was spent in the days before.
  expect(accounts).toEqual(listed.map(({ spent_30_days: _, damaged: __, ...account }) => account))
  expect(result.totals.accounts).toBe(3)
  for (const { accountId: account_id } of histories) {
    const one = await replayed(operations, { to, account_id, statement: true })
    const live = await operations.statement({ account_id, limit: 1_000 })
    expect(one.entries).toEqual(live.rows)
    expect(one.result.account).toEqual(await operations.showAccount({ account_id }))
  }
})

test('a statement of the past is the beginning of that of today', async () => {
  const { operations, histories, known } = await business()
  const [{ accountId: account_id }] = histories as [AccountHistory]
  const { rows } = await operations.statement({ account_id, limit: 1_000 })
  for (const [position, { accounts }] of known) {
    if (!(account_id in accounts)) continue
    const past = { to: `${position}`, account_id, statement: true }
    const { entries, result } = await replayed(operations, past)
    expect(entries).toEqual(rows.slice(0, entries.length))
    expect(entries.at(-1)?.balance).toBe(accounts[account_id]?.settled)
    expect(result.account).toMatchObject({ account_id, ...accounts[account_id] })
  }
})

test('an account that contradicts itself is told by the event that does, up to which it can be had', async () => {
  const { operations, store, histories } = await business()
  const [{ accountId: account_id }] = histories as [AccountHistory]
  const stream = accountStream(account_id)
  const [last] = await store.readStream({ stream, direction: 'backwards', limit: 1 })
  if (last === undefined) throw new Error('it has no events')
  const data = { grantId: 'grant_x', amount: 1n, balanceAfter: 0n, at: START_MS }
  const origin = { correlationId: 'grant_x', causationId: 'grant_x', actor: 'somebody' }
  const wrong = encodeEvent(eventId('grant_x', 'x'), { type: 'CreditExpired', data }, origin)
  await store.append({ stream, expected: last, events: [wrong] })
  const position = await store.lastPosition()
  const refusal = {
    code: 'account_damaged',
    message: expect.stringMatching(
      new RegExp(
        `${stream} .* event ${last.revision + 1}, CreditExpired at position ${position}, .*` +
          `grant_x does not have 1 left.* to ${position - 1n}`,
      ),
    ),
  }
  await expect(replayed(operations, { to: `${position}`, account_id })).rejects.toMatchObject(
    refusal,
  )
  const { result } = await replayed(operations, { to: `${position - 1n}`, account_id })
  expect(result.account).toMatchObject({ account_id })
})

test('an account is as it was: its name, its keys, its grants', async () => {
  const { operationsOf, store } = await openRunningService()
  const operations = operationsOf(rootCaller)
  const { account_id } = await operations.openAccount({ name: 'Ada', spend_policy: 'strict' })
  const { key_id } = await operations.createKey({ account_id, name: 'k', expires_at: null })
  const before = await operations.showAccount({ account_id })
  const to = `${await store.lastPosition()}`
  const reason = 'a test'
  await operations.renameAccount({ account_id, name: 'Ada & Co.', reason })
  await operations.revokeKey({ account_id, key_id, reason })
  await operations.adjust({ account_id, amount: '3', reason })
  const { result } = await replayed(operations, { to, account_id })
  expect(result.account).toEqual(before)
  expect(await operations.showAccount({ account_id })).not.toEqual(before)
})

const remote = async (): Promise<OpenedOperations> => {
  const { operations, account } = await localOperations()
  return { operations: remoteAt(await serveOperations(operations)), account }
}

describe.each([
  ['local', localOperations],
  ['remote', remote],
])('%s', (_name, open) => {
  test('a replay and a comparison are carried out, and refused in words', async () => {
    const { operations, account } = await open()
    const account_id = account.accountId
    const { result } = await replayed(operations, { to: '3', account_id })
    expect(result.account).toMatchObject({ account_id, settled: '5.00' })
    const compared = (await collect(operations.compareViews())).at(-1)
    expect(compared).toMatchObject({ type: 'result', same: true, first: [] })
    for (const [input, code] of [
      [{ to: '2026-10-01', account_id }, 'not_found'],
      [{ to: '999' }, 'invalid_value'],
      [{ to: 'then' }, 'invalid_value'],
      [{ to: '3', statement: true }, 'invalid_value'],
      [{ to: '3', account_id: 'acct_1' }, 'not_found'],
    ] as const) {
      await expect(collect(operations.replay(input))).rejects.toMatchObject({ code })
    }
  })
})
