/** Names that people gave: each is read from its own beginning, wherever it stands. */

import { missingChromium } from '@svc/testing/chromium'
import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers, session } from '../testing/sample-answers.ts'
import { keptScreenshot } from '../testing/screenshots.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const NAME = 'مؤسسة النور الحديثة للتجارة والبرمجيات!'

describe.skipIf(missing !== undefined)('a name in letters from the right', () => {
  let opened: OpenedPages
  const named = {
    ...session,
    user: session.user && { ...session.user, display_name: NAME },
    accounts: [
      { account_id: ACCOUNT, name: NAME, role: 'owner' as const, status: 'open' as const },
    ],
    platform_role: 'operator' as const,
  }
  const answers = { ...fullAnswers, session: () => named }
  const account = { ...fullAdminAnswers.showAccount(), name: NAME }
  const adminAnswers = { ...fullAdminAnswers, showAccount: () => account }
  const context = { viewport: { width: 900, height: 800 } }
  withPages({ answers, adminAnswers, context }, (each) => {
    opened = each
  })

  test('begins at the right, and what does not fit is its end', async () => {
    const { page, server } = opened
    await page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}`)
    const link = page.getByRole('link', { name: NAME })
    await link.waitFor()
    const { first } = await edges(link)
    const box = await link.boundingBox()
    expect(first).toBeGreaterThan(box?.x ?? Number.NaN)
    expect(first).toBeLessThanOrEqual((box?.x ?? 0) + (box?.width ?? 0))
    expect(await link.getAttribute('title')).toBe(NAME)
    await keptScreenshot(page, 'name-from-the-right')
  })

  test.each([
    ['above the pages of an account', `accounts/${ACCOUNT}`, 'nav p'],
    ['as the heading of an account', `operator/accounts/${ACCOUNT}`, 'h1'],
  ])('ends with its own sign %s', async (_where, path, selector) => {
    const { page, server } = opened
    await page.goto(`${server.url}/dashboard/${path}`)
    const name = page.locator(selector).filter({ hasText: NAME })
    await name.waitFor()
    const { first, last } = await edges(name)
    expect(last, 'the sign is at the left of the first letter').toBeLessThan(first)
  })
})

/** Where the first letter of a text ends at the right, and its last sign at the left. */
async function edges(shown: Locator): Promise<{ readonly first: number; readonly last: number }> {
  const marked = 'data-measured'
  await shown.evaluate((element, name) => element.setAttribute(name, ''), marked)
  return shown.page().evaluate(`(() => {
    const element = document.querySelector('[${marked}]')
    const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode()
    const boxOf = (at) => {
      const range = document.createRange()
      range.setStart(text, at)
      range.setEnd(text, at + 1)
      return range.getBoundingClientRect()
    }
    return { first: boxOf(0).right, last: boxOf(text.length - 1).left }
  })()`)
}
