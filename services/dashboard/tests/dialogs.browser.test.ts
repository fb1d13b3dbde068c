/** Every dialog: accessible in both themes, closed by Escape, with the focus back where it was. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { violations } from '../testing/accessibility.ts'
import type { PageServer } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT } from '../testing/sample-answers.ts'
import { keptScreenshot } from '../testing/screenshots.ts'
import { ownerPages } from '../testing/service-roles.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const account = (page: string) => `/dashboard/accounts/${ACCOUNT}${page}`
const operator = (page: string) => `/dashboard/operator${page}`
const operated = operator(`/accounts/${ACCOUNT}`)

describe.skipIf(missing !== undefined)('a dialog', () => {
  let server: PageServer
  let page: Page
  const options = {
    ...ownerPages,
    context: { viewport: { width: 1024, height: 900 } },
    isPageShared: true,
  }
  withPages(options, (opened) => {
    server = opened.server
    page = opened.page
  })

  test.each([
    [account('/keys'), 'New key'],
    [account('/keys'), 'Rename'],
    [account('/keys'), 'Rotate'],
    [account('/keys'), 'Revoke'],
    ['/dashboard/profile', 'Rename'],
    [account('/members'), 'Invite'],
    [account('/members'), 'Make member'],
    [account('/members'), 'Remove'],
    [account('/members'), 'Revoke'],
    [account('/statement'), 'Keyboard'],
    [operator('/accounts'), 'Open account'],
    [operated, 'Grant credit'],
    [operated, 'Adjust'],
    [operated, 'Freeze'],
    [operated, 'Close'],
    [operated, 'Rename'],
    [operated, 'Price list'],
    [operated, 'Spending'],
    [`${operated}?view=grants`, 'Take back'],
    [operator('/prices'), 'New price'],
    [operator('/prices'), 'Correct'],
    [operator('/prices'), 'Withdraw'],
    [operator('/system'), 'Drain'],
    [operator('/system'), 'Remove'],
    [operator('/access'), 'Invite'],
    [operator('/access'), 'New token'],
    [operator('/access'), 'Disable'],
  ])('%s: %s (UX-60)', async (path, name) => {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(`${server.url}${path}`)
    const opener = page.getByRole('button', { name, exact: true }).first()
    await opener.click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    expect.soft(await violations(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect.soft(await violations(page)).toEqual([])
    await keptScreenshot(page, `dialog-${path.split('/').at(-1)?.split('?')[0]}-${name}`)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    const focused = await opener.evaluate((button) => button.matches(':focus'))
    expect.soft(focused, 'the focus is back').toBe(true)
  })

  test('whose opener goes with the change gives the focus to the table, and not to the page', async () => {
    const users = fullAdminAnswers.listUsers()
    server.adminAnswers = {
      ...fullAdminAnswers,
      listUsers: () => users,
      eraseUser: (({ user_id }: { readonly user_id: string }) => {
        for (const user of users) {
          if (user.user_id === user_id) Object.assign(user, { status: 'erased', email: null })
        }
        return {}
      }) as never,
    }
    await page.goto(`${server.url}${operator('/access')}`)
    const opener = page.getByRole('button', { name: 'Erase', exact: true }).first()
    await opener.focus()
    await page.keyboard.press('Enter')
    const erase = page.getByRole('dialog').getByRole('button', { name: 'Erase', exact: true })
    await erase.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('erased').first().waitFor()
    const focused = () => page.evaluate('document.activeElement.ariaLabel')
    await expect.poll(focused).toBe('Users')
    await keptScreenshot(page, 'focus-after-erase')
  })

  test.each([
    [`${operated}?view=grants`, 'Take back', 'Grants'],
    [operator('/prices'), 'Withdraw', 'Prices'],
  ])(
    '%s: %s, done, gives the focus to the table: its button is gone',
    async (path, name, table) => {
      let isDone = false
      const account = fullAdminAnswers.showAccount()
      const grants = account.grants.map((grant) => ({ ...grant, voided_at: grant.granted_at }))
      const prices = fullAdminAnswers.listPrices()
      const withdrawn = prices.map((price) => ({ ...price, withdrawn_at: price.published_at }))
      server.adminAnswers = {
        ...fullAdminAnswers,
        showAccount: () => (isDone ? { ...account, grants } : account),
        listPrices: () => (isDone ? withdrawn : prices),
        voidGrant: ({ dry_run: isTrial }) => {
          isDone = isTrial !== true
          return fullAdminAnswers.voidGrant()
        },
        withdrawPrice: () => {
          isDone = true
          return { ...fullAdminAnswers.listPrices()[0], already_withdrawn: false } as never
        },
      }
      await page.goto(`${server.url}${path}`)
      await page.getByRole('button', { name, exact: true }).first().press('Enter')
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Reason').fill('A slip')
      await dialog.getByLabel('Reason').press('Enter')
      if (name === 'Take back') {
        await dialog.getByText('Changes by').waitFor()
        await dialog.getByRole('button', { name, exact: true }).press('Enter')
      }
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('button', { name, exact: true }).first().waitFor({ state: 'detached' })
      await page.waitForTimeout(300)
      expect(await page.evaluate('document.activeElement.ariaLabel')).toBe(table)
    },
  )

  test('is closed by a press beside it, and by nothing that only ends there', async () => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(`${server.url}${operated}`)
    // The second half of a double-click falls beside the dialog that the first one opened.
    await page.getByRole('button', { name: 'Adjust', exact: true }).dblclick()
    const amount = page.getByRole('dialog').getByLabel('Amount in dollars')
    await amount.fill('25.00')
    const box = await amount.boundingBox()
    if (box === null) throw new Error('the field is not there')
    await page.mouse.move(box.x + 40, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(20, 400)
    await page.mouse.up()
    expect(await amount.inputValue()).toBe('25.00')
    await page.mouse.click(20, 400)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('over another one is closed alone by Escape, and gives the focus back to it', async () => {
    await page.goto(`${server.url}${operated}?view=requests&request=req_1`)
    const opener = page.getByRole('dialog').getByRole('button', { name: 'Refund', exact: true })
    await opener.click()
    const refund = page.getByRole('dialog').filter({ hasText: 'Amount in dollars' }).last()
    await refund.getByLabel('Amount in dollars').waitFor()
    await page.keyboard.press('Escape')
    await page.getByLabel('Amount in dollars').waitFor({ state: 'detached' })
    expect(await page.getByRole('heading', { name: 'Receipt' }).isVisible()).toBe(true)
    expect(await opener.evaluate((button) => button.matches(':focus'))).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test.each([
    [account('/usage'), 'Keys', 'New key', 'Create key', 'I have stored it'],
    [account('/usage'), 'Members', 'Invite', 'Make a link', 'Done'],
    [operator('/prices'), 'Access', 'New token', 'New token', 'I have stored it'],
  ])('behind %s, %s: what %s shows once outlasts Back (UX-20)', async (path, area, ...names) => {
    const [open, make, stored] = names
    const link = 'http://127.0.0.1/join#svc-link-once'
    const expires_at = '2026-12-31T00:00:00.000Z'
    server.answers = {
      ...options.answers,
      createAccountKey: () => ({ key_id: 'key_9', secret: 'sk-svc-once' }),
      inviteMember: () => ({ invitation_id: 'link_9', link, expires_at }),
    }
    const token = { token_id: 'tok_9', secret: 'svc-admin-once', created: true }
    server.adminAnswers = { ...fullAdminAnswers, createAdminToken: () => token }
    await page.goto(`${server.url}${path}`)
    await page.getByRole('link', { name: area, exact: true }).click()
    await page.getByRole('button', { name: open, exact: true }).first().click()
    const dialog = page.getByRole('dialog')
    const name = dialog.getByLabel('Name')
    if (await name.isVisible()) await name.fill('x')
    await dialog.getByRole('button', { name: make, exact: true }).click()
    const storedButton = dialog.getByRole('button', { name: stored, exact: true })
    await storedButton.waitFor()
    const hasFocus = () => dialog.evaluate((each) => each.matches(':focus-within'))
    await expect.poll(hasFocus, { message: 'the form is gone, the focus is not' }).toBe(true)
    await page.evaluate('history.back()')
    await page.waitForTimeout(300)
    expect(await storedButton.isVisible()).toBe(true)
    await storedButton.click()
    await dialog.waitFor({ state: 'detached' })
  })
})
