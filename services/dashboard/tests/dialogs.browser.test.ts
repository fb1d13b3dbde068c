/** Every dialog: accessible in both themes, closed by Escape, with the focus back where it was. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { violations } from '../testing/accessibility.ts'
import { missingChromium } from '../testing/chromium.ts'
import type { PageServer } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers, session } from '../testing/sample-answers.ts'
import { keptScreenshot } from '../testing/screenshots.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const owner = { session: () => ({ ...session, platform_role: 'owner' as const }) }
const account = (page: string) => `/dashboard/accounts/${ACCOUNT}${page}`
const operator = (page: string) => `/dashboard/operator${page}`
const operated = operator(`/accounts/${ACCOUNT}`)

describe.skipIf(missing !== undefined)('a dialog', () => {
  let server: PageServer
  let page: Page
  const options = {
    answers: { ...fullAnswers, ...owner },
    adminAnswers: fullAdminAnswers,
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
    [`${operated}?view=grants`, 'Take back'],
    [operator('/prices'), 'New price'],
    [operator('/prices'), 'Correct'],
    [operator('/prices'), 'Withdraw'],
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
})
