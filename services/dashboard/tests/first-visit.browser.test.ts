/** The first visit over a slow network. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { PageServer } from '../testing/page-server.ts'
import { ACCOUNT, fullAnswers } from '../testing/sample-answers.ts'
import { keptScreenshot } from '../testing/screenshots.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()

describe.skipIf(missing !== undefined)('the first visit', () => {
  let server: PageServer
  let page: Page
  withPages({ answers: fullAnswers }, (opened) => {
    server = opened.server
    page = opened.page
  })

  /** What stands in the place of the page, and whether it is seen yet. */
  const shown = () =>
    page.evaluate<readonly string[]>(`(() => {
      const { content, visibility } = getComputedStyle(document.querySelector('#root'), '::before')
      return [content, visibility]
    })()`)

  test('shows that the page comes, until its scripts and who is signed in are there', async () => {
    const held = Promise.withResolvers<void>()
    const isAsked = Promise.withResolvers<void>()
    const heldAnswer = Promise.withResolvers<void>()
    await page.route('**/assets/*.js', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.route('**/api/session', async (route) => {
      isAsked.resolve()
      await heldAnswer.promise
      await route.continue()
    })
    await page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}`, { waitUntil: 'commit' })
    await expect.poll(shown).toEqual(['"Loading …"', 'visible'])
    await keptScreenshot(page, 'first-visit')
    held.resolve()
    await isAsked.promise
    expect(await shown()).toEqual(['"Loading …"', 'visible'])
    heldAnswer.resolve()
    await page.getByText('$41.20').first().waitFor()
    expect((await shown())[0]).toBe('none')
  })
})
