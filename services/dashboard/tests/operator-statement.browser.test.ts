/** The statement of one account, as those see it who run the service. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { violations } from '../testing/accessibility.ts'
import { type PageServer, Refused } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers } from '../testing/sample-answers.ts'
import { keptScreenshot } from '../testing/screenshots.ts'
import { auditor } from '../testing/service-roles.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const PERIOD = 'from=2026-11-01&to=2026-11-30&zone=Asia%2FKathmandu'
const ASKED = { from: '2026-11-01', to: '2026-12-01', zone: 'Asia/Kathmandu' }
/** More than lead to any button of the page. */
const TABS_MAX = 60

describe.skipIf(missing !== undefined)('an auditor', () => {
  let server: PageServer
  let page: Page
  let asked: Record<string, unknown>[]
  let written: Record<string, unknown>[]
  withPages({ answers: { ...fullAnswers, ...auditor }, adminAnswers: {} }, (opened) => {
    server = opened.server
    page = opened.page
    asked = []
    written = []
    server.adminAnswers = {
      ...fullAdminAnswers,
      statement(input) {
        asked.push(input)
        return fullAdminAnswers.statement()
      },
      exportStatement(input) {
        written.push(input)
        return [{ text: 'a line\n' }, { text: 'and another\n' }]
      },
    }
  })

  const open = (search = '') =>
    page.goto(`${server.url}/dashboard/operator/accounts/${ACCOUNT}?view=statement${search}`)
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  test('asks for a period, which stands in the address, and sees what it is up to: UX-13', async () => {
    await open(`&${PERIOD}`)
    await page.getByRole('heading', { name: '1 Nov 2026 to 30 Nov 2026, Asia/Kathmandu' }).waitFor()
    const asOf = page.locator('[data-as-of]')
    expect(await asOf.textContent()).toMatch(/^As of event 182,440, \S/)
    expect(asked).toMatchObject([ASKED])
    await page.getByText('Times: Asia/Kathmandu').waitFor()
    expect(await page.locator('tbody time').first().textContent()).toBe('20 Nov 2026, 15:45:00')
    expect(await violations(page)).toEqual([])
    await page.getByLabel('To', { exact: true }).fill('2026-11-15')
    await page.waitForURL(/view=statement&.*to=2026-11-15/)
    await expect.poll(() => asked.at(-1)).toMatchObject({ ...ASKED, to: '2026-11-16' })
    await page.goBack()
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('2026-11-30')
    for (const width of [360, 1366]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 900 })
        await keptScreenshot(page, `operator-statement-period-${colorScheme}-${width}`)
      }
    }
  })

  test.each([
    ['CSV', 'csv'],
    ['JSON Lines', 'jsonl'],
    ['HTML', 'html'],
  ])(
    'takes what the page shows as a file, %s, with the keyboard alone: UX-22',
    async (name, as) => {
      await open(`&${PERIOD}`)
      await page.getByText('Closing balance').waitFor()
      const reached = () => page.evaluate<string>('document.activeElement.textContent')
      for (let tabs = 0; tabs < TABS_MAX && (await reached()) !== name; tabs += 1) {
        await page.keyboard.press('Tab')
      }
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.keyboard.press('Enter'),
      ])
      expect(download.suggestedFilename()).toBe(`statement-${ACCOUNT}.${as}`)
      const pieces: Uint8Array[] = []
      for await (const piece of await download.createReadStream()) pieces.push(piece)
      expect(Buffer.concat(pieces).toString('utf8')).toBe('a line\nand another\n')
      expect(written).toEqual([{ account_id: ACCOUNT, ...ASKED, as }])
    },
  )

  test('is told why there is no file', async () => {
    const refusal = new Refused(429, 'rate_limit_exceeded', 'Too many reads.')
    server.adminAnswers = { ...server.adminAnswers, exportStatement: () => refusal }
    await open()
    await button('CSV').click()
    await page.getByText('Too many reads.').waitFor()
    await page.setViewportSize({ width: 360, height: 900 })
    await keptScreenshot(page, 'operator-statement-no-file-360')
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360)
  })

  test('keeps the period beside a receipt, and behind it', async () => {
    await open(`&${PERIOD}`)
    await page.locator('tbody a').first().click()
    await page.getByRole('dialog').getByText('Tokens × price').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('to')).toBe('2026-11-30')
  })
})
