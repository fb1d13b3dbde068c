/** Sign-ins by an identity provider: a real one, and one that lies. */
import { type DashboardOutput, PROVIDER_RETURN_PATH } from '@svc/contracts/dashboard/operations'
import {
  type DashboardServer,
  startDashboard,
  type TestBrowser,
} from '@svc/testing/dashboard-server'
import { freePort } from '@svc/testing/free-port'
import { signInAtProvider, startRealProvider } from '@svc/testing/oidc/real-provider'
import {
  type Script,
  type ScriptedProvider,
  startScriptedProvider,
} from '@svc/testing/oidc/scripted-provider'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

type Session = DashboardOutput<'session'>

const CLIENT = 'svc'
const SKEW_SECONDS = 30
const TOO_LATE_SECONDS = 120
const MANY = 2 * 1024 * 1024
const seconds = () => Math.floor(Date.now() / 1_000)

async function outcomeOf(answer: Response): Promise<readonly [number, string | undefined]> {
  const { error, user } = (await answer.json()) as {
    readonly error?: { readonly code: string }
    readonly user?: { readonly email: string }
  }
  return [answer.status, error?.code ?? user?.email]
}

async function invited(dashboard: DashboardServer): Promise<string> {
  const path = `/accounts/${dashboard.accountId}/invitations`
  const { link } = await dashboard.owner.json<{ link: string }>('POST', path, { role: 'member' })
  return link
}

test('a real provider signs in who was invited, by the link and from then on without', async () => {
  const port = await freePort()
  const publicUrl = `http://localhost:${port}`
  const returnUrl = `${publicUrl}${PROVIDER_RETURN_PATH}`
  const mia = { email: 'Mia@Example.com', email_verified: true, name: 'Mia Real' }
  await using provider = await startRealProvider(returnUrl, { mia })
  await using dashboard = await startDashboard({
    SVC_PORT: `${port}`,
    SVC_PUBLIC_URL: publicUrl,
    SVC_OIDC_ISSUER: provider.issuer,
    SVC_OIDC_CLIENT_ID: provider.clientId,
    SVC_OIDC_CLIENT_SECRET: provider.clientSecret,
    SVC_OIDC_LABEL: 'Real sign-on',
  })
  const signIn = async (given: object) => {
    const browser = dashboard.browser()
    const start = '/session/provider/start'
    const { url } = await browser.json<{ url: string }>('POST', start, given)
    expect(new URL(url).searchParams.get('code_challenge_method')).toBe('S256')
    const answer = await signInAtProvider(url, { person: 'mia', returnUrl })
    return outcomeOf(await browser.ask('POST', '/session/provider/finish', { answer }))
  }
  expect((await dashboard.browser().json<Session>('GET', '/session')).ways_in).toMatchObject({
    provider_label: 'Real sign-on',
  })
  expect(await signIn({})).toEqual([403, 'not_allowed'])
  const link_secret = (await invited(dashboard)).split('#')[1]
  expect(await signIn({ link_secret })).toEqual([200, 'mia@example.com'])
  expect(await signIn({})).toEqual([200, 'mia@example.com'])
  const members = await dashboard.owner.json<DashboardOutput<'listMembers'>>(
    'GET',
    `/accounts/${dashboard.accountId}/members`,
  )
  expect(members.filter(({ display_name }) => display_name === 'Mia Real')).toHaveLength(1)
})

