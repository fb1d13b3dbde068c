/** A price that an operator publishes, while another one does the same. */
import { describe, expect, test } from 'vitest'
import { missingChromium } from '../testing/chromium.ts'
import { Refused } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { fullAnswers, session } from '../testing/sample-answers.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

const owner = { session: () => ({ ...session, platform_role: 'owner' as const }) }
const options = { answers: { ...fullAnswers, ...owner }, adminAnswers: fullAdminAnswers }
const DOUBT = 'input: $0.16 is a tenth of $1.50.'

describe.skipIf(missingChromium() !== undefined)('a price', () => {
  let opened: OpenedPages
  withPages(options, (each) => {
    opened = each
  })

  test('that gives a doubt only since its review is reviewed again, and not just published', async () => {
    const { page, server } = opened
    const [price] = fullAdminAnswers.listPrices()
    if (price === undefined) throw new Error('there is no price')
    const published: unknown[] = []
    let doubts: readonly string[] = []
    server.adminAnswers = {
      ...fullAdminAnswers,
      previewPrice: (asked) => ({
        ...price,
        ...asked,
        price_list: 'default',
        effective_from: price.effective_from,
        replaces: { ...price, input: doubts.length > 0 ? '1.50' : '0.15' },
        replaced_by: null,
        doubts: [...doubts],
      }),
      publishPrice: ({ confirm }) => {
        published.push(confirm)
        const isRefused = doubts.length > 0 && confirm !== true
        const refused = new Refused(409, 'confirmation_required', 'Nothing was published.')
        return isRefused ? refused : { ...price, created: true }
      },
    }
    await page.goto(`${server.url}/dashboard/operator/prices`)
    await page.getByRole('button', { name: 'New price', exact: true }).click()
    const dialog = page.getByRole('dialog')
    const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
    await dialog.getByLabel('Model').fill('svc-beta')
    for (const rate of ['Input', 'Cached input', 'Output']) {
      await dialog.getByLabel(rate, { exact: true }).fill('0.16')
    }
    await press('Review')
    await dialog.getByText('$0.15', { exact: true }).waitFor()
    doubts = [DOUBT]
    await press('Publish')
    await dialog.getByText('Nothing was published.').waitFor()
    await press('Review')
    await dialog.getByText(DOUBT).waitFor()
    await dialog.getByText('$1.50', { exact: true }).waitFor()
    await press('Publish')
    await dialog.waitFor({ state: 'detached' })
    expect(published).toEqual([false, true])
  })
})
