/** A server that is away for a while, or comes back with other pages, while a page is open. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { type PageServer, Refused } from '../testing/page-server.ts'
import { ACCOUNT, fullAnswers } from '../testing/sample-answers.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()

describe.skipIf(missing !== undefined)('a server that is away', () => {
  let server: PageServer
  let page: Page
  withPages({ answers: fullAnswers }, (opened) => {
    server = opened.server
    page = opened.page
  })

  const open = (path: string) => page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}${path}`)
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  test('a page that was opened while the server is away comes when that is back', async () => {
    await page.route('**/assets/usage-*.js', (route) => route.abort())
    await page.route('**/dashboard/', (route) => route.abort())
    await open('')
    await page.getByText('$41.20').first().waitFor()
    await page.evaluate('window.isSameWindow = true')
    await page.getByRole('link', { name: 'Usage', exact: true }).first().click()
    await page.getByRole('heading', { name: 'The server cannot be reached' }).waitFor()
    await page.getByText('This page opens by itself').waitFor()
    await button('Try again').click()
    await expect.poll(() => button('Try again').isEnabled()).toBe(true)
    expect(await page.evaluate('window.isSameWindow')).toBe(true)
    await page.unroute('**/assets/usage-*.js')
    await page.unroute('**/dashboard/')
    await page.getByText('Prompt tokens').first().waitFor()
    expect(page.url()).toContain('/usage')
  })

  test('what a page asks while the server is away is asked again when that is back', async () => {
    await open('')
    await page.getByText('$41.20').first().waitFor()
    for (const all of ['**/dashboard/', '**/dashboard/api/**']) {
      await page.route(all, (route) => route.abort())
    }
    await page.getByRole('link', { name: 'Members', exact: true }).first().click()
    const failures = page.getByText('The server cannot be reached')
    await failures.first().waitFor()
    await page.unrouteAll()
    await page.getByRole('table').first().waitFor()
    await expect.poll(() => failures.count()).toBe(0)
  })

  test('what the store could not answer is asked for again by itself, and says so steadily', async () => {
    const away = 'The event store does not answer. Please try again.'
    const refused = () => new Refused(503, 'store_unavailable', away, null, { 'retry-after': '1' })
    server.answers = { ...fullAnswers, listMembers: refused }
    await open('/members')
    const failure = page.getByText(away)
    await failure.waitFor()
    await page.evaluate(`
      window.shown = new Set()
      new MutationObserver(() => shown.add(document.querySelector('main').innerText.includes(
        ${JSON.stringify(away)}))).observe(document.body, { childList: true, subtree: true })`)
    await expect.poll(() => button('Try again').isDisabled()).toBe(true)
    await expect.poll(() => button('Try again').isEnabled()).toBe(true)
    expect(await page.evaluate('[...shown]'), 'it does not come and go').not.toContain(false)
    server.answers = fullAnswers
    await page.getByRole('table').first().waitFor()
    await expect.poll(() => failure.count()).toBe(0)
  })

  test('a page of a server that was upgraded since is loaded anew by itself', async () => {
    await open('')
    await page.getByText('$41.20').first().waitFor()
    await page.evaluate('window.isSameWindow = true')
    await page.route('**/assets/usage-*.js', (route) => route.fulfill({ status: 404 }), {
      times: 1,
    })
    await page.getByRole('link', { name: 'Usage', exact: true }).first().click()
    await page.getByText('Prompt tokens').first().waitFor()
    expect(await page.evaluate('window.isSameWindow')).toBeUndefined()
  })
})
