/** The requests of one account, as those see them who run the service. */

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
const ASKED = {
  account_id: ACCOUNT,
  from: '2026-11-01',
  to: '2026-12-01',
  zone: 'Asia/Kathmandu',
}

describe.skipIf(missing !== undefined)('an auditor', () => {
  let server: PageServer
  let page: Page
  let asked: unknown[]
  let summed: unknown[]
  let written: unknown[]
  withPages({ answers: { ...fullAnswers, ...auditor }, adminAnswers: {} }, (opened) => {
    server = opened.server
    page = opened.page
    asked = []
    summed = []
    written = []
    server.adminAnswers = {
      ...fullAdminAnswers,
      accountRequests(input) {
        asked.push(input)
        return fullAdminAnswers.accountRequests()
      },
      accountRequestTotals(input) {
        summed.push(input)
        return fullAdminAnswers.accountRequestTotals(input)
      },
      exportRequests(input) {
        written.push(input)
        return [{ text: 'a line\n' }, { text: 'and another\n' }]
      },
    }
  })

  const open = (search: string) =>
    page.goto(`${server.url}/dashboard/operator/accounts/${ACCOUNT}?view=requests&${search}`)

  test('asks for requests as the customer does, and sees what they come to: UX-05, UX-13, UX-30', async () => {
    await open(PERIOD)
    await page.getByText('All 4,120 requests').waitFor()
    expect(await page.locator('[data-as-of]').textContent()).toMatch(/^As of event 182,440, \S/)
    expect(asked).toMatchObject([ASKED])
    expect(summed).toMatchObject([ASKED])
    expect(await violations(page)).toEqual([])
    const marks = await page.locator('tr[data-row] td:nth-child(2)').allTextContents()
    expect(marks.map((mark) => mark.trim())).toEqual([
      ...['finished refunded', 'running', 'stopped partly refunded', 'failed'],
    ])
    await page.getByLabel('Key').selectOption('key_1')
    await page.waitForURL(/view=requests&.*key=key_1/)
    await page.getByLabel('Model').selectOption('svc-beta')
    await page.getByLabel('To', { exact: true }).fill('2026-11-15')
    const narrowed = { ...ASKED, to: '2026-11-16', key_id: 'key_1', model: 'svc-beta' }
    await expect.poll(() => asked.at(-1)).toMatchObject(narrowed)
    await expect.poll(() => summed.at(-1)).toMatchObject(narrowed)
    await page.locator('tbody a').first().click()
    await page.getByRole('dialog').getByText('Tokens × price').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('model')).toBe('svc-beta')
    for (const width of [390, 1280]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 900 })
        await keptScreenshot(page, `operator-requests-${colorScheme}-${width}`)
        const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth')
        expect(scrolled).toBe(width)
      }
    }
  })

  test.each([
    ['CSV', 'csv'],
    ['JSON Lines', 'jsonl'],
  ])('takes what the page shows as a file, %s: UX-33', async (name, as) => {
    await open(`${PERIOD}&status=failed`)
    await page.locator('tr[data-row]').first().waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name, exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`requests-${ACCOUNT}.${as}`)
    const pieces: Uint8Array[] = []
    for await (const piece of await download.createReadStream()) pieces.push(piece)
    expect(Buffer.concat(pieces).toString('utf8')).toBe('a line\nand another\n')
    expect(written).toEqual([{ ...ASKED, status: 'failed', as }])
  })

  test('finds why a request was refused, where none was accepted under the id', async () => {
    const refusal = {
      id: 'req_refused',
      refused_at: '2026-11-20T10:00:00.000Z',
      account_id: ACCOUNT,
      key_id: 'key_1',
      format: 'responses' as const,
      model: 'svc-beta',
      status: 402,
      code: 'insufficient_credit',
      meaning: 'The credit does not suffice.',
      message: 'This account has no credit left.',
    }
    server.adminAnswers = {
      ...fullAdminAnswers,
      explain: () => new Refused(404, 'not_found', 'There is no request.'),
      explainRefusal: ({ request_id: id }) =>
        id === refusal.id ? refusal : new Refused(404, 'not_found', 'There is none.'),
    }
    await page.goto(`${server.url}/dashboard/operator/events`)
    const box = page.locator('[data-find]')
    const said = page.getByRole('search').getByRole('status')
    await box.fill('req_unknown')
    await box.press('Enter')
    await said.getByText('none was refused under it in the last 30 days').waitFor()
    await box.fill(refusal.id)
    await box.press('Enter')
    await said.getByText('402 insufficient_credit').waitFor()
    expect(await said.textContent()).toContain('The caller was told: This account has no credit')
    expect(await violations(page)).toEqual([])
    await keptScreenshot(page, 'operator-refusal')
    await said.getByRole('link', { name: 'See the account' }).click()
    await page.waitForURL(`**/operator/accounts/${ACCOUNT}`)
  })

  test('takes filters off under which there is nothing: UX-36', async () => {
    const none = { ...fullAdminAnswers.accountRequests(), data: [], next_cursor: null }
    server.adminAnswers = {
      ...fullAdminAnswers,
      accountRequests: (input) =>
        input.status === 'failed' ? none : fullAdminAnswers.accountRequests(),
    }
    await open('status=failed')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.locator('tr[data-row]').first().waitFor()
    expect(new URL(page.url()).search).toBe('?view=requests')
  })
})
