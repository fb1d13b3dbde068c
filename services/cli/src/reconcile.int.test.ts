/**
 * `svc reconcile` in books that somebody falsified, hashes included: each equation finds its own.
 */
import { join } from 'node:path'
import type { AccountEventOf } from '@svc/contracts/events/account'
import { costLines } from '@svc/contracts/price'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { type AccountHistory, PRICE, requestId, START_MS } from '@svc/testing/account-history'
import { folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { expect, test } from 'vitest'
import { alterSettled } from '../testing/altered-views.ts'

type Metered = AccountEventOf<'TokensMetered'>['data']
type Debited = AccountEventOf<'CreditDebited'>['data']

interface Finding {
  readonly equation: string
  readonly problem: string
}

const at = START_MS + 3_600_000
const planted = requestId(at, 'planted')
const counts = { inputTokens: 20, cachedInputTokens: 100, outputTokens: 42 }
const lines = [...costLines(PRICE, counts)]
const cost = lines.reduce((sum, { amount }) => sum + amount, 0n)

/** The last events of the log, as no ledger writes them: the store chains them all the same. */
async function folderEndingWith(write: (account: AccountHistory) => AccountHistory) {
  const { path, account } = await folderWithHistory()
  const store = openSqliteEventStore(join(path, 'ledger.db'), { onFatal: () => {} })
  await write(account).writeTo(store)
  await store.close()
  return path
}

function metered(changes: Partial<Metered> = {}): { type: 'TokensMetered'; data: Metered } {
  const cache = {
    schedule: 'any-token' as const,
    reusedTokens: 0,
    blocks: 0,
    source: 'none' as const,
    lastBlockHash: null,
    evaluatedTokens: 20,
  }
  const latencies = { queueMs: 0, prefillMs: 1, firstTokenMs: 2, totalMs: 3 }
  const end = { finishReason: 'stop' as const, rule: 'metered' as const, latencies, at }
  const data = { requestId: planted, ...counts, reasoningTokens: 0, workerId: 'wrk_test', cache }
  return { type: 'TokensMetered', data: { ...data, ...end, ...changes } }
}

function debited(account: AccountHistory, changes: Partial<Debited> = {}) {
  const amount = changes.amount ?? cost
  const slices = [{ grantId: account.grantId, amount }]
  const balanceAfter = account.balance - amount
  const data: Debited = { requestId: planted, amount, lines, slices, debt: 0n, balanceAfter, at }
  return { type: 'CreditDebited' as const, data: { ...data, ...changes } }
}

async function reconciled(path: string) {
  const { code, out, err } = await svc(['--data-dir', path, 'reconcile', '--json'])
  const { equations, ok, findings } = JSON.parse(out)
  const broken = (equations as { name: string; ok: boolean; difference: string }[]).filter(
    (equation) => !equation.ok,
  )
  expect(equations).toHaveLength(5)
  return { code, err, ok, broken, findings: findings as Finding[] }
}

test('books that add up end with 0', async () => {
  const path = await folderEndingWith((account) =>
    account.accept(planted, at).add(planted, metered()).add(planted, debited(account)),
  )
  expect(await reconciled(path)).toEqual({ code: 0, err: '', ok: true, broken: [], findings: [] })
})

const pico = (count: number) => `0.${`${count}`.padStart(12, '0')}`

test.each<[string, string, (account: AccountHistory) => AccountHistory, Record<string, string>]>([
  [
    'more computed tokens than the runtime counted',
    'metered above',
    (account) =>
      account
        .accept(planted, at)
        .add(planted, metered({ cache: { ...metered().data.cache, evaluatedTokens: 17 } }))
        .add(planted, debited(account)),
    { meters: '3' },
  ],
  [
    'a meter of fewer tokens than were debited',
    'is metered at',
    (account) =>
      account
        .accept(planted, at)
        .add(planted, metered({ inputTokens: 19 }))
        .add(planted, debited(account)),
    { debits: '0.00000015' },
  ],
  [
    'a debit of a pico-dollar too much',
    'is metered at',
    (account) =>
      account
        .accept(planted, at)
        .add(planted, metered())
        .add(planted, debited(account, { amount: cost + 1n })),
    { debits: pico(1) },
  ],
  [
    'a debit without a meter',
    'without a meter',
    (account) => account.accept(planted, at).add(planted, debited(account)),
    { debits: '0.0000297' },
  ],
  [
    'a meter without a debit',
    'not debited',
    (account) => account.accept(planted, at).add(planted, metered()).fail(planted, 'x', at),
    { debits: '0.0000297' },
  ],
  [
    'a balance that its events do not add up to',
    'adds up to',
    (account) =>
      account
        .accept(planted, at)
        .add(planted, metered())
        .add(planted, debited(account, { balanceAfter: account.balance })),
    { balances: '0.0000297', postings: '0.0000297' },
  ],
  [
    'a grant that is spent twice',
    'cannot be replayed',
    (account) =>
      account.add(account.grantId, {
        type: 'CreditExpired',
        data: {
          grantId: account.grantId,
          amount: account.balance + 1n,
          balanceAfter: -1n,
          at,
        },
      }),
    { balances: '0.00' },
  ],
  [
    'slices that miss a part of the debit',
    'sum to',
    (account) =>
      account
        .accept(planted, at)
        .add(planted, metered())
        .add(
          planted,
          debited(account, { slices: [{ grantId: account.grantId, amount: cost - 5n }] }),
        ),
    { postings: pico(5) },
  ],
])('%s: "%s" is found, by its own equation', async (_name, problem, write, expected) => {
  const { code, ok, broken, findings } = await reconciled(await folderEndingWith(write))
  expect([code, ok]).toEqual([1, false])
  expect(Object.fromEntries(broken.map(({ name, difference }) => [name, difference]))).toEqual(
    expected,
  )
  expect(findings.map((finding) => finding.problem).join('\n')).toContain(problem)
  // What is wrong with a request is told with its id; what is wrong with an event, with its place.
  for (const { equation, problem: told } of findings) {
    if (['meters', 'debits'].includes(equation)) expect(told).toContain(planted)
  }
})

test('a row of a view that was altered is found, and the table says so', async () => {
  const { path } = await folderWithHistory()
  expect((await svc(['--data-dir', path, 'status'])).code).toBe(0)
  alterSettled(join(path, 'views'), 9_000_000_000_000n)
  const { code, broken, findings } = await reconciled(path)
  expect([code, broken]).toEqual([1, [{ name: 'views', ok: false, difference: '1' }]])
  expect(findings).toMatchObject([{ equation: 'views', subject: 'accounts', difference: '1' }])
  const shown = await svc(['--data-dir', path, '--quiet', 'reconcile'])
  expect(shown.code).toBe(1)
  expect(shown.out).toMatch(/^views = log +NO +1 rows$/m)
  expect(shown.err).toBe('svc: the books do not add up: views\n')
})
