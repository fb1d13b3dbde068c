/** A page of this version whose questions a server of the version before answers. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { changedAnswers } from '../testing/changed-answers.ts'
import { type PageServer, Refused } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers, session } from '../testing/sample-answers.ts'
import { withPages } from '../testing/with-pages.ts'

/** Fields of answers that came with this version. */
const newFields = [
  'as_of',
  'behind_events',
  'behind_events_exact',
  'created_by',
  'effective_from',
  'expiring',
  'refunded',
]
const unknownThere = () => new Refused(404, 'not_found', 'There is no such route.')

const pages = [
  ...['', '/keys', '/requests', '/requests?request=req_1', '/statement', '/usage', '/chat'].map(
    (path) => `accounts/${ACCOUNT}${path}`,
  ),
  ...['access', 'accounts', `accounts/${ACCOUNT}?view=statement`, 'audit', 'system'].map(
    (path) => `operator/${path}`,
  ),
]

const missing = missingChromium()

describe.skipIf(missing !== undefined)('an older server, in the middle of an upgrade', () => {
  let server: PageServer
  let page: Page
  const owner = { session: () => ({ ...session, platform_role: 'owner' as const }) }
  const older = <All extends object>(answers: All) =>
    changedAnswers(answers, (field, value) => (newFields.includes(field) ? undefined : value))
  const answers = { ...older({ ...fullAnswers, ...owner }), requestTotals: unknownThere }
  withPages({ answers, adminAnswers: older(fullAdminAnswers) }, (opened) => {
    server = opened.server
    page = opened.page
  })

  test.each(pages)('%s says nothing that nobody told it: UX-13', async (path) => {
    const faults: string[] = []
    page.on('pageerror', ({ message }) => faults.push(message))
    await page.goto(`${server.url}/dashboard/${path}`)
    await page.locator('h1').first().waitFor()
    await expect.poll(() => page.getByText('Loading …').count()).toBe(0)
    const shown = await page.locator('#root').textContent()
    expect(shown).not.toMatch(/undefined|NaN|Invalid Date|This page failed/)
    expect(faults).toEqual([])
  })
})
