/** Passkeys and an identity provider, in a real Chromium against the real server. */
import { type DashboardOutput, PROVIDER_RETURN_PATH } from '@svc/contracts/dashboard/operations'
import { missingChromium, openChromium } from '@svc/testing/chromium'
import { type DashboardServer, startDashboard } from '@svc/testing/dashboard-server'
import { freePort } from '@svc/testing/free-port'
import { startRealProvider } from '@svc/testing/oidc/real-provider'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { violations } from '../testing/accessibility.ts'
import { keptScreenshot } from '../testing/screenshots.ts'

const PASSWORD = 'correct horse battery staple'
const OLIVE = 'olive@example.com'
const missing = missingChromium()

interface Credential {
  readonly id: string
  readonly response: { readonly clientDataJSON: string }
}

describe.skipIf(missing !== undefined)('other ways to sign in', () => {
  let dashboard: DashboardServer
  let provider: Awaited<ReturnType<typeof startRealProvider>>
  let browser: Browser
  let publicUrl: string

  beforeAll(async () => {
    const port = await freePort()
    publicUrl = `http://localhost:${port}`
    provider = await startRealProvider(`${publicUrl}${PROVIDER_RETURN_PATH}`, {
      mia: { email: 'mia@example.com', email_verified: true, name: 'Mia' },
    })
    dashboard = await startDashboard({
      SVC_PORT: `${port}`,
      SVC_PUBLIC_URL: publicUrl,
      SVC_OIDC_ISSUER: provider.issuer,
      SVC_OIDC_CLIENT_ID: provider.clientId,
      SVC_OIDC_CLIENT_SECRET: provider.clientSecret,
      SVC_OIDC_LABEL: 'Example login',
    })
    browser = await openChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await dashboard?.[Symbol.asyncDispose]()
    await provider?.[Symbol.asyncDispose]()
  })

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

  async function openPage(): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
    return context.newPage()
  }

  /** What a page of an account has in its address is kept as well. */
  const deepLink = () =>
    `${publicUrl}/dashboard/accounts/${dashboard.accountId}/requests?status=failed`

  async function signInByPassword(page: Page): Promise<void> {
    await page.goto(`${publicUrl}/dashboard/sign-in?to=/dashboard/profile`)
    await page.getByLabel('E-mail address').fill(OLIVE)
    await page.getByLabel('Password').fill(PASSWORD)
    await button(page, 'Sign in').click()
    await page.getByRole('heading', { name: 'Profile' }).waitFor()
  }

  /** @returns the answer of the server to a sign-in by passkey, and what was sent */
  async function signInByPasskey(page: Page) {
    await page.context().clearCookies()
    await page.goto(`${publicUrl}/dashboard/sign-in?to=/dashboard/profile`)
    const answered = page.waitForResponse((response) => response.url().endsWith('/session/passkey'))
    await button(page, 'Sign in by passkey').click()
    const response = await answered
    const sent = response.request().postDataJSON() as { readonly credential: Credential }
    return { status: response.status(), sent }
  }

  async function authenticator(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        automaticPresenceSimulation: true,
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    })
    return { cdp, authenticatorId }
  }

  async function renamePasskey(page: Page, name: string): Promise<void> {
    await button(page, 'Rename').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name of the passkey').fill(name)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name }).waitFor()
  }

  test('a passkey is added with the password, signs in, and is removed', async () => {
    const page = await openPage()
    const { cdp, authenticatorId } = await authenticator(page)
    await signInByPassword(page)
    await page.getByText('None yet.').waitFor()
    await button(page, 'Add a passkey').first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name of the passkey').fill('Laptop')
    await dialog.getByLabel('Current password').fill('a wrong one')
    await dialog.getByRole('button', { name: 'Add a passkey' }).click()
    await tellsOfPassword(page)
    expect(await violations(page)).toEqual([])
    await dialog.getByLabel('Current password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Add a passkey' }).click()
    await renamePasskey(page, 'Blue key')
    await keptScreenshot(page, 'passkey-profile')

    const first = await signInByPasskey(page)
    expect(first.status).toBe(200)
    await page.getByRole('heading', { name: 'Profile' }).waitFor()
    await page.getByRole('row', { name: /Blue key/ }).waitFor()

    // What was sent once opens nothing a second time, nor with another challenge.
    const other = dashboard.browser()
    const send = (credential: Credential) =>
      other.ask('POST', '/session/passkey', { credential: { ...credential } })
    expect((await send(first.sent.credential)).status).toBe(401)
    const { options } = await other.json<DashboardOutput<'startPasskeySignIn'>>(
      'POST',
      '/session/passkey/start',
    )
    const { credential } = first.sent
    const said = JSON.parse(
      Buffer.from(credential.response.clientDataJSON, 'base64url').toString('utf8'),
    )
    const altered = JSON.stringify({ ...said, challenge: options.challenge })
    const clientDataJSON = Buffer.from(altered).toString('base64url')
    const forged = { ...credential, response: { ...credential.response, clientDataJSON } }
    expect((await send(forged)).status).toBe(401)

    // A copy of the key that is behind in its count.
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    const [key] = credentials
    if (key === undefined) throw new Error('the authenticator has no key')
    expect(key.signCount).toBeGreaterThan(1)
    const { credentialId } = key
    await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId })
    const older = { ...key, signCount: 0 }
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: older })
    expect((await signInByPasskey(page)).status).toBe(401)
    await page.getByText('This passkey opens nothing here.').waitFor()

    await signInByPassword(page)
    await button(page, 'Remove').click()
    await page.getByText('None yet.').waitFor()
    await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId })
    await cdp.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...key, signCount: 100 },
    })
    expect((await signInByPasskey(page)).status).toBe(401)
    const { events } = await dashboard.owner.json<{
      events: { type: string; data: { way?: string } }[]
    }>('GET', '/admin/events?limit=1000')
    const done = events.map(({ type, data }) => `${type} ${data.way ?? ''}`.trim())
    expect(done).toEqual(
      expect.arrayContaining(['PasskeyAdded', 'UserSignedIn passkey', 'PasskeyRemoved']),
    )
    await page.context().close()
  })

  test('a password leads back to the link that was opened, at an address that can be reloaded', async () => {
    const page = await openPage()
    const link = deepLink()
    await page.goto(link)
    await page.getByLabel('E-mail address').fill(OLIVE)
    await page.getByLabel('Password').fill(PASSWORD)
    await button(page, 'Sign in').click()
    await page.getByRole('heading', { name: 'Requests', exact: true }).waitFor()
    expect(page.url()).toBe(link)
    await page.reload()
    await page.getByRole('heading', { name: 'Requests', exact: true }).waitFor()
    await page.context().close()
  })

  test('a provider leads back to where they were going, and never to another site', async () => {
    const path = `/accounts/${dashboard.accountId}/invitations`
    const { link } = await dashboard.owner.json<{ link: string }>('POST', path, { role: 'member' })
    const page = await openPage()
    await page.goto(link)
    await button(page, 'Accept by Example login').click()
    await page.locator('input[name=login]').fill('mia')
    await page.locator('input[name=password]').fill('any')
    await page.locator('button[type=submit]').click()
    await page.locator('button[type=submit]').click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    expect(page.url()).not.toContain('code=')

    for (const [to, heading, place] of [
      ['/dashboard/profile', 'Profile', '/dashboard/profile'],
      ['//evil.example/', 'Home', '/dashboard/'],
      ['/\\evil.example', 'Home', '/dashboard/'],
      ['/\t/evil.example', 'Home', '/dashboard/'],
    ] as const) {
      await page.context().clearCookies({ domain: 'localhost' })
      await page.goto(`${publicUrl}/dashboard/sign-in?to=${encodeURIComponent(to)}`)
      await button(page, 'Sign in by Example login').click()
      await page.getByRole('heading', { name: heading }).waitFor()
      expect(page.url()).toMatch(new RegExp(`^${publicUrl}${place}`))
    }

    await page.context().clearCookies({ domain: 'localhost' })
    await page.goto(deepLink())
    await button(page, 'Sign in by Example login').click()
    await page.getByRole('heading', { name: 'Requests', exact: true }).waitFor()
    expect(page.url()).toBe(deepLink())

    await page.goto(`${publicUrl}${PROVIDER_RETURN_PATH}?code=stolen&state=any`)
    await page.getByText('was not begun in this browser').waitFor()
    expect(await violations(page)).toEqual([])
    await keptScreenshot(page, 'provider-refused')
    await page.context().close()
  })

  test('over an ended session the provider signs in from another tab, and nothing typed is lost', async () => {
    const page = await openPage()
    await signInByPassword(page)
    await page.getByLabel('Your name').fill('Olive, half typed')
    await page.getByLabel('New password').fill('half typed too')
    await page.context().clearCookies()
    await button(page, 'Save').click()
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.getByRole('button', { name: 'I have signed in there' }).click()
    await dialog.getByRole('alert').waitFor()
    expect(await violations(page)).toEqual([])
    await keptScreenshot(page, 'ended-session')
    const opened = page.context().waitForEvent('page')
    await dialog.getByRole('link', { name: 'Sign in by Example login in another tab' }).click()
    const other = await opened
    await button(other, 'Sign in by Example login').waitFor()
    await signInByPassword(other)
    await dialog.getByRole('button', { name: 'I have signed in there' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await page.getByLabel('Your name').inputValue()).toBe('Olive, half typed')
    expect(await page.getByLabel('New password').inputValue()).toBe('half typed too')
    await page.context().close()
  })
})

/** What is wrong stands at the field of the password, which is typed again at once. */
async function tellsOfPassword(page: Page): Promise<void> {
  await page.getByText('This is not your current password.').waitFor()
  const field = page.getByRole('dialog').getByLabel('Current password')
  expect(await field.getAttribute('aria-invalid')).toBe('true')
  expect(await page.evaluate('document.activeElement?.name')).toBe('current_password')
}
