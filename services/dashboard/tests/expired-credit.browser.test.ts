/**
 * Credit that expires: customers see when. Credit that has expired: operators see it, and are
 * offered nothing that comes to nothing.
 */

import { missingChromium } from '@svc/testing/chromium'
import { describe, expect, test } from 'vitest'
import { violations } from '../testing/accessibility.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers, receipt } from '../testing/sample-answers.ts'
import { keptScreenshot } from '../testing/screenshots.ts'
import { owner } from '../testing/service-roles.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const account = fullAdminAnswers.showAccount()
const [grant] = account.grants
if (grant === undefined) expect.fail('the sample has no grant')
const [own, EXPIRED] = [`/dashboard/operator/accounts/${ACCOUNT}`, '2026-11-01T00:00:00.000Z']
const grants = [
  { ...grant, grant_id: 'grant_3', remaining: '0.00', expires_at: EXPIRED },
  { ...grant, grant_id: 'grant_1' },
]
const adminAnswers = { ...fullAdminAnswers, showAccount: () => ({ ...account, grants }) }

describe.skipIf(missing !== undefined)('expired credit', () => {
  let opened: OpenedPages
  withPages({ answers: { ...fullAnswers, ...owner }, adminAnswers }, (each) => {
    opened = each
  })

  const openReceipt = async (changed: Partial<typeof receipt>) => {
    const { page, server } = opened
    const explain = () => ({ ...receipt, ...changed, account_id: ACCOUNT })
    server.adminAnswers = { ...adminAnswers, explain }
    await page.goto(`${server.url}${own}?view=requests&request=${receipt.id}`)
    await page.getByText('Balance after').waitFor()
    return page.getByRole('button', { name: 'Refund', exact: true })
  }

  test('is marked among the grants, and cannot be taken back', async () => {
    const { page, server } = opened
    await page.goto(`${server.url}${own}?view=grants`)
    const rows = page.locator('tr[data-row]')
    await rows.first().waitFor()
    expect(await rows.getByText('expired', { exact: true }).count()).toBe(1)
    expect(await rows.getByRole('button', { name: 'Take back' }).count()).toBe(1)
    await keptScreenshot(page, 'expired-grant')
  })

  test('is announced on Home, with what ends behind the grants that are named', async () => {
    const { page, server } = opened
    await page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}`)
    const rows = page.getByRole('heading', { name: 'Credit that expires' }).locator('+ ul > li')
    await rows.first().waitFor()
    expect(await rows.allTextContents()).toEqual([
      expect.stringMatching(/^\$1\.25 expires .*2026/),
      expect.stringMatching(/^\$15\.00 expires .*2027/),
      '$0.25 expires later',
    ])
    await keptScreenshot(page, 'expiring-credit')
  })

  test.each([
    ['grant_3', 1],
    ['grant_1', 0],
  ])('is told of where a request that %s paid is refunded', async (grant_id, told) => {
    const refund = await openReceipt({ grants: [{ grant_id, amount: receipt.amount }] })
    await refund.click()
    await opened.page.getByLabel('Reason').waitFor()
    expect(await opened.page.getByText('Credit that has expired paid for it').count()).toBe(told)
    expect(await violations(opened.page)).toEqual([])
    await keptScreenshot(opened.page, `refund-of-${grant_id}`)
  })

  test('a charge that went back as a whole is offered no refund', async () => {
    expect(await (await openReceipt({ refunded: '0.0001' })).count()).toBe(1)
    expect(await (await openReceipt({ refunded: receipt.amount })).count()).toBe(0)
  })
})
