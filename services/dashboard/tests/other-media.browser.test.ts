/** The pages on paper, and in the colours of a reader who has set their own. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { PageServer } from '../testing/page-server.ts'
import { ACCOUNT, fullAnswers } from '../testing/sample-answers.ts'
import { keptScreenshot } from '../testing/screenshots.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const A4_PX = { width: 794, height: 1123 }

function sheetsOf(pdf: Buffer): number {
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0
}

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

  test('a receipt is printed by itself, once, and across the sheet', async () => {
    await open('/requests?request=req_1')
    const receipt = page.getByRole('dialog', { name: 'Receipt' })
    await receipt.getByText('Tokens × price').waitFor()
    // However long the list is beside which it is open.
    const sheets = () => page.pdf({ format: 'A4' }).then(sheetsOf)
    const before = await sheets()
    await page.evaluate(
      "document.querySelector('main').insertAdjacentHTML('beforeend', '<hr style=height:9000px>')",
    )
    expect(await sheets()).toBe(before)
    await page.setViewportSize(A4_PX)
    await page.emulateMedia({ media: 'print' })
    await keptScreenshot(page, 'print-receipt')
    expect(await receipt.getByRole('button', { name: 'Close' }).isVisible()).toBe(false)
    expect(await page.getByText('All time', { exact: false }).first().isVisible()).toBe(false)
    expect((await receipt.boundingBox())?.width).toBe(A4_PX.width)
  })

  test('a chart fits the sheet with its last step, and its legend keeps its colours', async () => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await open('/usage')
    await page.locator('figure svg path').first().waitFor()
    // As a browser prints: the sheet is narrower than the window, and no script runs in between.
    const right = await page.evaluate<number>(`(() => {
      const svg = document.querySelector('figure svg')
      svg.parentElement.style.width = '300px'
      const path = [...svg.querySelectorAll('path')].at(-1)
      return path.getBoundingClientRect().right - svg.getBoundingClientRect().right
    })()`)
    expect(right).toBeLessThan(0)
    await page.emulateMedia({ media: 'print' })
    expect(await style('figcaption span[aria-hidden]', 'printColorAdjust')).toBe('exact')
  })

  test('sums stand below a printed table once, and not below each of its sheets', async () => {
    await open('/requests')
    await page.locator('tfoot').waitFor()
    await page.emulateMedia({ media: 'print' })
    expect(await style('tfoot', 'display')).toBe('table-row-group')
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
