/** A day of an operator, against the real server: each number is the ledger's. */

import { missingChromium, openChromium } from '@svc/testing/chromium'
import { startRunningServer } from '@svc/testing/running-server'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { keptScreenshot } from '../testing/screenshots.ts'

const missing = missingChromium()
const HOLD_UP_MS = 60_000

describe.skipIf(missing !== undefined)('a day of an operator', () => {
  test('open, grant, wrong grant, freeze, unfreeze, reconcile: UX-50, UX-54', async () => {
    const { ready, operations } = await startRunningServer()
    const browser = await openChromium()
    onTestFinished(() => browser.close())
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } })
    page.setDefaultTimeout(HOLD_UP_MS)
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const dialog = page.getByRole('dialog')
    const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true })
    const picture = (name: string) => keptScreenshot(page, `operator-story-${name}`)

    await becomeOwner(page, ready.ownerLink ?? '')
    const accountId = await openAccount(page, dialog, 'Babbage & Sons')
    const shown = () => operations.showAccount({ account_id: accountId })
    await picture('1-opened')

    await reviewGrant(page, dialog, '25')
    expect((await dialog.textContent()) ?? '').toMatch(/\$0\.00.*\$25\.00/s)
    expect((await shown()).settled, 'a review changes nothing').toBe('0.00')
    await picture('2-review')
    await inDialog('Grant credit').click()
    await dialog.waitFor({ state: 'detached' })
    expect((await shown()).settled).toBe('25.00')

    await reviewGrant(page, dialog, '250')
    await inDialog('Grant credit').click()
    await dialog.waitFor({ state: 'detached' })
    expect((await shown()).settled).toBe('275.00')
    await page.locator('tr', { hasText: '$250.00' }).getByRole('button').click()
    await dialog.getByLabel('Reason').fill('A zero too many')
    await inDialog('Review').click()
    await dialog.getByText('Changes by').waitFor()
    expect((await dialog.textContent()) ?? '').toMatch(/-\$250\.00.*\$275\.00.*\$25\.00/s)
    expect((await shown()).settled, 'a review changes nothing').toBe('275.00')
    await inDialog('Take back').click()
    await page.getByText('taken back').waitFor()
    expect((await shown()).settled).toBe('25.00')
    await picture('3-taken-back')

    const fields = { expires_at: null, external_id: null, metadata: {} }
    const key = await operations.createKey({ account_id: accountId, name: 'Story', ...fields })
    const ask = () => askByKey(ready.baseUrl, key.secret ?? '')
    expect((await ask()).status).toBe(200)

    await setStrict(page, dialog)
    expect((await shown()).spend_policy).toBe('strict')

    await button('Freeze').click()
    await dialog.getByLabel('Reason').fill('A stolen key')
    await inDialog('Freeze').click()
    await button('Unfreeze').waitFor()
    expect((await ask()).status).toBe(403)
    await picture('4-frozen')
    await button('Unfreeze').click()
    await dialog.getByLabel('Reason').fill('The key was found')
    await inDialog('Unfreeze').click()
    await button('Freeze').waitFor()
    expect((await ask()).status).toBe(200)

    await page.getByRole('link', { name: 'Statement' }).click()
    await page.getByText('Closing balance').waitFor()
    await picture('5-statement')
    const grants = await page.locator('tr[data-row]', { hasText: 'Credit' }).count()
    expect(grants, 'two grants, and one of them taken back').toBe(3)

    await checkTheBooks(page)
  })
})

async function becomeOwner(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel('E-mail address').fill('owner@example.com')
  await page.getByLabel('Your name').fill('Ada')
  await page.getByLabel('New password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Accept' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
}

/** @returns its id, which stands in the address of its page */
async function openAccount(page: Page, dialog: Locator, name: string): Promise<string> {
  await page.getByRole('link', { name: 'Operator' }).click()
  await page.getByRole('heading', { name: 'Accounts' }).waitFor()
  await page.getByRole('button', { name: 'Open account' }).click()
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Open account' }).click()
  await page.getByRole('heading', { name }).waitFor()
  return new URL(page.url()).pathname.split('/').at(-1) ?? ''
}

async function setStrict(page: Page, dialog: Locator): Promise<void> {
  await page.getByRole('button', { name: 'Spending' }).click()
  await dialog.getByLabel('Spending').selectOption('strict')
  await dialog.getByLabel('Reason').fill('Never below zero')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Strict: never below zero').waitFor()
}

/** Up to the balance before and after. */
async function reviewGrant(page: Page, dialog: Locator, amount: string): Promise<void> {
  await page.getByRole('button', { name: 'Grant credit' }).click()
  await dialog.getByLabel('Amount in dollars').fill(amount)
  await dialog.getByLabel('Reason').fill('Invoice 42')
  await dialog.getByRole('button', { name: 'Review' }).click()
  await dialog.getByText('Changes by').waitFor()
}

function askByKey(baseUrl: string, secret: string): Promise<Response> {
  return fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-beta', messages: [{ role: 'user', content: 'Hello.' }] }),
  })
}

async function checkTheBooks(page: Page): Promise<void> {
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  await page.getByRole('link', { name: 'Audit' }).click()
  await press('Reconcile now')
  await page.getByText('The books agree').waitFor()
  await press('Verify now')
  await page.getByText('Every chain holds').waitFor()
  await keptScreenshot(page, 'operator-story-6-audit')
  await page.getByRole('link', { name: 'Who did what' }).click()
  await page.locator('tr[data-row]').getByText('AccountFrozen').waitFor()
  await keptScreenshot(page, 'operator-story-7-who-did-what')
}
