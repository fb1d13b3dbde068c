/** What is asked for again with the same idempotency key is done once, and says so. */
import { ServiceError } from '@svc/contracts/errors'
import { describe, expect, test } from 'vitest'
import { localOperations, remoteOperations } from '../../testing/operations.ts'

const code = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof ServiceError ? error.code : error),
  )
const rates = { input: '0.30', cached_input: '0.03', output: '1.20' }
const announced = { model: 'svc-beta', ...rates, effective_from: '2999-01-01T00:00:00Z' }

describe.each([
  ['local', localOperations],
  ['remote', remoteOperations],
])('%s', (_name, open) => {
  test.each([
    ['at once', null],
    ['later', announced.effective_from],
    ['from a moment that has just passed', new Date().toISOString()],
  ])('a price %s is published once', async (_when, effective_from) => {
    const { operations } = await open()
    const price = { ...announced, effective_from, idempotency_key: 'price-1' }
    const made = await operations.publishPrice(price)
    expect(made.created).toBe(true)
    expect(await operations.publishPrice(price)).toEqual({ ...made, created: false })
    expect(await code(operations.publishPrice({ ...price, output: '1.21' }))).toBe('conflict')
    expect(await code(operations.publishPrice({ ...price, price_list: 'acme' }))).toBe('conflict')
    const other = { ...price, effective_from: '2998-01-01T00:00:00Z' }
    expect(await code(operations.publishPrice(other))).toBe('conflict')
    expect(await operations.listPrices()).toHaveLength(2)
  })

  test('a repeat is no second question: what was confirmed, or withdrawn since, is shown', async () => {
    const { operations } = await open()
    const free = {
      ...announced,
      input: '0',
      cached_input: '0',
      output: '0',
      idempotency_key: 'free',
    }
    expect(await code(operations.publishPrice(free))).toBe('confirmation_required')
    const made = await operations.publishPrice({ ...free, confirm: true })
    expect(made.created).toBe(true)
    const { version } = made
    expect(await operations.publishPrice(free)).toEqual({ ...made, created: false })
    const withdrawn = await operations.withdrawPrice({ version, reason: 'r' })
    expect(withdrawn.already_withdrawn).toBe(false)
    const again = await operations.withdrawPrice({ version, reason: 'r' })
    expect(again).toEqual({ ...withdrawn, already_withdrawn: true })
    const { withdrawn_at } = withdrawn
    expect(await operations.publishPrice(free)).toEqual({ ...made, withdrawn_at, created: false })
    expect(await operations.listPrices()).toHaveLength(2)
  })

  test('an admin token is made once, and its secret is shown once', async () => {
    const { operations } = await open()
    const token = {
      name: 'ci',
      role: 'operator',
      expires_at: null,
      idempotency_key: 'tok-1',
    } as const
    const made = await operations.createAdminToken(token)
    expect(made).toMatchObject({ created: true, secret: expect.stringMatching(/^svc-admin-/) })
    const repeated = { token_id: made.token_id, secret: null, created: false }
    expect(await operations.createAdminToken(token)).toEqual(repeated)
    expect(await code(operations.createAdminToken({ ...token, role: 'owner' }))).toBe('conflict')
    expect(await code(operations.createAdminToken({ ...token, name: 'cd' }))).toBe('conflict')
    const other = { ...token, idempotency_key: 'tok-2' }
    expect(await code(operations.createAdminToken(other))).toBe('conflict')
    const { token_id } = made
    const ended = await operations.revokeAdminToken({ token_id, reason: 'r' })
    expect(await operations.revokeAdminToken({ token_id, reason: 'r' })).toEqual({
      ...ended,
      already_revoked: true,
    })
    expect(await operations.createAdminToken(token)).toEqual(repeated)
    expect(await operations.listAdminTokens()).toHaveLength(1)
  })

  test('an external id alone says what is the same, whatever the idempotency key', async () => {
    const { operations } = await open()
    const terms = { name: 'n', spend_policy: 'strict', metadata: {} } as const
    const opened = (external_id: string, idempotency_key: string) =>
      operations.openAccount({ ...terms, external_id, idempotency_key })
    const one = await opened('e1', 'k1')
    expect((await opened('e2', 'k1')).created).toBe(true)
    expect(await opened('e1', 'k2')).toEqual({ ...one, created: false })
    const key = { account_id: one.account_id, name: 'n', expires_at: null, metadata: {} }
    const made = (external_id: string, idempotency_key: string) =>
      operations.createKey({ ...key, external_id, idempotency_key })
    const first = await made('x1', 'k1')
    expect((await made('x2', 'k1')).created).toBe(true)
    expect(await made('x1', 'k2')).toMatchObject({ key_id: first.key_id, created: false })
  })

  test('an account is put on a list once, and a key is revoked once', async () => {
    const { operations, account } = await open()
    const account_id = account.accountId
    await operations.publishPrice({ ...announced, price_list: 'acme' })
    const put = { account_id, price_list: 'acme' }
    const answer = { ...put, starts_at: '2999-01-01T00:00:00.000Z' }
    expect(await operations.setPriceList(put)).toEqual({ ...answer, changed: true })
    expect(await operations.setPriceList(put)).toEqual({ ...answer, changed: false })
    const key = { account_id, key_id: account.keyId, reason: 'r' }
    const ended = await operations.revokeKey(key)
    expect(await operations.revokeKey(key)).toEqual({ ...ended, already_revoked: true })
    const { events } = await operations.listEvents({ type: 'PriceListSet', limit: 10 })
    expect(events).toHaveLength(1)
  })
})

test('of the same price and token asked for at once, one is made', async () => {
  const { operations } = await localOperations()
  const price = { ...announced, idempotency_key: 'price-1' }
  const published = await Promise.all([1, 2, 3].map(() => operations.publishPrice(price)))
  expect(published.map(({ created }) => created).toSorted()).toEqual([false, false, true])
  const token = { name: 'ci', role: 'metrics', expires_at: null, idempotency_key: 'tok-1' } as const
  const made = await Promise.all([1, 2, 3].map(() => operations.createAdminToken(token)))
  expect(made.filter(({ secret }) => secret !== null)).toHaveLength(1)
  expect(new Set(made.map(({ token_id }) => token_id)).size).toBe(1)
})
