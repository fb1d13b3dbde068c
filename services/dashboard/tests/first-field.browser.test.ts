/** Pages that are one form: whoever comes there types at once. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { PageServer } from '../testing/page-server.ts'
import { fullAnswers, signedOut } from '../testing/sample-answers.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const answers = { ...fullAnswers, session: () => ({ ...signedOut, sign_up: 'open' as const }) }

describe.skipIf(missing !== undefined)('the first field', () => {
  let server: PageServer
  let page: Page
  withPages({ answers }, (opened) => {
    server = opened.server
    page = opened.page
  })

  test('of the sign-in, and of the sign-up behind it, has the focus', async () => {
    const email = page.getByLabel('E-mail address')
    const isFocused = async () => (await email.and(page.locator(':focus')).count()) === 1
    await page.goto(`${server.url}/dashboard/sign-in`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await isFocused()).toBe(true)
    await page.getByRole('main').getByRole('link', { name: 'Create an account' }).click()
    await page.getByRole('heading', { name: 'Create an account' }).waitFor()
    expect(await isFocused()).toBe(true)
  })
})