describe('a provider that lies', () => {
  let provider: ScriptedProvider
  let dashboard: DashboardServer

  beforeAll(async () => {
    provider = await startScriptedProvider(CLIENT)
    dashboard = await startDashboard({
      SVC_PUBLIC_URL: 'http://localhost:8080',
      SVC_OIDC_ISSUER: provider.issuer,
      SVC_OIDC_CLIENT_ID: CLIENT,
      SVC_SIGN_UP: 'invitation',
    })
  })
  afterAll(async () => {
    await dashboard?.[Symbol.asyncDispose]()
    await provider?.[Symbol.asyncDispose]()
  })

  async function begin(browser: TestBrowser, path = '/session/provider/start', given = {}) {
    const { url } = await browser.json<{ url: string }>('POST', path, given)
    return provider.answerTo(url)
  }
  const finish = async (browser: TestBrowser, answer: string) =>
    outcomeOf(await browser.ask('POST', '/session/provider/finish', { answer }))

  async function signIn(script: Script, given = {}, browser = dashboard.browser()) {
    provider.script = script
    return finish(browser, await begin(browser, '/session/provider/start', given))
  }

  /** Somebody with a password, whom the provider does not know yet. */
  async function member(name: string) {
    const browser = dashboard.browser()
    const session = await browser.join(await invited(dashboard), name)
    return { browser, email: session.user?.email ?? '', userId: session.user?.user_id ?? '' }
  }

  const refused = [401, 'sign_in_refused']

  test.each<readonly [string, () => Script]>([
    ['another nonce', () => ({ claims: { nonce: 'another' } })],
    ['no nonce', () => ({ claims: { nonce: undefined } })],
    ['another audience', () => ({ claims: { aud: 'another' } })],
    ['another issuer', () => ({ claims: { iss: 'https://evil.example' } })],
    ['the signature of another', () => ({ signedBy: 'another' })],
    ['no signature', () => ({ signedBy: 'nobody' })],
    ['a token of long ago', () => ({ claims: { exp: seconds() - TOO_LATE_SECONDS } })],
    ['a token of the future', () => ({ claims: { nbf: seconds() + TOO_LATE_SECONDS } })],
    ['no subject', () => ({ claims: { sub: '' } })],
    ['an address that it does not vouch for', () => ({ claims: { email_verified: false } })],
    ['an address without a word on whose it is', () => ({ claims: { email_verified: null } })],
    ['an address that is none', () => ({ claims: { email: 'x', email_verified: true } })],
    ['an address that turns text', () => ({ claims: { email: 'a\u202ex@b.c' } })],
  ])('signs nobody in with %s', async (what, script) => {
    const { email } = await member(`Lied ${what}`)
    const { claims, ...rest } = script()
    const all = { sub: what, email, email_verified: true, ...claims }
    expect(await signIn({ ...rest, claims: all })).toEqual(refused)
    // Nor is anything left of it: the right claims with that subject are of nobody.
    expect(await signIn({ claims: { sub: what } })).toEqual(refused)
  })

  test('may have a clock that is some seconds off', async () => {
    const { email } = await member('Skewed')
    const claims = { sub: 'skewed', email, email_verified: true }
    const late = { ...claims, exp: seconds() - SKEW_SECONDS }
    const early = { ...claims, nbf: seconds() + SKEW_SECONDS }
    expect(await signIn({ claims: late })).toEqual([200, email])
    expect(await signIn({ claims: early })).toEqual([200, email])
  })

  test('is answered once, by the browser that began, and to what it was asked', async () => {
    const { email } = await member('Bound')
    provider.script = { claims: { sub: 'bound', email, email_verified: true } }
    const [browser, other] = [dashboard.browser(), dashboard.browser()]
    const answer = await begin(browser)
    // An address that somebody was lured to, with the sign-in of somebody else.
    expect(await finish(other, answer)).toEqual(refused)
    const own = await begin(other)
    expect(await finish(other, answer)).toEqual(refused)
    expect(await finish(other, own)).toEqual(refused)
    const { begun } = browser
    expect(await finish(browser, answer)).toEqual([200, email])
    const before = provider.exchanges
    browser.begun = begun
    expect(await finish(browser, answer)).toEqual(refused)
    expect(provider.exchanges).toBe(before)
    const denied = await begin(browser)
    expect(await finish(browser, denied.replace(/code=[^&]+/, 'error=access_denied'))).toEqual(
      refused,
    )
  })

  test('gives the browser another session, and the one before ends', async () => {
    const { browser, email } = await member('Fixed')
    const planted = browser.cookie
    const claims = { sub: 'fixed', email, email_verified: true }
    expect(await signIn({ claims }, {}, browser)).toEqual([200, email])
    expect(browser.cookie).not.toBe(planted)
    const other = dashboard.browser()
    other.cookie = planted
    expect((await other.ask('GET', '/sessions')).status).toBe(401)
  })

  test('names a user by its own name for them: an address that moved on takes nobody over', async () => {
    const { email } = await member('Moved')
    const claims = { sub: 'first', email, email_verified: true }
    expect(await signIn({ claims })).toEqual([200, email])
    expect(await signIn({ claims: { ...claims, sub: 'second' } })).toEqual(refused)
    expect(await signIn({ claims: { sub: 'first', email: 'new@example.com' } })).toEqual([
      200,
      email,
    ])
  })

  test('opens nothing for a user who is disabled, or was erased', async () => {
    const { email, userId } = await member('Shut')
    const claims = { sub: 'shut', email, email_verified: true }
    await signIn({ claims })
    const path = `/admin/users/${userId}`
    await dashboard.owner.json('POST', `${path}/status`, { status: 'disabled' })
    expect(await signIn({ claims })).toEqual(refused)
    await dashboard.owner.json('POST', `${path}/erase`)
    expect(await signIn({ claims })).toEqual([403, 'not_allowed'])
  })

  test('is linked by who is signed in and says their password, and unlinked', async () => {
    const { browser, email } = await member('Linked')
    provider.script = { claims: { sub: 'linked', email: 'elsewhere@example.com' } }
    const link = (given: object) => browser.ask('POST', '/provider/link', given)
    expect(await outcomeOf(await link({}))).toEqual([400, 'missing_required_parameter'])
    const wrong = { current_password: 'wrong' }
    expect(await outcomeOf(await link(wrong))).toEqual([401, 'wrong_credentials'])
    const right = { current_password: 'correct horse battery staple' }
    expect(await finish(browser, await begin(browser, '/provider/link', right))).toEqual([
      200,
      email,
    ])
    expect((await browser.json<Session>('GET', '/session')).user?.is_linked).toBe(true)
    expect(await signIn(provider.script)).toEqual([200, email])
    expect((await browser.json<Session>('POST', '/provider/unlink')).user?.is_linked).toBe(false)
    expect(await signIn(provider.script)).toEqual(refused)
  })

  test('is away: that is said, and passwords work', async () => {
    const { email } = await member('Patient')
    const claims = { sub: 'patient', email, email_verified: true }
    const away = [503, 'provider_unavailable']
    expect(await signIn({ claims, status: 500 })).toEqual(away)
    expect(await signIn({ claims, padding: MANY })).toEqual(away)
    expect(await signIn({ claims })).toEqual([200, email])
    await dashboard.browser().signIn('Patient')
  })
})

