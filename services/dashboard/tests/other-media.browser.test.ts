/** The pages on paper, and in the colours of a reader who has set their own. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { missingChromium } from '../testing/chromium.ts'
import type { PageServer } from '../testing/page-server.ts'
import { ACCOUNT, fullAnswers } from '../testing/sample-answers.ts'
import { keptScreenshot } from '../testing/screenshots.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const A4_PX = { width: 794, height: 1123 }

describe.skipIf(missing !== undefined)('other media', () => {
  let server: PageServer
  let page: Page
  withPages({ answers: fullAnswers }, (opened) => {
    server = opened.server
    page = opened.page
  })

  const open = (path: string) => page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}${path}`)
  const style = (selector: string, name: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${name}`)

  test('a page that is printed has all columns, and nothing to click', async () => {
    await page.setViewportSize(A4_PX)
    await open('/statement')
    await page.getByText('Closing balance').waitFor()
    await page.emulateMedia({ media: 'print' })
    await keptScreenshot(page, 'print-statement')
    expect(await style('th[data-pinned]', 'position')).toBe('static')
    expect(await style('.scrolls-aside', 'overflowX')).toBe('visible')
    for (const gone of [page.getByRole('link', { name: 'Usage' }), page.getByRole('searchbox')]) {
      expect(await gone.isVisible()).toBe(false)
    }
    expect(await page.getByLabel('Account', { exact: true }).isVisible()).toBe(true)
  })

  test('the legend of a chart keeps its colours where all others are those of the reader', async () => {
    await page.emulateMedia({ forcedColors: 'active' })
    await open('/usage')
    await page.locator('figure svg path').first().waitFor()
    await keptScreenshot(page, 'forced-colors-usage')
    const bars = await style('figure svg path', 'fill')
    expect(await style('figcaption span[aria-hidden]', 'backgroundColor')).toBe(bars)
  })
})
