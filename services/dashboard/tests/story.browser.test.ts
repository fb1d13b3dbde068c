/** The whole story of a newcomer, against the real server: each number is the ledger's. */
import { join } from 'node:path'
import { parseDollars } from '@svc/contracts/money'
import type { PriceList } from '@svc/contracts/wire/prices'
import { missingChromium, openChromium } from '@svc/testing/chromium'
import { svc } from '@svc/testing/run-svc'
import { startRunningServer } from '@svc/testing/running-server'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { keptScreenshot } from '../testing/screenshots.ts'

const missing = missingChromium()
const QUESTION = 'What is the capital of France?'

describe.skipIf(missing !== undefined)('from the first start to a revoked key', () => {
  test('link, key, curl, chat, statement, usage, export, month, revoke: UX-12, UX-13, UX-22', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const { ready } = await startRunningServer({}, dataDir)
    const browser = await openChromium()
    onTestFinished(() => browser.close())
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } })
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const go = (name: string) =>
      page.getByLabel('Pages of the account').getByRole('link', { name, exact: true }).click()
    const picture = (name: string) => keptScreenshot(page, `story-${name}`)

    await fillJoinForm(page, ready.ownerLink ?? '')
    await picture('1-join')
    await button('Accept').click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.getByText('Available').first().waitFor()
    await picture('2-first-home')

    await go('Keys')
    await button('New key').click()
    await page.getByLabel('Name').fill('Story')
    await button('Create key').click()
    const secret = (await page.locator('dialog pre').first().textContent()) ?? ''
    expect(secret).toMatch(/^sk-svc-/)
    await picture('3-key')
    await button('I have stored it').click()

    const ask = () => askByKey(ready.baseUrl, secret)
    const answer = await ask()
    expect(answer.status).toBe(200)

    await go('Chat')
    await page.getByLabel('Your question').fill(QUESTION)
    await button('Send').click()
    await page.getByText('output tokens').waitFor()
    await picture('4-chat')

    await go('Statement')
    await page.getByText('Closing balance').waitFor()
    await page.locator('tr[data-row]', { hasText: 'Usage' }).nth(1).waitFor()
    expect(await shownPosition(page)).toBeGreaterThan(0)
    await picture('5-statement')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'JSON Lines' }).click(),
    ])
    const lines = await textOf(await download.createReadStream())

    await go('Usage')
    await page.getByText('Prompt tokens').waitFor()
    await picture('6-usage')
    await go('Home')
    await page.getByText('Newest requests').waitFor()
    await picture('7-home')
    await go('Requests')
    await page.locator('tr[data-row] a').first().click()
    expect(await shownPriceStart(page)).toBe(await priceStart(ready.baseUrl))
    await picture('8-receipt')
    await page.getByRole('button', { name: 'Close' }).click()

    expect(debitsOf(lines)).toBe(await usedThisMonth(dataDir))

    await go('Keys')
    const row = page.locator('tr', { hasText: 'Story' })
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row.getByText('revoked').waitFor()
    await picture('9-revoked')
    expect((await ask()).status).toBe(401)
  })
})

async function fillJoinForm(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel('E-mail address').fill('owner@example.com')
  await page.getByLabel('Your name').fill('Ada')
  await page.getByLabel('New password').fill('correct horse battery')
}

function askByKey(baseUrl: string, secret: string): Promise<Response> {
  return fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-beta', messages: [{ role: 'user', content: QUESTION }] }),
  })
}

/** Of the event that the numbers of the page are up to. */
async function shownPosition(page: Page): Promise<number> {
  const line = (await page.getByText(/^As of event/).textContent()) ?? ''
  return Number(/[\d,]+/.exec(line)?.[0].replaceAll(',', ''))
}

/** Of the price of the receipt that is open. */
function shownPriceStart(page: Page): Promise<string | null> {
  return page.getByText('This price is valid from').locator('time').getAttribute('datetime')
}

/** Since when the price in force is valid, by the public API. */
async function priceStart(baseUrl: string): Promise<string | undefined> {
  const { data } = (await (await fetch(`${baseUrl}/v1/prices`)).json()) as PriceList
  return data[0]?.price?.effective_from
}

/** By `svc month`, in pico-dollars. */
async function usedThisMonth(dataDir: string): Promise<bigint> {
  const month = new Date().toISOString().slice(0, 'YYYY-MM'.length)
  const report = await svc(['month', month, '--json', '--data-dir', dataDir])
  const { totals } = JSON.parse(report.out) as { readonly totals: { readonly used: string } }
  return parseDollars(totals.used)
}

/** Of an exported statement, in pico-dollars. */
function debitsOf(lines: string): bigint {
  const entries = lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly debit?: string })
  return entries.reduce((sum, { debit = '0' }) => sum + parseDollars(debit), 0n)
}

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of stream) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}
