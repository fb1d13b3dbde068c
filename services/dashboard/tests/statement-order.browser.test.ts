/** Which movement of a statement comes first, for customers and for those who run the service. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { violations } from '../testing/accessibility.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers } from '../testing/sample-answers.ts'
import { keptScreenshot } from '../testing/screenshots.ts'
import { owner } from '../testing/service-roles.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const [sample = expect.fail('no entry')] = fullAnswers.accountStatement().data
/** Each entry is a dollar of credit: the balance after it is its number. */
const ENTRIES = 4
const PAGE = 3
const all = Array.from({ length: ENTRIES }, (_, index) => ({
  ...sample,
  entry: index + 1,
  type: 'grant' as const,
  reference: `grant_${index + 1}`,
  credit: '1.00',
  debit: '0.00',
  balance: `${index + 1}.00`,
}))

interface Asked {
  readonly order?: string | undefined
  readonly cursor?: string | undefined
  readonly after?: number | string | undefined
}

/** What the server answers: a page of three entries, and one of the last. */
function pageOf({ order, cursor, after }: Asked) {
  const isSecond = cursor !== undefined || after !== undefined
  const entries = order === 'newest' ? all.toReversed() : all
  const data = isSecond ? entries.slice(PAGE) : entries.slice(0, PAGE)
  const numbers = data.map(({ entry }) => entry)
  const opening = `${Math.min(...numbers) - 1}.00`
  const closing = `${Math.max(...numbers)}.00`
  return { data, opening, closing, more: !isSecond }
}

const answers = {
  ...fullAnswers,
  ...owner,
  accountStatement(asked: Asked = {}) {
    const { data, opening, closing, more } = pageOf(asked)
    const next = more ? 'more' : null
    const pages = { has_more: more, next_cursor: next }
    return { ...fullAnswers.accountStatement(), data, opening, closing, ...pages }
  },
}
const adminAnswers = {
  ...fullAdminAnswers,
  statement(asked: Asked) {
    const { data, opening, closing, more } = pageOf(asked)
    const rows = data.map((entry) => ({ ...entry, actor: 'operator' }))
    return { ...fullAdminAnswers.statement(), rows, opening, closing, more }
  },
}

/** The rows of the statement, each by its first and its last cell. */
async function shown(page: Page): Promise<readonly string[]> {
  const ends = `[...document.querySelectorAll('main table tr')].slice(1).map((row) => {
    const name = row.querySelector('strong') ?? row.querySelector('code')
    return name.textContent + ' ' + row.lastElementChild.textContent
  })`
  return page.evaluate(ends)
}

describe.skipIf(missing !== undefined)('a statement', () => {
  let opened: OpenedPages
  withPages({ answers, adminAnswers }, (each) => {
    opened = each
  })

  test.each([
    ['of the customer', `accounts/${ACCOUNT}/statement?`],
    ['of the operator', `operator/accounts/${ACCOUNT}?view=statement&`],
  ])('%s begins with the newest, or where it is asked to', async (whose, path) => {
    const { page, server } = opened
    await page.goto(`${server.url}/dashboard/${path}from=2026-11-01&zone=UTC`)
    const newest = ['grant_4 $4.00', 'grant_3 $3.00', 'grant_2 $2.00']
    await expect
      .poll(() => shown(page))
      .toEqual(['Closing balance $4.00', ...newest, 'Balance before these rows $1.00'])
    expect(await violations(page)).toEqual([])
    await keptScreenshot(page, `statement-newest-first-${whose.replaceAll(' ', '-')}`)
    await page.getByRole('button', { name: 'Load more' }).click()
    await expect
      .poll(() => shown(page))
      .toEqual(['Closing balance $4.00', ...newest, 'grant_1 $1.00', 'Opening balance $0.00'])

    await page.getByLabel('Order').selectOption('oldest')
    await page.waitForURL(/from=2026-11-01.*order=oldest/)
    const oldest = ['grant_1 $1.00', 'grant_2 $2.00', 'grant_3 $3.00']
    await expect
      .poll(() => shown(page))
      .toEqual(['Opening balance $0.00', ...oldest, 'Balance after these rows $3.00'])
    // The order outlives another period, and a reload.
    await page.getByLabel('From').fill('2026-11-02')
    await page.waitForURL(/from=2026-11-02.*order=oldest/)
    await page.reload()
    await page.getByText('Balance after these rows').waitFor()
    expect(await page.getByLabel('Order').inputValue()).toBe('oldest')
  })

  test('of a file begins with the oldest, whatever the page shows', async () => {
    const { page, server } = opened
    await page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}/statement?order=newest`)
    const link = page.getByRole('link', { name: 'CSV' })
    expect(await link.getAttribute('href')).not.toContain('order')
  })
})
