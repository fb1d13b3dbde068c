/** Days, zones and usual periods of usage, requests and statements. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { PageServer } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers } from '../testing/sample-answers.ts'
import { withPages } from '../testing/with-pages.ts'

describe.skipIf(missingChromium() !== undefined)('the period of a page', () => {
  let server: PageServer
  let page: Page
  withPages({ answers: fullAnswers, adminAnswers: fullAdminAnswers }, (opened) => {
    server = opened.server
    page = opened.page
  })

  const open = (of: string) => page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}${of}`)

  test('days are those of a zone, which the address names: UX-05, UX-30', async () => {
    const asked: { zone?: string | undefined }[] = []
    server.answers = {
      ...fullAnswers,
      requests: (input) => {
        asked.push(input)
        return fullAnswers.requests()
      },
    }
    const zone = () => new URL(page.url()).searchParams.get('zone')
    const own = await page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone')
    await open('/requests')
    await page.locator('tr[data-row]').first().waitFor()
    expect(asked.at(-1)).toMatchObject({ zone: own })
    expect(zone()).toBe(null)
    await page.getByLabel('From').fill('2026-11-01')
    await expect.poll(zone).toBe(own)
    await open('/requests?from=2026-11-01&zone=Asia/Kathmandu')
    // 10:00 in UTC.
    await page.locator('tr[data-row]').first().getByText('20 Nov 2026, 15:45:00').waitFor()
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Asia/Kathmandu')
    expect(asked.at(-1)).toMatchObject({ from: '2026-11-01', zone: 'Asia/Kathmandu' })
    await page.getByLabel('Time zone').selectOption('UTC')
    await page.locator('tr[data-row]').first().getByText('20 Nov 2026, 10:00:00').waitFor()
    await expect.poll(zone).toBe('UTC')
  })

  test('a usual period is chosen by its name, and is days in the address: UX-05, UX-30', async () => {
    await open('/statement?zone=UTC')
    const period = page.getByLabel('Period', { exact: true })
    const shown = () => period.locator('option:checked').textContent()
    const days = () => ['from', 'to'].map((name) => new URL(page.url()).searchParams.get(name))
    await expect.poll(shown).toBe('All time')
    await period.selectOption('Last month')
    await expect
      .poll(days)
      .toEqual([expect.stringMatching(/-01$/), expect.stringMatching(/-[23]\d$/)])
    await page.reload()
    await expect.poll(shown).toBe('Last month')
    await page.getByLabel('From').fill('2026-01-02')
    await expect.poll(shown).toBe('Chosen days')
    await period.selectOption('All time')
    await expect.poll(days).toEqual([null, null])
    // A page that shows thirty days by itself needs none in its address for them.
    await open('/usage')
    await expect.poll(shown).toBe('Last 30 days')
    await period.selectOption('This month')
    await expect.poll(days).toEqual([expect.stringMatching(/-01$/), expect.any(String)])
    await period.selectOption('Last 30 days')
    await expect.poll(days).toEqual([null, null])
  })

  test('from a page with a period to another one the period stays: UX-30', async () => {
    await open('/requests?from=2026-11-01&to=2026-11-20&zone=UTC&status=failed')
    await page.locator('tr[data-row]').first().waitFor()
    const pages = page.getByRole('navigation', { name: 'Pages of the account' })
    await pages.getByRole('link', { name: 'Statement' }).click()
    await page.getByText('Closing balance').waitFor()
    const period = '?from=2026-11-01&to=2026-11-20&zone=UTC'
    expect(new URL(page.url()).search).toBe(period)
    await page.getByRole('heading', { name: '1 Nov 2026 to 20 Nov 2026, UTC' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('u')
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    expect(new URL(page.url()).search).toBe(period)
  })
})
