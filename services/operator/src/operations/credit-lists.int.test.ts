/** The lists of grants, holds and prices, which views fold, against the ledger's own state. */
import { rootCaller } from '@svc/contracts/admin/caller'
import type { Operations } from '@svc/contracts/admin/operations'
import { cursorText } from '@svc/contracts/cursor'
import { ServiceError } from '@svc/contracts/errors'
import { makeDerivedId } from '@svc/contracts/ids'
import { parseDollars } from '@svc/contracts/money'
import { AccountHistory, HOLD, requestId, START_MS } from '@svc/testing/account-history'
import { openRunningService } from '@svc/testing/running-service'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const REQUESTS = 6
const HOUR_MS = 3_600_000
const reason = 'a test'
const byId = (a: { grant_id: string }, b: { grant_id: string }) =>
  a.grant_id < b.grant_id ? -1 : 1

/** A gift of which a part is left when its time is over. */
function expireGift(history: AccountHistory): void {
  const at = START_MS + 2
  const grantId = makeDerivedId('grant', at, history.accountId, 'gift')
  const amount = 1_000n
  history.balance += amount
  history.add(grantId, {
    type: 'CreditGranted',
    data: {
      grantId,
      amount,
      category: 'promotional',
      priority: 1,
      expiresAt: at,
      at,
      reference: null,
      reason,
      changeId: null,
      paidDebt: 0n,
      balanceAfter: history.balance,
    },
  })
  history.balance -= amount
  const data = { grantId, amount, balanceAfter: history.balance, at }
  history.add(grantId, { type: 'CreditExpired', data })
}

/** An account with $5, a gift that expired, and requests that were debited. */
function customer(name: string): { history: AccountHistory; debited: readonly string[] } {
  const history = new AccountHistory(name).open()
  const debited = Array.from({ length: REQUESTS }, (_, i) => requestId(START_MS + i, name, `${i}`))
  for (const [i, id] of debited.entries()) {
    if (i === 3) expireGift(history)
    const counts = { inputTokens: 1_000_000 * i, cachedInputTokens: 5, outputTokens: 600_000 }
    history.accept(id, START_MS + i).settle(id, START_MS + i, counts)
  }
  return { history, debited }
}

/** Makes a customer with two requests that run. */
function busyCustomer(name: string): AccountHistory {
  const { history } = customer(name)
  for (const [name, hours] of [
    ['second', 2],
    ['first', 1],
  ] as const) {
    const at = START_MS + hours * HOUR_MS
    history.accept(requestId(at, history.accountId, name), at)
  }
  return history
}

async function allPages<Row>(
  ask: (cursor: string | undefined) => Promise<{ rows: readonly Row[]; next: string | null }>,
): Promise<readonly Row[]> {
  const all: Row[] = []
  for (let cursor: string | undefined; ; ) {
    const { rows, next } = await ask(cursor)
    all.push(...rows)
    if (next === null) return all
    cursor = next
  }
}

function grantsOf(operations: Operations, asked: object, limit = 1_000) {
  return allPages(async (cursor) => {
    const page = await operations.listGrants({
      ...asked,
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    })
    return { rows: page.grants, next: page.next_cursor }
  })
}

function holdsOf(operations: Operations, asked: object, limit = 1_000) {
  return allPages(async (cursor) => {
    const page = await operations.listHolds({
      ...asked,
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    })
    return { rows: page.holds, next: page.next_cursor }
  })
}

const dollars = fc.constantFrom('0.000000000001', '0.37', '1', '4.999', '12')
const change = fc.oneof(
  fc.record({ kind: fc.constant('grant' as const), amount: dollars, priority: fc.nat(200) }),
  fc.record({ kind: fc.constant('void' as const), which: fc.nat(9) }),
  fc.record({ kind: fc.constant('refund' as const), which: fc.nat(9), amount: dollars }),
  fc.record({
    kind: fc.constant('close' as const),
    remainder: fc.constantFrom('paid_out' as const, 'written_off' as const),
  }),
  fc.record({
    kind: fc.constant('adjust' as const),
    amount: fc.tuple(fc.constantFrom('', '-'), dollars).map((words) => words.join('')),
  }),
)

type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never

async function make(
  operations: Operations,
  account_id: string,
  debited: readonly string[],
  asked: Change,
): Promise<unknown> {
  switch (asked.kind) {
    case 'grant': {
      const expires_at = asked.priority % 2 === 0 ? null : '2099-01-01T00:00:00Z'
      const terms = { category: 'promotional', expires_at, reference: null, reason } as const
      const { amount, priority } = asked
      return operations.grant({ account_id, amount, priority, ...terms })
    }
    case 'void': {
      const { grants } = await operations.showAccount({ account_id })
      const grant = grants[asked.which % grants.length]
      return operations.voidGrant({ account_id, grant_id: grant?.grant_id ?? '', reason })
    }
    case 'refund': {
      const request_id = debited[asked.which % debited.length] ?? ''
      return operations.refund({ account_id, request_id, amount: asked.amount, reason })
    }
    case 'adjust':
      return operations.adjust({ account_id, amount: asked.amount, reason })
    case 'close':
      return operations.closeAccount({ account_id, remainder: asked.remainder, reason })
    default:
      return asked satisfies never
  }
}