test('where everybody may sign up, an address is no proof of whose a user is', async () => {
  await using provider = await startScriptedProvider(CLIENT)
  await using dashboard = await startDashboard({
    SVC_PUBLIC_URL: 'http://localhost:8080',
    SVC_OIDC_ISSUER: provider.issuer,
    SVC_OIDC_CLIENT_ID: CLIENT,
    SVC_SIGN_UP: 'open',
    SVC_SIGN_UP_CREDIT: '1.50',
  })
  const signIn = async (claims: object) => {
    provider.script = { claims: { email_verified: true, ...claims } }
    const browser = dashboard.browser()
    const { url } = await browser.json<{ url: string }>('POST', '/session/provider/start')
    const answer = { answer: provider.answerTo(url) }
    const finished = await browser.ask('POST', '/session/provider/finish', answer)
    return { browser, outcome: await outcomeOf(finished) }
  }
  // Somebody has signed up with the address of the owner to be, before they came.
  expect((await signIn({ sub: 'o', email: 'olive@example.com' })).outcome).toEqual([
    403,
    'not_allowed',
  ])
  const { browser, outcome } = await signIn({ sub: 'n', email: 'new@example.com', name: 'New' })
  expect(outcome).toEqual([200, 'new@example.com'])
  const { accounts, user } = await browser.json<Session>('GET', '/session')
  expect([user?.display_name, user?.has_password]).toEqual(['New', false])
  const home = `/accounts/${accounts[0]?.account_id}`
  const { balance } = await browser.json<DashboardOutput<'accountHome'>>('GET', home)
  expect(balance.available).toBe('1.50')
  // A name becomes that of an account: it steers no terminal, and turns no text around.
  const forged = { sub: 'f', email: 'forged@example.com', name: 'Ada\u001b[2J\u202eevil\n' }
  const named = await (await signIn(forged)).browser.json<Session>('GET', '/session')
  expect([named.user?.display_name, named.accounts[0]?.name]).toEqual([
    'Ada?[2J?evil',
    'Ada?[2J?evil',
  ])
  // Nobody collects the credit of many accounts; who has one comes in.
  const SIGN_UPS_MAX = 20
  for (let count = 2; count < SIGN_UPS_MAX; count += 1) {
    const email = `new-${count}@example.com`
    expect((await signIn({ sub: `${count}`, email })).outcome).toEqual([200, email])
  }
  const beyond = await signIn({ sub: 'beyond', email: 'beyond@example.com' })
  expect(beyond.outcome).toEqual([429, 'rate_limit_exceeded'])
  expect((await signIn({ sub: 'n' })).outcome).toEqual([200, 'new@example.com'])
})

test('a provider that is not there signs nobody in, and the server starts without it', async () => {
  await using dashboard = await startDashboard({
    SVC_PUBLIC_URL: 'http://localhost:8080',
    SVC_OIDC_ISSUER: `http://127.0.0.1:${await freePort()}`,
    SVC_OIDC_CLIENT_ID: CLIENT,
  })
  const answer = await dashboard.browser().ask('POST', '/session/provider/start')
  expect(await outcomeOf(answer)).toEqual([503, 'provider_unavailable'])
})
