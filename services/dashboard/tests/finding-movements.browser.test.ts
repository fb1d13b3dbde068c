/** A movement of the balance, found by its id. */
import { describe, expect, test } from 'vitest'
import { missingChromium } from '../testing/chromium.ts'
import { ACCOUNT, fullAnswers } from '../testing/sample-answers.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const asked: string[] = []
const answers = {
  ...fullAnswers,
  accountEvent({ event_id: id }: { readonly event_id: string }) {
    asked.push(id)
    return { type: 'CreditGranted', at: '2026-11-20T10:00:00Z', request_id: null }
  },
}

describe.skipIf(missing !== undefined)('the find box of an account', () => {
  let opened: OpenedPages
  withPages({ answers }, (each) => {
    opened = each
  })

  test.each(['grant_1', 'adj_1'])('leads %s to its day on the statement: UX-31', async (id) => {
    const { page, server } = opened
    await page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}/usage`)
    await page.locator('[data-find]').fill(id)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/statement\?from=2026-11-20&to=2026-11-20&zone=/)
    expect(asked.at(-1)).toBe(id)
  })
})
