/** What one account used, as those see it who run the service. */

import { missingChromium } from '@svc/testing/chromium'
import { describe, expect, test } from 'vitest'
import { violations } from '../testing/accessibility.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers } from '../testing/sample-answers.ts'
import { auditor } from '../testing/service-roles.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

const missing = missingChromium()

describe.skipIf(missing !== undefined)('an auditor', () => {
  let opened: OpenedPages
  withPages({ answers: { ...fullAnswers, ...auditor }, adminAnswers: {} }, (each) => {
    opened = each
  })

  test('sees what an account used day by day, of a period and a group that are chosen', async () => {
    const { page, server } = opened
    const asked: unknown[] = []
    server.adminAnswers = {
      ...fullAdminAnswers,
      accountUsage(input) {
        asked.push(input)
        return fullAdminAnswers.accountUsage(input)
      },
    }
    await page.goto(
      `${server.url}/dashboard/operator/accounts/${ACCOUNT}?from=2026-11-01&to=2026-11-30&zone=UTC`,
    )
    const views = page.getByRole('navigation', { name: 'Views of the account' })
    await views.getByRole('link', { name: 'Usage' }).click()
    await page.getByRole('heading', { name: 'Tokens', exact: true }).waitFor()
    expect(await page.locator('[data-as-of]').textContent()).toMatch(/^As of event 182,440, \S/)
    expect(asked, 'without a group only the charts ask').toHaveLength(1)
    // Another view of the account is of the same time.
    expect(asked[0]).toMatchObject({ from: '2026-11-01', to: '2026-12-01', zone: 'UTC' })
    await page.waitForURL(/from=2026-11-01&to=2026-11-30/)
    await page.getByLabel('By', { exact: true }).selectOption('month')
    await page.getByLabel('Group by').selectOption('key')
    await page.waitForURL(/view=usage&.*group=key/)
    const rows = page.getByRole('region', { name: 'Usage' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(20)
    const last = { account_id: ACCOUNT, by: 'month', group_by: 'key', limit: '750' }
    expect(asked.at(-1)).toMatchObject(last)
    expect(await violations(page)).toEqual([])
  })
})
