/** Bad input about money is refused by the field at fault, and leaves no event. */
import type { Operations } from '@svc/contracts/admin/operations'
import { ServiceError } from '@svc/contracts/errors'
import { idBody } from '@svc/contracts/ids'
import { finishedRequest } from '@svc/testing/data-folders'
import { describe, expect, test } from 'vitest'
import { collect, localOperations } from '../../testing/operations.ts'

const reason = 'r'
const terms = { category: 'paid', priority: 1, expires_at: null, reference: null, reason } as const
const rates = { model: 'svc-beta', input: '0.30', cached_input: '0.03', output: '1.20' }
const [EARLY, LATE, FUTURE] = [
  '2026-11-01T00:00:00Z',
  '2026-11-02T00:00:00Z',
  '2999-01-01T00:00:00Z',
]
const AMOUNTS = [
  '0',
  '0.0000000000001',
  'NaN',
  'Infinity',
  '1e3',
  '',
  ' ',
  '0x1',
  '1,5',
  '9'.repeat(19),
]
/** A cursor that no list gave. */
const FORGED = 'x'.repeat(40)

let operations: Operations
let account_id: string
let other: string

async function open(): Promise<void> {
  const opened = await localOperations()
  operations = opened.operations
  account_id = opened.account.accountId
  other = (await operations.openAccount({ name: 'Grace', spend_policy: 'strict' })).account_id
}

async function outcome(work: () => Promise<unknown>): Promise<string> {
  const before = (await operations.status()).store.position
  const refusal = await work().then(
    () => 'done',
    (error: unknown) => (error instanceof ServiceError ? error.code : `${error}`),
  )
  expect((await operations.status()).store.position).toBe(before)
  return refusal
}

