/** Users whom a proxy in front of the server names in a header. */
import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { type DashboardServer, startDashboard } from '@svc/testing/dashboard-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

type Session = DashboardOutput<'session'>

const HEADER = 'X-Forwarded-Email'
const named = (email: string, more = {}) => ({ 'x-forwarded-email': email, ...more })

async function outcomeOf(answer: Response): Promise<readonly [number, string | undefined]> {
  const { error, user } = (await answer.json()) as {
    readonly error?: { readonly code: string }
    readonly user?: { readonly email: string }
  }
  return [answer.status, error?.code ?? user?.email]
}

describe('a header of a trusted proxy', () => {
  let dashboard: DashboardServer
  beforeAll(async () => {
    dashboard = await startDashboard({
      SVC_PROXY_USER_HEADER: HEADER,
      SVC_TRUSTED_PROXIES: '127.0.0.1',
    })
  })
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  const signIn = async (email: string, browser = dashboard.browser()) =>
    outcomeOf(await browser.ask('POST', '/session/proxy', {}, named(email)))

  async function invited(): Promise<string | undefined> {
    const path = `/accounts/${dashboard.accountId}/invitations`
    const given = { role: 'member' }
    const { link } = await dashboard.owner.json<{ link: string }>('POST', path, given)
    return link.split('#')[1]
  }

  test('says who is there, and signs them in when they are known', async () => {
    const browser = dashboard.browser()
    const looked = await browser.ask('GET', '/session', undefined, named('Olive@Example.com'))
    const { ways_in, user } = (await looked.json()) as Session
    expect([ways_in.proxy_email, user]).toEqual(['olive@example.com', null])
    expect(await signIn('Olive@Example.com')).toEqual([200, 'olive@example.com'])
    expect(await signIn('nobody@example.com')).toEqual([403, 'not_allowed'])
  })

  test.each([
    '',
    'olive',
    'olive@example.com, eve@example.com',
    'olive@example.com;x',
    '<a@b.c>',
    'olive\u009b2J@example.com',
  ])('that says %j signs nobody in', async (value) =>
    expect(await signIn(value)).toEqual([401, 'sign_in_refused']),
  )

  test('lets whom it names join by a link, without a password', async () => {
    const secret = await invited()
    const browser = dashboard.browser()
    const given = { secret, display_name: 'Prue' }
    const joined = await browser.ask('POST', '/links/accept', given, named('prue@example.com'))
    expect(await outcomeOf(joined)).toEqual([200, 'prue@example.com'])
    expect(await signIn('prue@example.com')).toEqual([200, 'prue@example.com'])
    await expect(dashboard.browser().signIn('Prue', '')).rejects.toThrow('wrong_credentials')
  })

  test('is needed for as long as the session that it began', async () => {
    const browser = dashboard.browser()
    await signIn('olive@example.com', browser)
    const status = async (headers: Record<string, string>) =>
      (await browser.ask('GET', '/sessions', undefined, headers)).status
    expect(await status(named('olive@example.com'))).toBe(200)
    // Somebody else at the same browser; and a cookie that was carried around the proxy.
    expect(await status(named('prue@example.com'))).toBe(401)
    expect(await status({})).toBe(401)
    const home = `/accounts/${dashboard.accountId}`
    expect((await browser.ask('GET', home)).status).toBe(401)
    expect((await browser.ask('GET', '/admin/accounts')).status).toBe(401)
    expect(await status(named('olive@example.com'))).toBe(200)
  })

  test('opens nothing for a user who is disabled', async () => {
    const browser = dashboard.browser()
    const session = await browser.join(`#${await invited()}`, 'Stopped')
    const path = `/admin/users/${session.user?.user_id}/status`
    await dashboard.owner.json('POST', path, { status: 'disabled' })
    expect(await signIn('stopped@example.com')).toEqual([401, 'sign_in_refused'])
  })

  test('leaves an event that says so', async () => {
    await signIn('olive@example.com')
    const path = '/admin/events?limit=1000'
    const { events } = await dashboard.owner.json<{ events: { data: { way?: string } }[] }>(
      'GET',
      path,
    )
    expect(events.map(({ data }) => data.way)).toContain('proxy')
  })
})

test('from anybody else the header is refused, whatever addresses it claims', async () => {
  await using dashboard = await startDashboard({
    SVC_PROXY_USER_HEADER: HEADER,
    SVC_TRUSTED_PROXIES: '10.0.0.0/8',
  })
  const browser = dashboard.browser()
  const lies = named('olive@example.com', {
    'x-forwarded-for': '10.0.0.1',
    forwarded: 'for=10.0.0.1',
    'x-real-ip': '10.0.0.1',
  })
  for (const path of ['/session/proxy', '/session/sign-in']) {
    expect(await outcomeOf(await browser.ask('POST', path, {}, lies))).toEqual([403, 'not_allowed'])
  }
  expect((await browser.ask('GET', '/session', undefined, lies)).status).toBe(403)
  // What was signed in otherwise goes on: there the header says nothing.
  const home = `/accounts/${dashboard.accountId}`
  expect((await dashboard.owner.ask('GET', home, undefined, lies)).status).toBe(200)
  expect((await browser.ask('GET', home, undefined, lies)).status).toBe(401)
})

test('without the setting the header means nothing', async () => {
  await using dashboard = await startDashboard({ SVC_TRUSTED_PROXIES: '127.0.0.1' })
  const answer = await dashboard
    .browser()
    .ask('POST', '/session/proxy', {}, named('olive@example.com'))
  expect(await outcomeOf(answer)).toEqual([401, 'sign_in_refused'])
})
