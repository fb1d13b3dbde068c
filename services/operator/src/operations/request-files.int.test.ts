/** The requests of an account: what they come to, and the file of them. */
import type { Operations } from '@svc/contracts/admin/operations'
import { expect, test } from 'vitest'
import { collect, localOperations, remoteOperations } from '../../testing/operations.ts'

test.each([
  ['in this process', localOperations],
  ['over HTTP', remoteOperations],
])('the list, its totals and its file are of the same requests, %s', async (_, open) => {
  const { operations, account } = await open()
  const { accountId: account_id } = account
  const { data, position } = await operations.accountRequests({ account_id })
  const { total, ...totals } = await operations.accountRequestTotals({ account_id })
  expect(totals).toMatchObject({ position, zone: 'UTC', from: null, to: null })
  expect(total.requests).toBe(data.length)
  const pieces = await collect(operations.exportRequests({ account_id, as: 'jsonl' }))
  const text = pieces.map((piece) => piece.text).join('')
  const [head, ...lines] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object)
  expect(head).toMatchObject({ account_id, position })
  expect(lines.slice(0, data.length)).toEqual(data)
})

test('what totals and a file cannot be of is refused', async () => {
  const { operations, account } = await localOperations()
  const { accountId: account_id } = account
  type Asked = Partial<Parameters<Operations['accountRequestTotals']>[0]>
  const refused = async (asked: Asked, error: object) => {
    const input = { account_id, ...asked }
    await expect(operations.accountRequestTotals(input)).rejects.toMatchObject(error)
    await expect(collect(operations.exportRequests(input))).rejects.toMatchObject(error)
  }
  await refused({ account_id: `acct_${'0'.repeat(26)}` }, { code: 'not_found' })
  await refused({ key_id: `key_${'0'.repeat(26)}` }, { code: 'not_found' })
  await refused({ zone: 'Mars/Phobos' }, { code: 'invalid_value', param: 'zone' })
  const backwards = { from: '2026-11-02', to: '2026-11-01' }
  await refused(backwards, { code: 'invalid_value', param: 'from' })
})
