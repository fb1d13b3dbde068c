/** Addresses that somebody opens who is not signed in, or is somebody else. */

import { missingChromium } from '@svc/testing/chromium'
import { describe, expect, test } from 'vitest'
import { Refused } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers, session, signedOut } from '../testing/sample-answers.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

const options = { answers: fullAnswers, adminAnswers: fullAdminAnswers }

describe.skipIf(missingChromium() !== undefined)('an address', () => {
  let opened: OpenedPages
  withPages(options, (each) => {
    opened = each
  })

  const keys = `/dashboard/accounts/${ACCOUNT}/keys`
  const signIn = async () => {
    const { page } = opened
    await page.getByLabel('E-mail address').fill('ada@example.com')
    await page.getByLabel('Password').fill('a long password')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }

  test('that was opened without a session is gone to, and back leads past the sign-in', async () => {
    const { page, server } = opened
    await page.goto(`${server.url}/about`)
    server.answers = { ...fullAnswers, session: () => signedOut, signIn: () => session }
    await page.goto(`${server.url}${keys}`)
    await signIn()
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe(keys)
    await page.goBack()
    expect(new URL(page.url()).pathname).toBe('/about')
  })

  test('of the sign-in leads on whoever is signed in already', async () => {
    const { page, server } = opened
    await page.goto(`${server.url}/dashboard/sign-in?to=${encodeURIComponent(keys)}`)
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor()
  })

  test('that a customer passed on leads an operator to the receipt in their own pages', async () => {
    const { page, server } = opened
    const operator = { ...session, platform_role: 'operator' as const, accounts: [] }
    server.answers = { ...fullAnswers, session: () => operator }
    await page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}/requests?request=req_1`)
    await page.getByRole('link', { name: 'See the account as an operator' }).click()
    await page.getByRole('dialog', { name: 'Receipt' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/dashboard/operator/accounts/${ACCOUNT}`)
  })

  test('whose session ended says behind the sign-in that nothing was done', async () => {
    const { page, server } = opened
    await page.goto(`${server.url}${keys}?create=true`)
    await page.getByLabel('Name').fill('Nightly batch')
    const ended = () => new Refused(401, 'not_signed_in', 'Nobody is signed in here.')
    server.answers = { ...fullAnswers, createAccountKey: ended, signIn: () => session }
    await page.getByRole('button', { name: 'Create key', exact: true }).click()
    const again = page.getByRole('dialog', { name: 'Sign in again' })
    await again.waitFor()
    await signIn()
    await again.waitFor({ state: 'detached' })
    await page.getByText('this was not done. Try again.').waitFor()
    expect(await page.getByText('Nobody is signed in here.').count()).toBe(0)
  })
})
