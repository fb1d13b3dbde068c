/** Days and times that somebody types key by key, and does not pick from a calendar. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { PageServer } from '../testing/page-server.ts'
import { ACCOUNT } from '../testing/sample-answers.ts'
import { ownerPages } from '../testing/service-roles.ts'
import { withPages } from '../testing/with-pages.ts'

const options = {
  ...ownerPages,
  context: { locale: 'en-US', timezoneId: 'Asia/Kathmandu' },
}
/** Between two keys, so that a page has drawn what came of the first. */
const PAUSE_MS = 60

describe.skipIf(missingChromium() !== undefined)('a day that is typed', () => {
  let server: PageServer
  let page: Page
  withPages(options, (opened) => {
    server = opened.server
    page = opened.page
    page.setDefaultTimeout(10_000)
  })

  const open = (path: string) => page.goto(`${server.url}/dashboard${path}`)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click()
  const field = (label: string) => page.getByLabel(label, { exact: true })
  const typed = async (label: string, keys: string) => {
    await field(label).focus()
    await page.keyboard.type(keys, { delay: PAUSE_MS })
    return field(label).inputValue()
  }
  const inAddress = (name: string) => new URL(page.url()).searchParams.get(name)

  test('leads on to the time where a price is published: a year has four digits', async () => {
    await open('/operator/prices')
    await press('New price')
    expect(await typed('In force from', '120120260930AM')).toBe('2026-12-01T09:30')
    expect(await page.getByRole('dialog').isVisible()).toBe(true)
  })

  test('breaks no page where credit is granted, whatever is typed behind it', async () => {
    await open(`/operator/accounts/${ACCOUNT}`)
    await press('Grant credit')
    expect(await typed('Expires on', '1201202612')).toMatch(/^\d{4}-12-01$/)
    expect(await page.getByRole('dialog').isVisible()).toBe(true)
  })

  test.each(['requests', 'statement', 'usage'])(
    'is the period of %s when it is whole',
    async (of) => {
      await open(`/accounts/${ACCOUNT}/${of}?zone=UTC`)
      await typed('From', '11012026')
      await expect.poll(() => inAddress('from')).toBe('2026-11-01')
      await typed('To', '1130202')
      expect(inAddress('to'), 'a year that is being typed is asked of nobody').toBeNull()
      await page.keyboard.type('6')
      await expect.poll(() => inAddress('to')).toBe('2026-11-30')
      await field('From').fill('')
      await expect.poll(() => inAddress('from')).toBeNull()
      expect(await field('To').inputValue()).toBe('2026-11-30')
      await page.goBack()
      await expect.poll(() => field('From').inputValue()).toBe('2026-11-01')
    },
  )

  test('is forgotten when its field is left before it has a year', async () => {
    await open(`/accounts/${ACCOUNT}/statement?to=2026-11-30&zone=UTC`)
    expect(await typed('To', '11292')).toBe('0002-11-29')
    await field('From').focus()
    await expect.poll(() => field('To').inputValue()).toBe('2026-11-29')
  })

  test('and is in no calendar is left out of an address, as all that it cannot mean', async () => {
    const junk = 'status=lost&zone=Mars/Phobos&from=2026-11-01&to=2026-99-99'
    await open(`/accounts/${ACCOUNT}/requests?${junk}`)
    await page.locator('tr[data-row]').first().waitFor()
    expect(await field('From').inputValue()).toBe('2026-11-01')
    expect(await field('To').inputValue()).toBe('')
    expect(inAddress('status')).toBeNull()
  })
})
