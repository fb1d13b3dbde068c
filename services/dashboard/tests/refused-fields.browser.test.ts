/** Where a form says what the server refused. */

import { missingChromium } from '@svc/testing/chromium'
import { describe, expect, test } from 'vitest'
import { Refused } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT } from '../testing/sample-answers.ts'
import { ownerPages } from '../testing/service-roles.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

const UNKNOWN = 'There is no price on a list "acem": publish one first.'

describe.skipIf(missingChromium() !== undefined)('what the server refuses of a form', () => {
  let opened: OpenedPages
  withPages(ownerPages, (each) => {
    opened = each
  })

  async function openForm(button: string) {
    const { page, server } = opened
    await page.goto(`${server.url}/dashboard/operator/accounts/${ACCOUNT}`)
    await page.getByRole('button', { name: button, exact: true }).click()
    const dialog = page.getByRole('dialog')
    const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
    return { dialog, press, alert: dialog.getByRole('alert') }
  }

  const described = (id: string | null) => opened.page.locator(`[id="${id}"]`).textContent()

  test('stands at the field that it is about, which has the focus', async () => {
    let asked = 0
    const setPriceList = () => {
      asked += 1
      return new Refused(400, 'invalid_value', UNKNOWN, 'price_list')
    }
    opened.server.adminAnswers = { ...fullAdminAnswers, setPriceList }
    const { dialog, press, alert } = await openForm('Price list')
    const field = dialog.getByLabel('Price list')
    await field.fill('acem')
    const state = async () => ({
      asked,
      isInvalid: await field.getAttribute('aria-invalid'),
      hasFocus: await field.evaluate((input) => input.matches(':focus')),
      alerts: await alert.count(),
    })
    for (const attempt of [1, 2]) {
      await press('Save')
      const refused = { asked: attempt, isInvalid: 'true', hasFocus: true, alerts: 1 }
      await expect.poll(state).toEqual(refused)
      expect(await described(await field.getAttribute('aria-describedby'))).toBe(UNKNOWN)
    }
    const set = { account_id: ACCOUNT, price_list: 'acme', changed: true, starts_at: null }
    opened.server.adminAnswers = { ...fullAdminAnswers, setPriceList: () => set }
    await field.fill('acme')
    await press('Save')
    await dialog.waitFor({ state: 'detached' })
  })

  test('stands at its field too where the page itself refuses it, before the server', async () => {
    const { dialog, press, alert } = await openForm('Grant credit')
    await dialog.getByLabel('Amount in dollars').fill('-5')
    await dialog.getByLabel('Reason').fill('Invoice 42')
    await press('Review')
    await alert.waitFor()
    const field = dialog.getByLabel('Amount in dollars')
    const said = await described(await field.getAttribute('aria-describedby'))
    expect(said).toBe(await alert.textContent())
    expect(await dialog.getByLabel('Reason').getAttribute('aria-invalid')).toBeNull()
  })

  test.each([{ param: null }, { param: 'account_id' }])(
    'stands above the buttons when it is about no field of the form: $param',
    async ({ param }) => {
      const setPriceList = () => new Refused(409, 'account_closed', 'It is closed.', param)
      opened.server.adminAnswers = { ...fullAdminAnswers, setPriceList }
      const { dialog, press, alert } = await openForm('Price list')
      await press('Save')
      expect(await alert.textContent()).toBe('It is closed.')
      expect(await dialog.locator('[aria-invalid]').count()).toBe(0)
    },
  )
})
