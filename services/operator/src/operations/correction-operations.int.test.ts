/** Mistakes are made good on an opened folder and over the admin routes alike. */
import { ServiceError } from '@svc/contracts/errors'
import { finishedRequest } from '@svc/testing/data-folders'
import { describe, expect, test } from 'vitest'
import { localOperations, remoteOperations } from '../../testing/operations.ts'

const reason = 'a mistake'
const code = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: ServiceError) => (error instanceof ServiceError ? error.code : 'no refusal'),
  )

describe.each([
  ['local', localOperations],
  ['remote', remoteOperations],
])('%s', (_name, open) => {
  test('a grant of 500 that should have been 5 is voided once, after a look', async () => {
    const { operations, account } = await open()
    const account_id = account.accountId
    const { settled } = await operations.showAccount({ account_id })
    const terms = { category: 'paid', priority: 100, expires_at: null, reference: null } as const
    const { grant_id } = await operations.grant({ account_id, amount: '500', ...terms, reason })
    const what = { account_id, grant_id, reason, idempotency_key: 'once' }
    const looked = await operations.voidGrant({ ...what, dry_run: true })
    expect(looked).toMatchObject({ created: false, dry_run: true, amount: '-500.00' })
    expect(looked.balance_after).toBe(settled)
    expect(await operations.voidGrant(what)).toMatchObject({
      created: true,
      balance_after: settled,
    })
    const repeated = { created: false, amount: '-500.00', balance_after: settled }
    expect(await operations.voidGrant(what)).toMatchObject(repeated)
    const other = operations.voidGrant({ ...what, idempotency_key: 'twice' })
    await expect(other).rejects.toThrow(/voided already, on \d{4}-/)
    expect((await operations.showAccount({ account_id })).settled).toBe(settled)
  })

  test('a grant is looked at before it is given, and is known again once it was', async () => {
    const { operations, account } = await open()
    const account_id = account.accountId
    const before = await operations.showAccount({ account_id })
    const terms = { category: 'paid', priority: 100, expires_at: null, reason } as const
    const asked = { account_id, amount: '500', ...terms, reference: 'INV-7' }
    const looked = await operations.previewGrant(asked)
    expect(looked).toMatchObject({ created: false, dry_run: true, amount: '500.00' })
    expect(looked.balance_before).toBe(before.settled)
    expect(await operations.showAccount({ account_id })).toEqual(before)
    expect(await operations.grant(asked)).toEqual({ grant_id: looked.id, created: true })
    const after = await operations.showAccount({ account_id })
    expect(after.settled).toBe(looked.balance_after)
    const known = { id: looked.id, amount: '500.00', balance_before: null }
    expect(await operations.previewGrant(asked)).toMatchObject(known)
    const [zero, other] = [{ amount: '0' }, { account_id: `acct_${'0'.repeat(26)}` }]
    expect(await code(operations.previewGrant({ ...asked, ...zero }))).toBe('invalid_value')
    expect(await code(operations.previewGrant({ ...asked, ...other }))).toBe('not_found')
    expect(await code(operations.previewGrant({ ...asked, amount: '5' }))).toBe('conflict')
  })

  test('a request is refunded in parts, never above its charge, and of its own account only', async () => {
    const { operations, account } = await open()
    const request_id = finishedRequest
    const { account_id, amount } = await operations.explain({ request_id })
    expect(account_id).toBe(account.accountId)
    const part = { account_id, request_id, amount: '0.000000000001', reason }
    await operations.refund(part)
    expect(await code(operations.refund({ ...part, amount }))).toBe('conflict')
    expect(await code(operations.refund({ ...part, amount: '0' }))).toBe('invalid_value')
    const once = { ...part, amount: null, idempotency_key: 'rest' }
    const rest = await operations.refund(once)
    expect(await operations.refund(once)).toMatchObject({ created: false, amount: rest.amount })
    expect(await code(operations.refund({ ...part, amount: null }))).toBe('conflict')
    expect(await operations.explain({ request_id })).toMatchObject({ refunded: amount })
    const other = await operations.openAccount({ name: 'Grace', spend_policy: 'strict' })
    const foreign = { ...part, account_id: other.account_id }
    expect(await code(operations.refund(foreign))).toBe('not_found')
  })

  test('a balance is adjusted once for a key; the statement adds up', async () => {
    const { operations, account } = await open()
    const account_id = account.accountId
    const up = { account_id, amount: '1.50', reason, idempotency_key: 'goodwill' }
    const first = await operations.adjust(up)
    expect(await operations.adjust(up)).toMatchObject({ id: first.id, created: false })
    expect(await code(operations.adjust({ ...up, amount: '1.51' }))).toBe('conflict')
    for (const amount of ['0', 'NaN', '1e3', '', '0.0000000000001', '1'.repeat(19)]) {
      expect(await code(operations.adjust({ account_id, amount, reason }))).toBe('invalid_value')
    }
    await operations.adjust({ account_id, amount: '-0.50', reason })
    const { rows } = await operations.statement({ account_id, limit: 100 })
    expect(rows.slice(-2)).toMatchObject([
      { type: 'adjustment', credit: '1.50', debit: '0.00' },
      { type: 'adjustment', credit: '0.00', debit: '0.50' },
    ])
  })

  test('an account is frozen, renamed, closed, each once', async () => {
    const { operations } = await open()
    const { account_id } = await operations.openAccount({ name: 'Grace', spend_policy: 'strict' })
    const asked = { account_id, reason }
    expect(await operations.freezeAccount(asked)).toMatchObject({ changed: true })
    expect(await operations.freezeAccount(asked)).toMatchObject({ changed: false })
    expect((await operations.showAccount({ account_id })).status).toBe('frozen')
    await operations.unfreezeAccount(asked)
    await operations.renameAccount({ ...asked, name: 'Grace & Co.' })
    await operations.setSpendPolicy({ ...asked, spend_policy: 'standard' })
    const { key_id } = await operations.createKey({ account_id, name: 'k', expires_at: null })
    await operations.renameKey({ ...asked, key_id, name: 'laptop' })
    await operations.closeAccount(asked)
    const closed = { name: 'Grace & Co.', status: 'closed', spend_policy: 'standard' }
    const keys = [{ key_id, name: 'laptop', status: 'revoked' }]
    expect(await operations.showAccount({ account_id })).toMatchObject({ ...closed, keys })
    expect(await code(operations.freezeAccount(asked))).toBe('conflict')
  })

  test('an account and a key of an external id are made once, and found by it', async () => {
    const { operations } = await open()
    const named = { name: 'Grace', spend_policy: 'strict', external_id: 'crm-43' } as const
    const opened = await operations.openAccount({ ...named, metadata: { plan: 'gold' } })
    const again = operations.openAccount({ ...named, metadata: { plan: 'gold' } })
    expect(await again).toEqual({ ...opened, created: false })
    expect(await code(operations.openAccount({ ...named, name: 'Ada' }))).toBe('conflict')
    const found = await operations.listAccounts({ limit: 10, external_id: 'crm-43' })
    expect(found).toMatchObject(
      [{ ...opened, metadata: { plan: 'gold' } }].map(({ created: _, ...account }) => account),
    )
    const { account_id } = opened
    const key = { account_id, name: 'k', expires_at: null, external_id: 'device-9' }
    const made = await operations.createKey(key)
    const repeated = { key_id: made.key_id, secret: null, created: false }
    expect(await operations.createKey(key)).toEqual(repeated)
    expect(await operations.listKeys({ account_id, external_id: 'device-9' })).toHaveLength(1)
    expect(await operations.listKeys({ account_id, external_id: 'device-8' })).toEqual([])
    const once = { name: 'Ada', spend_policy: 'strict', idempotency_key: 'open-1' } as const
    const first = await operations.openAccount(once)
    expect(await operations.openAccount(once)).toEqual({ ...first, created: false })
  })
})
