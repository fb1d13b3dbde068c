/** What operators are told on whatever page of theirs they are. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { violations } from '../testing/accessibility.ts'
import { hurryUntil } from '../testing/hurry.ts'
import type { PageServer } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT } from '../testing/sample-answers.ts'
import { keptScreenshot } from '../testing/screenshots.ts'
import { ownerPages } from '../testing/service-roles.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const pages = ['accounts', `accounts/${ACCOUNT}`, 'prices', 'audit', 'system', 'access', 'events']

describe.skipIf(missing !== undefined)('an operator', () => {
  let server: PageServer
  let page: Page
  withPages(ownerPages, (opened) => {
    server = opened.server
    page = opened.page
  })

  const overdue = { count: 2, since: '2026-11-20T09:00:00.000Z' }
  const status = { ...fullAdminAnswers.status(), overdue_holds: overdue }
  const alert = () => page.getByRole('alert').filter({ hasText: 'held longer than any request' })

  test.each(pages)('is told of old holds on the page %s: UX-11', async (path) => {
    server.adminAnswers = { ...fullAdminAnswers, status: () => status }
    await page.goto(`${server.url}/dashboard/operator/${path}`)
    await alert().getByText('by requests that nobody has ended: 2.').waitFor()
    expect(await alert().getByText('1 hour ago').count()).toBe(1)
    expect(await violations(page)).toEqual([])
    await keptScreenshot(page, `alert-${path.split('/').join('-')}`)
    await alert().getByRole('link', { name: 'See the holds' }).click()
    await page.getByRole('heading', { name: 'System' }).waitFor()
  })

  test('is told what the feed and the payments of Kafka wait for', async () => {
    const feed = {
      topic: 'svc.ledger',
      position: '1000',
      lag: '3871',
      waiting_seconds: 18,
      problems: ['The feed does not go on: Kafka does not answer.'],
    }
    const topUps = {
      topic: 'payments',
      group: 'svc-topups',
      dead_letter_topic: 'payments.dead',
      granted: 7,
      repeated: 5,
      dead: 2,
      waiting: '12',
      problems: ['Payments wait: Kafka does not answer.'],
    }
    const kafka = { ...fullAdminAnswers.status(), feed, top_ups: topUps }
    server.adminAnswers = { ...fullAdminAnswers, status: () => kafka }
    await page.goto(`${server.url}/dashboard/operator/system`)
    const alerts = page.getByRole('alert')
    for (const problem of [...feed.problems, ...topUps.problems]) {
      await alerts.filter({ hasText: problem }).waitFor()
    }
    const figures = async (title: string, part = 'dd') => {
      const heading = page.getByRole('heading', { name: title, exact: true })
      return page.locator('section', { has: heading }).locator(part).allTextContents()
    }
    expect(await figures('Events sent to Kafka')).toEqual(['svc.ledger', '3,871', '18.0 s'])
    const unit = async () => (await figures('Events sent to Kafka', 'dt'))[1]
    expect(await unit()).toBe('Events behind')
    server.adminAnswers = {
      ...fullAdminAnswers,
      status: () => ({ ...kafka, store: { ...kafka.store, kind: 'eventstoredb' } }),
    }
    await expect.poll(unit).toBe('Bytes behind')
    expect(await figures('Payments taken from Kafka')).toEqual(['payments', '12', '7', '5', '2'])
    expect(await violations(page)).toEqual([])
    await keptScreenshot(page, 'alert-kafka')
  })

  test('is told of old holds until there are none, and of young ones never: UX-11', async () => {
    await page.clock.install()
    await page.goto(`${server.url}/dashboard/operator/accounts`)
    await page.locator('tr[data-row]').first().waitFor()
    expect(await alert().count()).toBe(0)
    server.adminAnswers = { ...fullAdminAnswers, status: () => status }
    await hurryUntil(page, alert())
    server.adminAnswers = fullAdminAnswers
    await expect
      .poll(async () => {
        await page.clock.runFor(1_000)
        return alert().count()
      })
      .toBe(0)
  })
})
