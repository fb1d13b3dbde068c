/** A movement of the balance, found by its id. */

import { missingChromium } from '@svc/testing/chromium'
import { describe, expect, test } from 'vitest'
import { Refused } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers } from '../testing/sample-answers.ts'
import { auditor } from '../testing/service-roles.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const asked: string[] = []
const { data, ...page } = fullAnswers.accountStatement()
const [grant, usage, refund, adjustment] = data
const [granted, adjusted, refunded] = ['grant_1', 'adj_1', 'refund_1']
const sample = data[0] ?? expect.fail('the sample has no entry')
const named = [
  { ...sample, ...grant, entry: 1, reference: granted },
  { ...sample, ...usage, entry: 2, reference: 'req_1', payment_reference: null },
  { ...sample, ...adjustment, entry: 3, reference: adjusted },
]
const second = [
  { ...sample, ...refund, entry: 4, reference: 'req_1', description: 'refund refund_12: a try' },
  { ...sample, ...refund, entry: 5, reference: 'req_1', description: 'refund refund_1: slow' },
]
/** The refunds are on the second page. */
const answers = {
  ...fullAnswers,
  accountEvent({ event_id: id }: { readonly event_id: string }) {
    asked.push(id)
    if (id === 'grant_0') return new Refused(400, 'invalid_value', 'event_id: must be whole')
    if (id === 'grant_9') return new Refused(404, 'not_found', 'There is no such event.')
    const isRefund = id === refunded
    return {
      type: isRefund ? 'CreditRefunded' : 'CreditGranted',
      at: '2026-11-20T10:00:00Z',
      request_id: isRefund ? 'req_1' : null,
    }
  },
  accountStatement: ({ cursor }: { readonly cursor?: string | undefined } = {}) =>
    cursor === undefined
      ? { ...page, data: named, has_more: true, next_cursor: 'more' }
      : { ...page, data: second, has_more: false, next_cursor: null },
}
const focused = `[...document.querySelectorAll('[data-row]')].indexOf(document.activeElement)`

describe.skipIf(missing !== undefined)('the find box of an account', () => {
  let opened: OpenedPages
  withPages({ answers }, (each) => {
    opened = each
  })

  const find = async (id: string) => {
    const { page: shown, server } = opened
    await shown.goto(`${server.url}/dashboard/accounts/${ACCOUNT}/usage`)
    await shown.locator('[data-find]').fill(id)
    await shown.keyboard.press('Enter')
  }

  test('leads to a statement on which a payment has the reference of its invoice', async () => {
    const { page: shown, server } = opened
    await shown.goto(`${server.url}/dashboard/accounts/${ACCOUNT}/statement`)
    const rows = shown.locator('tr[data-row]')
    await rows.first().getByText('Reference INV-42', { exact: true }).waitFor()
    expect(await rows.nth(1).getByText('Reference').count()).toBe(0)
  })

  test.each([
    [granted, 0],
    [adjusted, 2],
    [refunded, 4],
  ])('leads %s to its row on the statement of its day: UX-31', async (id, row) => {
    await find(id)
    const { page: shown } = opened
    await shown.waitForURL(/\/statement\?from=2026-11-20&to=2026-11-20&zone=.*&movement=/)
    expect(asked.at(-1)).toBe(id)
    await expect.poll(() => shown.evaluate(focused)).toBe(row)
    await shown.getByLabel('To', { exact: true }).fill('2026-11-21')
    await expect.poll(() => new URL(shown.url()).searchParams.get('movement')).toBe(null)
  })

  test('says where there is none, and stays: UX-31', async () => {
    await find('grant_9')
    const { page: shown } = opened
    await shown.getByText('No event of this account has the id grant_9, of all time.').waitFor()
    expect(shown.url()).toContain('/usage')
  })

  test('says of half an id that the whole is wanted, in words of the page: UX-31', async () => {
    await find('grant_0')
    const { page: shown } = opened
    await shown.getByText('grant_0 is not an id of this service: copy the whole id.').waitFor()
  })
})

describe.skipIf(missing !== undefined)('the find box of operators', () => {
  let opened: OpenedPages
  const adminAnswers = {
    ...fullAdminAnswers,
    statement: () => ({
      ...fullAdminAnswers.statement(),
      rows: [...named, ...second].map((entry) => ({ ...entry, actor: 'operator' })),
    }),
  }
  withPages({ answers: { ...fullAnswers, ...auditor }, adminAnswers }, (each) => {
    opened = each
  })

  test.each([
    [adjusted, 2],
    [refunded, 4],
  ])('leads %s to its row on the statement of its account: UX-31', async (id, row) => {
    const { page: shown, server } = opened
    await shown.goto(`${server.url}/dashboard/operator/prices`)
    await shown.locator('[data-find]').fill(id)
    await shown.keyboard.press('Enter')
    await shown.waitForURL(/operator\/accounts\/acct_01sample\?.*view=statement.*movement=/)
    await expect.poll(() => shown.evaluate(focused)).toBe(row)
  })
})