test('what is left of grants is what the ledger would spend, after any changes', async () => {
  const { store, operationsOf } = await openRunningService()
  const operations = operationsOf(rootCaller)
  let accounts = 0
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 12 }), fc.nat(3), async (changes, limit) => {
      accounts += 1
      const { history, debited } = customer(`${accounts}`)
      await history.writeTo(store)
      const account_id = history.accountId
      for (const asked of changes) {
        await make(operations, account_id, debited, asked).catch((error) => {
          if (!(error instanceof ServiceError)) throw error
        })
      }
      const { grants } = await operations.showAccount({ account_id })
      const listed = await grantsOf(operations, { account_id, which: 'all' }, limit + 1)
      expect(listed.map(({ status: _, account_id: __, ...grant }) => grant).toSorted(byId)).toEqual(
        grants.toSorted(byId),
      )
      const open = await grantsOf(operations, { account_id }, limit + 1)
      expect(open).toEqual(listed.filter(({ remaining }) => remaining !== '0.00'))
      const ends = listed.map(({ expires_at }) => expires_at ?? '9999')
      expect(ends).toEqual(ends.toSorted())
    }),
    { numRuns: 40 },
  )
  const everybody = await grantsOf(operations, {})
  expect(new Set(everybody.map(({ account_id }) => account_id)).size).toBeGreaterThan(1)
  const ending = await grantsOf(operations, { expires_before: '2099-01-02T00:00:00Z' })
  expect(ending).toEqual(everybody.filter(({ expires_at }) => expires_at !== null))
})

test('credit that expired unused is shown as expired, and not as spent', async () => {
  const { store, operationsOf } = await openRunningService()
  const operations = operationsOf(rootCaller)
  const { history } = customer('Ada')
  await history.writeTo(store)
  const account_id = history.accountId
  const [gift, payment] = await grantsOf(operations, { account_id, which: 'all' })
  expect(gift).toMatchObject({ category: 'promotional', remaining: '0.00', status: 'expired' })
  expect(payment).toMatchObject({ expires_at: null, status: 'open' })
})

test('holds are listed the oldest first, and go with their request', async () => {
  const { store, operationsOf } = await openRunningService()
  const operations = operationsOf(rootCaller)
  const [ada, bob] = [busyCustomer('Ada'), busyCustomer('Bob')]
  for (const history of [ada, bob]) await history.writeTo(store)
  const held = await holdsOf(operations, {}, 1)
  const times = held.map(({ held_since }) => Date.parse(held_since) - START_MS)
  expect(times).toEqual([HOUR_MS, HOUR_MS, 2 * HOUR_MS, 2 * HOUR_MS])
  expect(new Set(held.map(({ request_id }) => request_id)).size).toBe(4)
  expect(held.every((hold) => parseDollars(hold.held) === HOLD)).toBe(true)
  const { accountId: account_id } = ada
  const own = await holdsOf(operations, { account_id })
  expect(own).toEqual(held.filter((hold) => hold.account_id === account_id))
  const held_before = new Date(START_MS + 2 * HOUR_MS).toISOString()
  expect(await holdsOf(operations, { held_before })).toEqual(held.slice(0, 2))
  const first = requestId(START_MS + HOUR_MS, account_id, 'first')
  await ada.fail(first, 'no_worker', START_MS + 3 * HOUR_MS).writeTo(store)
  expect((await holdsOf(operations, { account_id })).map(({ request_id }) => request_id)).toEqual(
    own.map(({ request_id }) => request_id).filter((id) => id !== first),
  )
})

test('prices are listed as they were published, and say when they were withdrawn', async () => {
  const { operationsOf } = await openRunningService()
  const operations = operationsOf(rootCaller)
  const rates = { model: 'svc-beta', input: '0.15', cached_input: '0.015', output: '0.60' }
  const published = await operations.publishPrice({ ...rates, effective_from: null })
  const announced = await operations.publishPrice({
    ...rates,
    output: '0.70',
    effective_from: '2099-01-01T00:00:00Z',
  })
  const listed = [published, announced].map(({ created: _, ...price }) => price)
  expect(await operations.listPrices()).toEqual(listed)
  const withdrawn = await operations.withdrawPrice({ version: announced.version, reason })
  const { already_withdrawn: _, ...shown } = withdrawn
  expect(shown.withdrawn_at).not.toBeNull()
  expect(await operations.listPrices()).toEqual([listed[0], shown])
})

test.each(['NaN', '1.5', '-1'])('a forged cursor of the time "%s" is refused', async (time) => {
  const { operationsOf } = await openRunningService()
  const operations = operationsOf(rootCaller)
  const refusal = { code: 'invalid_value', param: 'cursor' }
  const holds = cursorText(['holds', {}], `${time}/req_1`)
  await expect(operations.listHolds({ limit: 1, cursor: holds })).rejects.toMatchObject(refusal)
  const grants = cursorText(['grants', 'open', {}], `${time}/grant_1`)
  await expect(operations.listGrants({ limit: 1, cursor: grants })).rejects.toMatchObject(refusal)
})

test('a cursor of another list, a foreign account and an odd id are refused', async () => {
  const { store, operationsOf } = await openRunningService()
  const operations = operationsOf(rootCaller)
  const history = busyCustomer('Ada')
  await history.writeTo(store)
  const { accountId: account_id } = history
  const { next_cursor: cursor } = await operations.listHolds({ account_id, limit: 1 })
  if (cursor === null) throw new Error('there is one page only')
  const refusal = { code: 'invalid_value', param: 'cursor' }
  await expect(operations.listHolds({ limit: 1, cursor })).rejects.toMatchObject(refusal)
  await expect(operations.listGrants({ limit: 1, cursor })).rejects.toMatchObject(refusal)
  const odd = operations.listGrants({ account_id: 'acct_1', limit: 1 })
  await expect(odd).rejects.toMatchObject({ code: 'not_found' })
})
