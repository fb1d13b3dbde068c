/** The log of events, back from its end: whose, and of what type. */
import type { OperationInput } from '@svc/contracts/admin/operations'
import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { violations } from '../testing/accessibility.ts'
import type { AdminAnswers, PageServer } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { fullAnswers, session } from '../testing/sample-answers.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const answers = {
  ...fullAnswers,
  session: () => ({ ...session, platform_role: 'owner' as const }),
}

describe.skipIf(missing !== undefined)('an auditor', () => {
  let server: PageServer
  let page: Page
  withPages({ answers, adminAnswers: fullAdminAnswers }, (opened) => {
    server = opened.server
    page = opened.page
  })

  const open = async (newestEvents: NonNullable<AdminAnswers['newestEvents']>) => {
    server.adminAnswers = { ...fullAdminAnswers, newestEvents }
    await page.goto(`${server.url}/dashboard/operator/events`)
  }
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  test('reads who did what by name', async () => {
    await open(() => {
      const page = fullAdminAnswers.newestEvents()
      const events = page.events.map((event) => ({ ...event, metadata: { actor: 'user:user_1' } }))
      return { ...page, events }
    })
    await page.locator('tr[data-row]').getByText('Ada Lovelace').waitFor()
  })

  test('reads in which zone the times of a page are: UX-05', async () => {
    const ours = await page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone')
    const times = (zone: string) => page.getByText(`Times: ${zone}`, { exact: true }).waitFor()
    await open(() => fullAdminAnswers.newestEvents())
    await times(ours)
    const { accounts } = session
    const account = `${server.url}/dashboard/accounts/${accounts[0]?.account_id}`
    await page.goto(`${account}/keys`)
    await times(ours)
    await page.goto(`${account}/requests?zone=Asia/Tokyo`)
    await times('Asia/Tokyo')
  })

  test('sees at first what people changed, and the work of the server when they ask for it', async () => {
    const [event] = fullAdminAnswers.newestEvents().events
    if (event === undefined) throw new Error('there is no event')
    const asked: OperationInput<'newestEvents'>[] = []
    await open((input) => {
      asked.push(input)
      const stream = 'account-acct_7'
      return {
        events: [{ ...event, stream, data: { at: 1, amount: '5' } }],
        more: false,
        next: null,
      }
    })
    const row = page.locator('tr[data-row]')
    await row.waitFor()
    expect(asked.at(-1)).toEqual({ actor: 'administrators', except: 'RecordsRead', limit: '200' })
    await row.getByText('As stored').click()
    await row.getByText('"amount": "5"').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByLabel('Who', { exact: true }).selectOption('Everybody, also the server')
    await page.getByLabel('What', { exact: true }).selectOption({ index: 1 })
    await expect.poll(() => asked.at(-1)).toEqual({ limit: '200' })
    await row.getByText('account-acct_7').click()
    await page.waitForURL('**/operator/accounts/acct_7')
  })

  test('reads who did what of one user and type, and back from page to page', async () => {
    const [event] = fullAdminAnswers.newestEvents().events
    if (event === undefined) throw new Error('there is no event')
    const asked: OperationInput<'newestEvents'>[] = []
    await open((input) => {
      asked.push(input)
      const isOld = input.until !== undefined
      const next = isOld ? null : '1000'
      return {
        events: [{ ...event, position: isOld ? '1000' : '1400' }],
        more: !isOld,
        next,
      }
    })
    await page.getByLabel('Who', { exact: true }).selectOption('Ada Lovelace')
    await page.getByLabel('What', { exact: true }).selectOption('AccountFrozen')
    await button('Earlier').click()
    await page.locator('tr[data-row]').getByText('1,000').waitFor()
    expect(asked.at(-1)).toMatchObject({
      actor: 'user:user_1',
      type: 'AccountFrozen',
      until: '1000',
    })
    await page.goBack()
    await page.locator('tr[data-row]').getByText('1,400').waitFor()
    await page.goForward()
    await button('To the newest').click()
    await page.locator('tr[data-row]').getByText('1,400').waitFor()
    expect(new URL(page.url()).search).toBe('?who=user%3Auser_1&what=AccountFrozen')
  })
})
