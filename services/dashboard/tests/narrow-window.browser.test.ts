/** What is read of a row before anybody scrolls sideways, on a telephone. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { PageServer } from '../testing/page-server.ts'
import { ACCOUNT, fullAnswers } from '../testing/sample-answers.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const WIDTH_PX = 375

describe.skipIf(missing !== undefined)('a narrow window', () => {
  let server: PageServer
  let page: Page
  const context = { viewport: { width: WIDTH_PX, height: 800 } }
  withPages({ answers: fullAnswers, context }, (opened) => {
    server = opened.server
    page = opened.page
  })

  const edge = async (selector: string, side: 'left' | 'right') => {
    const box = await page.locator(`tr[data-row] ${selector}`).first().boundingBox()
    return (box?.x ?? Number.NaN) + (side === 'right' ? (box?.width ?? Number.NaN) : 0)
  }

  test.each([
    ['time', '/requests', 'time'],
    ['state', '/requests', 'td:nth-child(2) span'],
    ['time', '/statement', 'time'],
  ])('shows the whole %s of a row beside its amount: %s', async (_what, path, selector) => {
    await page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}${path}`)
    await page.locator('tr[data-row]').first().waitFor()
    expect(await edge(selector, 'right')).toBeLessThanOrEqual(await edge('[data-pinned]', 'left'))
  })
})
