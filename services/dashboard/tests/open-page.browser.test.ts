/** A page that is left open: ages go on. */

import { missingChromium } from '@svc/testing/chromium'
import { describe, expect, test } from 'vitest'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, session } from '../testing/sample-answers.ts'
import { ownerPages } from '../testing/service-roles.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

const missing = missingChromium()

describe.skipIf(missing !== undefined)('a page that is left open', () => {
  let opened: OpenedPages
  withPages(ownerPages, (each) => {
    opened = each
  })

  test('tells the age that a hold has now, and when it is overdue: UX-11', async () => {
    const { page, server } = opened
    const { holds, ...rest } = fullAdminAnswers.listHolds()
    const [hold] = holds
    if (hold === undefined) expect.fail('the sample has no hold')
    const now = Date.parse(session.now)
    const young = {
      ...hold,
      held_since: new Date(now - 5_000).toISOString(),
      deadline: new Date(now + 60_000).toISOString(),
    }
    server.adminAnswers = {
      ...fullAdminAnswers,
      listHolds: () => ({ ...rest, holds: [young] }),
    }
    await page.clock.install({ time: now })
    await page.goto(`${server.url}/dashboard/operator/accounts/${ACCOUNT}?view=holds`)
    const row = page.locator('tr[data-row]')
    await row.waitFor()
    expect(await row.getByText(/^\d seconds ago$/).count()).toBe(1)
    expect(await row.getByText('overdue').count()).toBe(0)
    await page.clock.runFor(120_000)
    expect(await row.getByText('2 minutes ago').count()).toBe(1)
    expect(await row.getByText('overdue').count()).toBe(1)
  })
})
