/** A role that somebody loses while a page of it is open. */

import { missingChromium } from '@svc/testing/chromium'
import { describe, expect, test } from 'vitest'
import { Refused } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers, session } from '../testing/sample-answers.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

const REFUSED = 'Only owners of the account may do this.'
const refused = () => new Refused(403, 'not_allowed', REFUSED)
const asRunner = (role: 'owner' | 'auditor') => ({
  session: () => ({ ...session, platform_role: role }),
})

describe.skipIf(missingChromium() !== undefined)('a role that was taken', () => {
  let opened: OpenedPages
  withPages({ answers: fullAnswers, adminAnswers: fullAdminAnswers }, (each) => {
    opened = each
  })

  test('of an account takes the buttons with it; what was typed stays, with the reason', async () => {
    const { page, server } = opened
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    await page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}/keys`)
    await button('New key').click()
    const accounts = session.accounts.map((each) => ({ ...each, role: 'member' as const }))
    server.answers = {
      ...fullAnswers,
      session: () => ({ ...session, accounts }),
      createAccountKey: refused,
    }
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('backend')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('Owners of the account make and revoke keys.').waitFor()
    expect(await dialog.getByRole('alert').textContent()).toBe(REFUSED)
    expect(await dialog.getByLabel('Name').inputValue()).toBe('backend')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    for (const name of ['New key', 'Rename', 'Rotate', 'Revoke']) {
      expect(await button(name).count(), name).toBe(0)
    }
  })

  test('of those who run the service takes the buttons with it', async () => {
    const { page, server } = opened
    server.answers = { ...fullAnswers, ...asRunner('owner') }
    await page.goto(`${server.url}/dashboard/operator/accounts/${ACCOUNT}`)
    const freeze = page.getByRole('button', { name: 'Freeze', exact: true })
    await freeze.click()
    server.answers = { ...fullAnswers, ...asRunner('auditor') }
    server.adminAnswers = { ...fullAdminAnswers, freezeAccount: refused }
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('fraud')
    await dialog.getByRole('button', { name: 'Freeze', exact: true }).click()
    await dialog.getByText(REFUSED).waitFor()
    await page.getByText('Your role: auditor').waitFor()
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('fraud')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await freeze.count()).toBe(0)
  })
})
