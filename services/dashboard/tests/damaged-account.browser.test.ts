/** An account whose records are damaged: it is said, at once, and everything else works. */

import { missingChromium } from '@svc/testing/chromium'
import { describe, expect, test } from 'vitest'
import { violations } from '../testing/accessibility.ts'
import { Refused } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers, session } from '../testing/sample-answers.ts'
import { keptScreenshot } from '../testing/screenshots.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const FINAL = { 'x-should-retry': 'false' }
const DAMAGED = 'The records of the account are damaged.'
let asked = 0
const damaged = () => {
  asked += 1
  return new Refused(503, 'account_damaged', DAMAGED, null, FINAL)
}
const accounts = [
  { account_id: ACCOUNT, name: ACCOUNT, role: 'owner' as const, status: 'damaged' as const },
  { account_id: 'acct_2', name: 'Zuse KG', role: 'owner' as const, status: 'open' as const },
]

describe.skipIf(missing !== undefined)('a damaged account', () => {
  let opened: OpenedPages
  const answers = {
    ...fullAnswers,
    session: () => ({ ...session, accounts, platform_role: 'operator' as const }),
    accountHome: damaged,
  }
  const listed = fullAdminAnswers
    .listAccounts()
    .map((account) => ({ ...account, damaged: account.account_id === ACCOUNT }))
  const adminAnswers = {
    ...fullAdminAnswers,
    listAccounts: ({ status }: { readonly status?: string | undefined }) =>
      listed.filter((account) => status !== 'damaged' || account.damaged),
    sumAccounts: () => ({ ...fullAdminAnswers.sumAccounts(), damaged: 1 }),
    showAccount: damaged,
  }
  withPages({ answers, adminAnswers }, (each) => {
    opened = each
  })

  test('is told of to its owner, who goes on to another one', async () => {
    const { page, server } = opened
    asked = 0
    await page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}`)
    await page.getByText('The records of this account are damaged').waitFor()
    await page.getByText(DAMAGED).waitFor()
    expect(asked, 'what stays refused is not asked for again by itself').toBe(1)
    expect(await violations(page)).toEqual([])
    await keptScreenshot(page, 'damaged-account')
    server.answers = { ...answers, accountHome: fullAnswers.accountHome }
    await page.getByLabel('Account', { exact: true }).selectOption({ label: 'Zuse KG' })
    await page.getByText('Available').waitFor()
    expect(await page.getByText('The records of this account are damaged').count()).toBe(0)
  })

  test('is marked in the list of accounts, and no other is, and the list says how it counts', async () => {
    const { page, server } = opened
    await page.goto(`${server.url}/dashboard/operator/accounts`)
    const rows = page.locator('tr[data-row]')
    await rows.first().waitFor()
    const shown = () => rows.locator('td:nth-child(2)').allTextContents()
    await expect.poll(shown).toEqual(['damaged', 'frozen', 'closed'])
    // It is in the sums, and under the filter of the status that it had: both have to say so.
    await page.getByText('Accounts with damaged records: 1. Filters').waitFor()
    expect(await violations(page)).toEqual([])
    await keptScreenshot(page, 'damaged-among-accounts')
    await page.getByLabel('Status').selectOption({ label: 'damaged' })
    await expect.poll(shown).toEqual(['damaged'])
    expect(new URL(page.url()).searchParams.get('status')).toBe('damaged')
  })

  test('is told of to an operator, with the way to what is damaged', async () => {
    const { page, server } = opened
    await page.goto(`${server.url}/dashboard/operator/accounts/${ACCOUNT}`)
    await page.getByText(`The records of the account ${ACCOUNT} are damaged`).waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('link', { name: 'See the damage' }).click()
    await page.getByRole('heading', { name: 'System' }).waitFor()
  })
})
