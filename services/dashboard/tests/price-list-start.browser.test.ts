/** An account that is put on a price list. */

import { missingChromium } from '@svc/testing/chromium'
import { describe, expect, test } from 'vitest'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT } from '../testing/sample-answers.ts'
import { ownerPages } from '../testing/service-roles.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

const START = '2999-01-01T00:00:00.000Z'

describe.skipIf(missingChromium() !== undefined)('a price list', () => {
  let opened: OpenedPages
  withPages(ownerPages, (each) => {
    opened = each
  })

  async function setTo(price_list: string, starts_at: string | null) {
    const { page, server } = opened
    const set = { account_id: ACCOUNT, price_list, changed: true, starts_at }
    server.adminAnswers = { ...fullAdminAnswers, setPriceList: () => set }
    await page.goto(`${server.url}/dashboard/operator/accounts/${ACCOUNT}`)
    await page.getByRole('button', { name: 'Price list', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Price list').fill(price_list)
    await dialog.getByRole('button', { name: 'Save' }).click()
    return dialog
  }

  test.each([
    ['acme', 'until then the account pays the prices of “default”'],
    ['default', 'until then nothing is sold at it'],
  ])('without a price in force says what counts until its first one: %s', async (list, until) => {
    const dialog = await setTo(list, START)
    const said = await dialog.getByRole('status').textContent()
    expect(said).toMatch(/1 Jan 2999/)
    expect(said).toContain(until)
    expect(await dialog.getByRole('heading').evaluate((title) => title.matches(':focus'))).toBe(
      true,
    )
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await dialog.waitFor({ state: 'detached' })
  })

  test('with a price in force is set without another word', async () => {
    const dialog = await setTo('acme', null)
    await dialog.waitFor({ state: 'detached' })
  })
})
