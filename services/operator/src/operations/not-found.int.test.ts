/** A refusal says by which field something was named that is not there: for programs, and `svc`. */
import type { Operations } from '@svc/contracts/admin/operations'
import { describe, expect, test } from 'vitest'
import { collect, localOperations, remoteOperations } from '../../testing/operations.ts'

const reason = 'a try'
const none = '0'.repeat(26)
const account_id = `acct_${none}`
const key_id = `key_${none}`

type Ask = (operations: Operations, known: { readonly account_id: string }) => Promise<unknown>

const unknown: readonly (readonly [param: string, what: string, ask: Ask])[] = [
  ['account_id', 'an account', (of) => of.showAccount({ account_id })],
  ['account_id', 'an odd account', (of) => of.showAccount({ account_id: 'acct_x' })],
  ['account_id', 'whom to freeze', (of) => of.freezeAccount({ account_id, reason })],
  ['account_id', 'whom to rename', (of) => of.renameAccount({ account_id, name: 'n', reason })],
  ['account_id', 'whom to close', (of) => of.closeAccount({ account_id, reason })],
  ['account_id', 'whose statement', (of) => of.statement({ account_id, limit: 1 })],
  ['account_id', 'whose keys', (of) => of.createKey({ account_id, name: 'k', expires_at: null })],
  ['account_id', 'whose evidence', (of) => collect(of.exportEvidence({ account_id }))],
  ['key_id', 'a key', (of, known) => of.revokeKey({ ...known, key_id, reason })],
  [
    'key_id',
    'a key to rename',
    (of, known) => of.renameKey({ ...known, key_id, name: 'k', reason }),
  ],
  [
    'grant_id',
    'a grant',
    (of, known) => of.voidGrant({ ...known, grant_id: `grant_${none}`, reason }),
  ],
  ['request_id', 'a request', (of) => of.explain({ request_id: `req_${none}` })],
  ['request_id', 'a refused one', (of) => of.explainRefusal({ request_id: `req_${none}` })],
  [
    'request_id',
    'what to refund',
    (of, known) => of.refund({ ...known, request_id: `req_${none}`, reason }),
  ],
  ['version', 'a price', (of) => of.withdrawPrice({ version: `price_${none}`, reason })],
  ['token_id', 'an admin token', (of) => of.revokeAdminToken({ token_id: `tok_${none}`, reason })],
  ['subject', 'what to erase', (of) => of.eraseSubjectTexts({ subject: `tok_${none}`, reason })],
  [
    'event_id',
    'an event',
    (of) => of.findEvent({ event_id: '00000000-0000-8000-8000-000000000000' }),
  ],
  ['stream', 'a stream', (of) => of.listEvents({ stream: 'x', limit: 1 })],
  ['name', 'a view', (of) => collect(of.rebuildProjection({ name: 'x' }))],
]

describe.each([
  ['in this process', localOperations],
  ['over HTTP', remoteOperations],
])('%s', (_way, open) => {
  test.each(unknown)('%s names %s that is not there', async (param, _what, ask) => {
    const { operations, account } = await open()
    const asked = ask(operations, { account_id: account.accountId })
    await expect(asked).rejects.toMatchObject({ code: 'not_found', param })
  })
})
