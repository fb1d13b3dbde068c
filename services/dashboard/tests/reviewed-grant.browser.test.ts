/** What a grant comes to, of a balance that has changed since the page was drawn. */

import { missingChromium } from '@svc/testing/chromium'
import { describe, expect, test } from 'vitest'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT } from '../testing/sample-answers.ts'
import { ownerPages } from '../testing/service-roles.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

describe.skipIf(missingChromium() !== undefined)('a grant', () => {
  let opened: OpenedPages
  withPages(ownerPages, (each) => {
    opened = each
  })

  test('is reviewed upon the balance as it is by now: UX-50', async () => {
    const { page, server } = opened
    await page.goto(`${server.url}/dashboard/operator/accounts/${ACCOUNT}`)
    await page.getByRole('button', { name: 'Grant credit', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Amount in dollars').fill('5')
    await dialog.getByLabel('Reason').fill('Invoice 42')
    const account = { ...fullAdminAnswers.showAccount(), settled: '241.2098313' }
    server.adminAnswers = { ...fullAdminAnswers, showAccount: () => account }
    await dialog.getByRole('button', { name: 'Review', exact: true }).click()
    await dialog.getByText('Changes by').waitFor()
    expect(await dialog.textContent()).toMatch(/\$241\.2098313.*\$246\.2098313/s)
  })
})
