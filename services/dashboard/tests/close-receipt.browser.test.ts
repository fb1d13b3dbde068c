/** Where somebody is when a receipt is closed: on the page that it was opened from, as it was. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { PageServer } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers, session } from '../testing/sample-answers.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const ROWS = 60
const statement = fullAnswers.accountStatement()
const usage = statement.data.find(({ type }) => type === 'usage')
const requests = fullAnswers.requests()
const [request] = requests.data
if (usage === undefined || request === undefined) throw new Error('the samples have none')
const numbers = Array.from({ length: ROWS }, (_, index) => index)

const answers = {
  ...fullAnswers,
  session: () => ({ ...session, platform_role: 'operator' as const }),
  accountStatement: () => ({
    ...statement,
    data: numbers.map((entry) => ({ ...usage, entry, reference: `req_${entry}` })),
  }),
  requests: () => ({ ...requests, data: numbers.map((id) => ({ ...request, id: `req_${id}` })) }),
}

describe.skipIf(missing !== undefined)('a receipt that is closed', () => {
  let server: PageServer
  let page: Page
  withPages({ answers, adminAnswers: fullAdminAnswers }, (opened) => {
    server = opened.server
    page = opened.page
  })

  const rows = () => page.locator('main tr[data-row] a')
  const receipt = () => page.getByRole('dialog', { name: 'Receipt' })
  const scrolled = () => page.evaluate('window.scrollY')
  const open = (path: string) => page.goto(`${server.url}/dashboard/${path}`)

  /** @returns how far the page was scrolled */
  async function openedFar(): Promise<unknown> {
    await expect.poll(() => rows().count()).toBe(ROWS)
    await rows()
      .nth(ROWS - 5)
      .scrollIntoViewIfNeeded()
    const before = await scrolled()
    expect(before).toBeGreaterThan(500)
    await rows()
      .nth(ROWS - 5)
      .click()
    await receipt().waitFor()
    return before
  }

  test.each([
    ['a statement', `accounts/${ACCOUNT}/statement`],
    ['the requests', `accounts/${ACCOUNT}/requests?status=finished`],
  ])('leads back to %s, where it was scrolled to', async (_, path) => {
    await open(`accounts/${ACCOUNT}`)
    await page.getByText('Available').waitFor()
    await open(path)
    const before = await openedFar()
    // The second press comes before the browser has gone back: it must not go back further.
    await page.evaluate(`
      for (const _ of [1, 2]) document.querySelector('dialog').querySelector('button').click()`)
    await receipt().waitFor({ state: 'detached' })
    await expect.poll(() => page.url()).toBe(`${server.url}/dashboard/${path}`)
    await expect.poll(scrolled).toBe(before)
    await page.goBack()
    await page.getByText('Available').waitFor()
  })

  test('leads an operator back to the statement of the account', async () => {
    const path = `operator/accounts/${ACCOUNT}?view=statement`
    await open(path)
    await rows().first().click()
    await receipt().waitFor()
    await page.keyboard.press('Escape')
    await receipt().waitFor({ state: 'detached' })
    expect(page.url()).toBe(`${server.url}/dashboard/${path}`)
    await page.getByText('Closing balance').waitFor()
  })

  test('and was opened by an address shows the list, and leaves what was there before', async () => {
    await open(`accounts/${ACCOUNT}/statement`)
    await open(`accounts/${ACCOUNT}/requests?request=req_1`)
    await receipt().waitFor()
    await page.keyboard.press('Escape')
    await receipt().waitFor({ state: 'detached' })
    expect(page.url()).toBe(`${server.url}/dashboard/accounts/${ACCOUNT}/requests`)
  })
})
