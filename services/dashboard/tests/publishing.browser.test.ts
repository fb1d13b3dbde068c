/** A price that an operator publishes, while another one does the same. */

import { missingChromium } from '@svc/testing/chromium'
import { describe, expect, test } from 'vitest'
import { Refused } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ownerPages } from '../testing/service-roles.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

const DOUBT = 'input: $0.16 is a tenth of $1.50.'

describe.skipIf(missingChromium() !== undefined)('a price', () => {
  let opened: OpenedPages
  withPages(ownerPages, (each) => {
    opened = each
  })

  /** A server that refuses what was reviewed beside another price, or not confirmed. */
  function pricesOfServer() {
    const [price] = fullAdminAnswers.listPrices()
    if (price === undefined) throw new Error('there is no price')
    const prices = { replaces: { ...price, input: '0.15' }, doubts: [] as string[] }
    const published: unknown[] = []
    opened.server.adminAnswers = {
      ...fullAdminAnswers,
      previewPrice: (asked) => ({
        ...price,
        ...asked,
        price_list: 'default',
        effective_from: price.effective_from,
        replaces: prices.replaces,
        replaced_by: null,
        doubts: [...prices.doubts],
      }),
      publishPrice: ({ confirm, replaces }) => {
        published.push([confirm, replaces])
        if (replaces !== prices.replaces.version) {
          return new Refused(409, 'conflict', 'It is another one by now.', 'replaces')
        }
        const isRefused = prices.doubts.length > 0 && confirm !== true
        const refused = new Refused(409, 'confirmation_required', 'Nothing was published.')
        return isRefused ? refused : { ...price, created: true }
      },
    }
    return { prices, published, version: price.version }
  }

  async function openForm() {
    const { page, server } = opened
    await page.goto(`${server.url}/dashboard/operator/prices`)
    await page.getByRole('button', { name: 'New price', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Model').fill('svc-beta')
    for (const rate of ['Input', 'Cached input', 'Output']) {
      await dialog.getByLabel(rate, { exact: true }).fill('0.16')
    }
    const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
    await press('Review')
    await dialog.getByText('$0.15', { exact: true }).waitFor()
    return { dialog, press }
  }

  test('that gives a doubt only since its review is reviewed again, and not just published', async () => {
    const { prices, published, version } = pricesOfServer()
    const { dialog, press } = await openForm()
    prices.doubts = [DOUBT]
    await press('Publish')
    await dialog.getByText('Nothing was published.').waitFor()
    await press('Review')
    await dialog.getByText(DOUBT).waitFor()
    await press('Publish')
    await dialog.waitFor({ state: 'detached' })
    expect(published).toEqual([
      [false, version],
      [true, version],
    ])
  })

  test('that would replace another one since its review is reviewed again beside that', async () => {
    const { prices, published, version } = pricesOfServer()
    const { dialog, press } = await openForm()
    prices.replaces = { ...prices.replaces, version: 'price_between', input: '0.20' }
    await press('Publish')
    await dialog.getByText('It is another one by now.').waitFor()
    expect(await dialog.getByText('$0.15', { exact: true }).count()).toBe(0)
    await press('Review')
    await dialog.getByText('$0.20', { exact: true }).waitFor()
    await press('Publish')
    await dialog.waitFor({ state: 'detached' })
    expect(published).toEqual([
      [false, version],
      [false, 'price_between'],
    ])
  })

  test('that was typed on while its review was under way is reviewed for itself', async () => {
    pricesOfServer()
    const { page } = opened
    const { dialog, press } = await openForm()
    const output = dialog.getByLabel('Output', { exact: true })
    const asked = Promise.withResolvers<void>()
    const typed = Promise.withResolvers<void>()
    await page.route('**/admin/prices/preview*', async (route) => {
      asked.resolve()
      await typed.promise
      await route.continue()
    })
    await output.fill('0.8')
    await press('Review')
    await asked.promise
    await output.fill('80')
    typed.resolve()
    const button = dialog.locator('button[type=submit]')
    await expect.poll(() => button.isEnabled()).toBe(true)
    expect(await button.textContent()).toBe('Review')
    await page.unrouteAll()
  })
})
