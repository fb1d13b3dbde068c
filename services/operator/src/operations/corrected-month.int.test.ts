/** What each correction is called at the end of the month; the row and the totals add up. */
import type { MonthSums } from '@svc/contracts/admin/finance'
import { formatExact, parseDollars } from '@svc/contracts/money'
import { finishedRequest } from '@svc/testing/data-folders'
import { expect, test } from 'vitest'
import { localOperations } from '../../testing/operations.ts'

const reason = 'a mistake'
const terms = { priority: 100, expires_at: null, reference: null, reason } as const
/** The corrections of the test are made now. */
const month = new Date().toISOString().slice(0, 7)

function closingOf(sums: MonthSums): string {
  const { opening, payments, promotional, used, expired, refunded, corrected } = sums
  const [first, ...rest] = [opening, payments, promotional, corrected].map(parseDollars)
  const plus = rest.reduce((sum, amount) => sum + amount, first ?? 0n)
  const minus = [used, expired, refunded].map(parseDollars)
  return formatExact(minus.reduce((sum, amount) => sum - amount, plus))
}

test('refunds, voids, adjustments, pay-outs and write-offs', async () => {
  const { operations, account } = await localOperations()
  const account_id = account.accountId
  const opened = async (name: string) => {
    const { account_id: id } = await operations.openAccount({ name, spend_policy: 'standard' })
    await operations.grant({ account_id: id, amount: '10', category: 'paid', ...terms })
    return id
  }
  const grant = { account_id, amount: '500', category: 'paid', ...terms } as const
  const { grant_id } = await operations.grant(grant)
  await operations.voidGrant({ account_id, grant_id, reason })
  const back = await operations.refund({ account_id, request_id: finishedRequest, reason })
  await operations.adjust({ account_id, amount: '3', reason })
  await operations.adjust({ account_id, amount: '-1', reason, category: 'promotional' })
  const paidOut = await opened('paid out')
  await operations.closeAccount({ account_id: paidOut, remainder: 'paid_out', reason })
  const writtenOff = await opened('written off')
  await operations.closeAccount({ account_id: writtenOff, remainder: 'written_off', reason })
  const owing = await opened('owing')
  await operations.adjust({ account_id: owing, amount: '-12.5', reason })
  await operations.closeAccount({ account_id: owing, remainder: 'written_off', reason })

  const { customers, totals } = await operations.month({ month, zone: 'UTC' })
  const row = (id: string) => customers.find((customer) => customer.account_id === id)
  const nothing = { promotional: '0.00', expired: '0.00' }
  expect(row(account_id)).toMatchObject({
    ...nothing,
    corrected: '-498.00',
    // A refund of a charge is no money that leaves.
    refunded: formatExact(-parseDollars(back.amount)),
  })
  expect(row(paidOut)).toMatchObject({
    ...nothing,
    payments: '10.00',
    refunded: '10.00',
    corrected: '0.00',
    closing: '0.00',
  })
  expect(row(writtenOff)).toMatchObject({
    ...nothing,
    payments: '10.00',
    refunded: '0.00',
    corrected: '-10.00',
    closing: '0.00',
  })
  expect(row(owing)).toMatchObject({
    ...nothing,
    payments: '10.00',
    refunded: '0.00',
    corrected: '-10.00',
    closing: '0.00',
  })
  for (const sums of [...customers, totals]) expect(closingOf(sums)).toBe(sums.closing)
  const { settled } = await operations.showAccount({ account_id })
  expect(row(account_id)?.closing).toBe(settled)
})
