/** Two tabs of one browser, and a gateway that goes and comes back while a page is open. */

import { SHOWN_USER_HEADER } from '@svc/contracts/dashboard/declaration'
import { missingChromium } from '@svc/testing/chromium'
import type { BrowserContext } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hurryUntil } from '../testing/hurry.ts'
import { type PageServer, Refused, startPageServer } from '../testing/page-server.ts'
import { ACCOUNT, fullAnswers, session, signedOut } from '../testing/sample-answers.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const grace = {
  user_id: 'user_2',
  email: 'grace@example.com',
  display_name: 'Grace',
  has_password: true,
  is_linked: false,
}
const newKey = { createAccountKey: () => ({ key_id: 'key_9', secret: 'sk-svc-once' }) }

describe.skipIf(missing !== undefined)('open pages', () => {
  let server: PageServer
  let context: BrowserContext
  withPages({ answers: fullAnswers }, (opened) => {
    server = opened.server
    context = opened.context
  })

  const open = async (path: string, { url } = server) => {
    const page = await context.newPage()
    await page.goto(`${url}/dashboard/accounts/${ACCOUNT}${path}`)
    return page
  }

  test('a sign-out in one tab asks the other to sign in again, and keeps what was typed', async () => {
    const first = await open('/keys?create=true')
    await first.getByLabel('Name').fill('Typed before')
    const second = await open('/statement')
    await second.getByText('Closing balance').waitFor()
    const refused = () => new Refused(401, 'not_signed_in', 'You are not signed in.')
    server.answers = {
      ...fullAnswers,
      signOut: () => signedOut,
      session: () => signedOut,
      createAccountKey: refused,
    }
    await second.getByRole('button', { name: 'Sign out' }).click()
    await second.getByRole('heading', { name: 'Sign in' }).waitFor()
    await first.getByRole('button', { name: 'Create key', exact: true }).click()
    await first.getByRole('heading', { name: 'Sign in again' }).waitFor()
    server.answers = { ...fullAnswers, ...newKey, signIn: () => session }
    await first.getByLabel('E-mail address').fill('ada@example.com')
    await first.getByLabel('Password').fill('a long password')
    await first.getByRole('button', { name: 'Sign in', exact: true }).click()
    await first.getByRole('heading', { name: 'Sign in again' }).waitFor({ state: 'detached' })
    expect(await first.getByLabel('Name').inputValue()).toBe('Typed before')
  })

  test('a sign-in as another user in one tab is a new page in the other, and nothing done', async () => {
    const first = await open('/keys?create=true')
    await first.getByLabel('Name').fill('Of the first')
    const shown: unknown[] = []
    server.checkHeaders = (headers) => {
      shown.push(headers[SHOWN_USER_HEADER])
      if (headers[SHOWN_USER_HEADER] !== 'user_1') return undefined
      return new Refused(409, 'another_user', 'Somebody else is signed in by now.')
    }
    server.answers = { ...fullAnswers, ...newKey, session: () => ({ ...session, user: grace }) }
    await first.getByRole('button', { name: 'Create key', exact: true }).click()
    await first.getByRole('link', { name: 'Grace' }).waitFor()
    expect(await first.getByText('sk-svc-once').count()).toBe(0)
    expect(await first.getByLabel('Name').inputValue()).toBe('')
    expect(new Set(shown)).toEqual(new Set(['user_1', undefined, 'user_2']))
  })

  test('a conversation is of the user who had it, also for the next in this browser', async () => {
    const draft = 'Nobody else should read this'
    const first = await open('/chat')
    await first.getByRole('textbox', { name: 'Your question' }).fill(draft)
    await first.reload()
    const field = first.getByRole('textbox', { name: 'Your question' })
    await field.waitFor()
    expect(await field.inputValue()).toBe(draft)
    server.answers = { ...fullAnswers, session: () => ({ ...session, user: grace }) }
    await first.reload()
    await first.getByRole('link', { name: 'Grace' }).waitFor()
    await field.waitFor()
    expect(await field.inputValue()).toBe('')
  })

  test('a key that one tab made is in the list of the other when it looks', async () => {
    let made = false
    server.answers = {
      ...fullAnswers,
      listAccountKeys: () => {
        const keys = fullAnswers.listAccountKeys()
        const [one] = keys
        return made && one !== undefined
          ? [{ ...one, key_id: 'key_9', name: 'Ours' }, ...keys]
          : keys
      },
      createAccountKey: () => {
        made = true
        return newKey.createAccountKey()
      },
    }
    const first = await open('/keys')
    await first.locator('tr', { hasText: 'Old one' }).waitFor()
    const second = await open('/keys?create=true')
    await second.getByLabel('Name').fill('Ours')
    await second.getByRole('button', { name: 'Create key', exact: true }).click()
    await second.getByText('sk-svc-once', { exact: true }).waitFor()
    await first.getByRole('link', { name: 'Usage', exact: true }).click()
    await first.getByRole('heading', { name: 'Usage' }).waitFor()
    await first.getByRole('link', { name: 'Keys', exact: true }).click()
    await first.locator('tr', { hasText: 'Ours' }).waitFor()
  })

  test('a gateway that restarts loses nothing that was typed, and no page goes blank', async () => {
    const gateway = await startPageServer(fullAnswers)
    const page = await open('/keys?create=true', gateway)
    await page.getByLabel('Name').fill('Nightly batch')
    await gateway.close()
    await page.getByRole('button', { name: 'Create key', exact: true }).click()
    await page.getByText('The server cannot be reached.').first().waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('Nightly batch')
    const port = Number(new URL(gateway.url).port)
    const restarted = await startPageServer({ ...fullAnswers, ...newKey }, {}, port)
    onTestFinished(() => restarted.close())
    await page.getByRole('button', { name: 'Create key', exact: true }).click()
    await page.getByText('sk-svc-once', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    // Pages that were not loaded before come from the new process.
    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await page.getByRole('heading', { name: 'Members' }).waitFor()
  })

  test('a view that lags is marked with the reason, and its numbers stay: UX-13', async () => {
    await context.clock.install()
    const page = await open('')
    await page.getByText('$41.20').first().waitFor()
    const behind = () =>
      new Refused(503, 'view_behind', 'What is shown here is behind. Please try again.')
    server.answers = { ...fullAnswers, accountHome: behind }
    await hurryUntil(page, page.getByText(/from before: What is shown here is behind/))
    expect(await page.getByText('$41.20').first().isVisible()).toBe(true)
    server.answers = fullAnswers
    await page.getByRole('button', { name: 'Try again' }).first().click()
    await page.getByText(/from before/).waitFor({ state: 'detached' })
  })
})
