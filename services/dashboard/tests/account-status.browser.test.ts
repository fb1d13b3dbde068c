/** What is offered in an account that is not open: nothing that would be refused. */
import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { missingChromium } from '@svc/testing/chromium'
import { describe, expect, test } from 'vitest'
import { violations } from '../testing/accessibility.ts'
import { ACCOUNT, fullAnswers, session } from '../testing/sample-answers.ts'
import { keptScreenshot } from '../testing/screenshots.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
type Status = DashboardOutput<'session'>['accounts'][number]['status']

const all = ['Home', 'Keys', 'Chat']
const changes = [
  'New key',
  'Rename',
  'Rotate',
  'Revoke',
  'Add credit',
  'Send',
  'Settings of the model',
]
const offeredWhile: Readonly<Record<Status, readonly string[]>> = {
  open: changes,
  frozen: changes.filter((name) => !['Send', 'Settings of the model'].includes(name)),
  closed: [],
  damaged: ['Add credit'],
}

describe.skipIf(missing !== undefined)('an owner', () => {
  let opened: OpenedPages
  withPages({ answers: fullAnswers }, (each) => {
    opened = each
  })

  test.each(Object.entries(offeredWhile))(
    'of an account that is %s is offered what can be done',
    async (status, expected) => {
      const { page, server } = opened
      const own = { account_id: ACCOUNT, name: 'Analytical Engines', role: 'owner' as const }
      const home = fullAnswers.accountHome()
      server.answers = {
        ...fullAnswers,
        session: () => ({ ...session, accounts: [{ ...own, status: status as Status }] }),
        accountHome: () => ({
          ...home,
          ...(status === 'closed' && { status }),
          balance: { ...home.balance, available: '0.00' },
          month: { ...home.month, data: [] },
        }),
      }
      await page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}`)
      const offered = new Set<string>()
      for (const area of all) {
        await page.getByRole('link', { name: area, exact: true }).click()
        await page.getByRole('heading', { name: area, exact: true }).waitFor()
        await expect.poll(() => page.getByText('Loading …').count()).toBe(0)
        expect(await violations(page)).toEqual([])
        await keptScreenshot(page, `${status}-${area}`)
        const names = await page.locator('main').locator('a, button, summary').allTextContents()
        for (const name of names) if (changes.includes(name)) offered.add(name)
      }
      expect([...offered].sort()).toEqual([...expected].sort())
    },
  )
})