describe('refused, and no event', () => {
  test.each([...AMOUNTS, '-1'])('the amount "%s"', async (amount) => {
    await open()
    expect(await outcome(() => operations.grant({ account_id, amount, ...terms }))).toBe(
      'invalid_value',
    )
    const refund = { account_id, request_id: finishedRequest, amount, reason }
    expect(await outcome(() => operations.refund(refund))).toBe('invalid_value')
    if (amount === '-1') return
    const adjusting = () => operations.adjust({ account_id, amount, reason })
    expect(await outcome(adjusting)).toBe('invalid_value')
    const input = amount === '0' ? '-0.01' : amount
    const price = { ...rates, input, effective_from: null, confirm: true }
    expect(await outcome(() => operations.publishPrice(price))).toBe('invalid_value')
  })

  test('a refund above the debit, and of what is another account’s', async () => {
    await open()
    const refund = { account_id, request_id: finishedRequest, amount: '1', reason }
    expect(await outcome(() => operations.refund(refund))).toBe('conflict')
    const foreign = { ...refund, account_id: other }
    expect(await outcome(() => operations.refund(foreign))).toBe('not_found')
    const { grants } = await operations.showAccount({ account_id })
    const grant_id = grants[0]?.grant_id ?? ''
    const voiding = () => operations.voidGrant({ account_id: other, grant_id, reason })
    expect(await outcome(voiding)).toBe('not_found')
  })

  test('the price of a model that is not there, told with the one that is', async () => {
    await open()
    const price = { ...rates, model: 'llama', effective_from: null, confirm: true }
    const told = 'model: there is no model "llama": prices are of svc-beta'
    await expect(operations.publishPrice(price)).rejects.toThrow(told)
  })

  test('a price in the past', async () => {
    await open()
    const past = { ...rates, effective_from: EARLY, confirm: true }
    expect(await outcome(() => operations.publishPrice(past))).toBe('invalid_value')
    const never = { ...rates, effective_from: 'soon', confirm: true }
    expect(await outcome(() => operations.publishPrice(never))).toBe('invalid_value')
  })

  test.each(['Mars/Phobos', '', '+25:00'])('the zone "%s"', async (zone) => {
    await open()
    expect(await outcome(() => operations.month({ month: '2026-11', zone }))).toBe('invalid_value')
    const usage = () => operations.accountUsage({ account_id, zone })
    expect(await outcome(usage)).toBe('invalid_value')
  })

  test.each(['2026-13', '2026-00', '2026', 'november', '9999-12'])(
    'the month "%s"',
    async (month) => {
      await open()
      expect(await outcome(() => operations.month({ month, zone: 'UTC' }))).toBe('invalid_value')
    },
  )

  test.each(['9999-12-31T23:59:59-00:01', '0000-01-01T00:00:00+00:01'])(
    'the time %s, whose year in UTC has not four digits',
    async (time) => {
      await open()
      const grant = { account_id, amount: '1', ...terms, expires_at: time }
      expect(await outcome(() => operations.grant(grant))).toBe('invalid_value')
      const price = { ...rates, effective_from: time, confirm: true }
      expect(await outcome(() => operations.publishPrice(price))).toBe('invalid_value')
      for (const ask of [operations.accountUsage, operations.accountRequests]) {
        expect(await outcome(() => ask({ account_id, to: time }))).toBe('invalid_value')
      }
      const statement = () => operations.statement({ account_id, to: time, limit: 10 })
      expect(await outcome(statement)).toBe('invalid_value')
    },
  )

  test('an end that has passed, named as the caller named it', async () => {
    await open()
    const expires_at = '2020-01-01T00:00:00Z'
    const refusal = { code: 'invalid_value', param: 'expires_at' }
    const grant = operations.grant({ account_id, amount: '1', ...terms, expires_at })
    await expect(grant).rejects.toMatchObject(refusal)
    const key = operations.createKey({ account_id, name: 'laptop', expires_at })
    await expect(key).rejects.toMatchObject(refusal)
  })

  test('a period turned round', async () => {
    await open()
    const period = { account_id, from: LATE, to: EARLY }
    expect(await outcome(() => operations.accountUsage(period))).toBe('invalid_value')
    expect(await outcome(() => operations.accountRequests(period))).toBe('invalid_value')
    const statement = () => operations.statement({ ...period, limit: 10 })
    expect(await outcome(statement)).toBe('invalid_value')
  })

  test.each([0, -1, 1_000_000, 1.5, Number.NaN])('a page of %s', async (limit) => {
    await open()
    for (const page of [
      () => operations.listAccounts({ limit }),
      () => operations.statement({ account_id, limit }),
      () => operations.accountRequests({ account_id, limit }),
      () => operations.listEvents({ limit }),
    ]) {
      expect(await outcome(page)).toBe('invalid_value')
    }
  })

  test('a cursor that is forged', async () => {
    await open()
    const usage = () => operations.accountUsage({ account_id, cursor: FORGED })
    expect(await outcome(usage)).toBe('invalid_value')
    const requests = () => operations.accountRequests({ account_id, cursor: FORGED })
    expect(await outcome(requests)).toBe('invalid_value')
  })

  test('a correction of a price that nobody has', async () => {
    await open()
    const asked = { version: FORGED, input: '1', cached_input: '1', output: '1', reason }
    const run = () => collect(operations.correctPrice({ ...asked, dry_run: true }))
    expect(await outcome(run)).toBe('not_found')
  })
})

test('what was done once is refused the second time', async () => {
  await open()
  const { grant_id } = await operations.grant({ account_id, amount: '5', ...terms })
  await operations.voidGrant({ account_id, grant_id, reason })
  const voiding = () => operations.voidGrant({ account_id, grant_id, reason })
  expect(await outcome(voiding)).toBe('conflict')
  const refund = { account_id, request_id: finishedRequest, reason }
  await operations.refund({ ...refund, request_id: `chatcmpl-${idBody(finishedRequest)}` })
  expect(await outcome(() => operations.refund(refund))).toBe('conflict')
  const announced = { ...rates, effective_from: FUTURE, confirm: true }
  await operations.publishPrice(announced)
  expect(await outcome(() => operations.publishPrice(announced))).toBe('conflict')
})
