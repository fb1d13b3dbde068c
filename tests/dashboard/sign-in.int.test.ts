/** Sessions of the dashboard against whoever would have one that is not theirs. */
import { DASHBOARD_HEADER, SHOWN_USER_HEADER } from '@svc/contracts/dashboard/declaration'
import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import {
  type DashboardServer,
  startDashboard,
  type TestBrowser,
} from '@svc/testing/dashboard-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let dashboard: DashboardServer
beforeAll(async () => {
  dashboard = await startDashboard({ SVC_SIGN_UP: 'open', SVC_SIGN_UP_CREDIT: '2.50' })
})
afterAll(() => dashboard[Symbol.asyncDispose]())

type Session = DashboardOutput<'session'>

async function newCustomer(name: string): Promise<{ browser: TestBrowser; session: Session }> {
  const browser = dashboard.browser()
  const given = { role: 'member' }
  const { link } = await dashboard.owner.json<{ link: string }>(
    'POST',
    `/accounts/${dashboard.accountId}/invitations`,
    given,
  )
  return { browser, session: await browser.join(link, name) }
}

async function newAccount(name: string): Promise<{ browser: TestBrowser; session: Session }> {
  const browser = dashboard.browser()
  const who = { display_name: name, password: 'a password of mine', account_name: name }
  const own = { ...who, email: `${name.toLowerCase()}@example.com` }
  return { browser, session: await browser.json<Session>('POST', '/session/sign-up', own) }
}

async function codeOf(answer: Response): Promise<string | undefined> {
  return ((await answer.json()) as { error?: { code?: string } }).error?.code
}

test('the link of the first start makes one owner, and with them of the first account', async () => {
  const session = await dashboard.owner.json<Session>('GET', '/session')
  expect(session.platform_role).toBe('owner')
  expect(session.accounts).toMatchObject([{ account_id: dashboard.accountId, role: 'owner' }])
  const secret = dashboard.server.ready.ownerLink?.split('#')[1]
  const again = await dashboard.browser().ask('POST', '/links/look', { secret })
  expect([again.status, await codeOf(again)]).toEqual([404, 'not_found'])
})

describe('what no page of ours has sent changes nothing', () => {
  const own = { [DASHBOARD_HEADER]: '1', 'content-type': 'application/json' }
  test.each([
    ['another origin', { ...own, origin: 'http://evil.example' }, 403],
    ['an origin that ends alike', { ...own, origin: 'http://evil-127.0.0.1' }, 403],
    ['the origin null', { ...own, origin: 'null' }, 403],
    ['another site, by what the browser says', { ...own, 'sec-fetch-site': 'cross-site' }, 403],
    ['another host of the site', { ...own, 'sec-fetch-site': 'same-site' }, 403],
    ['nobody who says where from', own, 403],
    [
      'a form without the header',
      { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
      403,
    ],
    ['text/plain', { ...own, 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' }, 415],
  ])('%s', async (_what, headers, status) => {
    const { owner, accountId } = dashboard
    const keys = () => owner.json<unknown[]>('GET', `/accounts/${accountId}/keys`)
    const before = await keys()
    for (const path of [`/accounts/${accountId}/keys`, '/session/sign-in', '/admin/accounts']) {
      const body = JSON.stringify({ name: 'planted' })
      const answer = await owner.send('POST', path, headers, body)
      expect([401, 403, 415], path).toContain(answer.status)
      if (path.endsWith('/keys')) expect(answer.status, path).toBe(status)
    }
    expect(await keys()).toEqual(before)
    expect((await owner.json<Session>('GET', '/session')).user).not.toBeNull()
  })

  test('and without the header a same-origin write is refused too', async () => {
    const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
    const answer = await dashboard.owner.send('POST', '/session/sign-out', headers, '{}')
    expect([answer.status, await codeOf(answer)]).toEqual([403, 'not_allowed'])
  })
})

describe('a session', () => {
  test('is a new one at each sign-in, and the one before ends', async () => {
    const { browser } = await newCustomer('Fix')
    const planted = browser.cookie
    await browser.signIn('Fix')
    expect(browser.cookie).not.toBe(planted)
    const other = dashboard.browser()
    other.cookie = planted
    expect((await other.ask('GET', '/sessions')).status).toBe(401)
  })

  test('is never taken from what a browser was given before it signed in', async () => {
    const { browser } = await newCustomer('Gift')
    const victim = dashboard.browser()
    victim.cookie = `svc=${'A'.repeat(43)}`
    await victim.signIn('Gift')
    expect(victim.cookie).not.toBe(`svc=${'A'.repeat(43)}`)
    // Two cookies of one name: one of them was planted.
    browser.cookie = `${browser.cookie}; svc=${'A'.repeat(43)}`
    expect((await browser.ask('GET', '/sessions')).status).toBe(401)
  })

  test('ends on the server at the sign-out', async () => {
    const { browser } = await newCustomer('Out')
    const { cookie } = browser
    await browser.json('POST', '/session/sign-out')
    browser.cookie = cookie
    expect(await codeOf(await browser.ask('GET', '/sessions'))).toBe('not_signed_in')
  })

  test('answers no page that shows another user, whatever it asks', async () => {
    const { session: before } = await newAccount('Mem')
    const { browser, session } = await newAccount('Ada')
    const [account] = session.accounts
    const own = `/accounts/${account?.account_id}`
    const shows = (shown: Session) => ({ [SHOWN_USER_HEADER]: shown.user?.user_id ?? '' })
    const keys = () => browser.json<unknown[]>('GET', `${own}/keys`)
    const made = await keys()
    const asked = [
      ['GET', '/sessions', {}],
      ['GET', own, {}],
      ['POST', `${own}/keys`, { name: 'Of whom?' }],
      ['POST', `${own}/invitations`, { role: 'member' }],
      ['POST', `${own}/chat/completions`, { model: 'svc-beta', messages: [] }],
      ['POST', '/profile', { display_name: 'Of whom?' }],
      ['POST', '/links/accept', { secret: 'x' }],
      ['GET', '/admin/accounts', {}],
    ] as const
    for (const [method, path, body] of asked) {
      const answer = await browser.ask(method, path, body, shows(before))
      expect([answer.status, await codeOf(answer)], path).toEqual([409, 'another_user'])
      expect(await codeOf(await browser.ask(method, path, body, shows(session))), path).not.toBe(
        'another_user',
      )
      if (path.endsWith('/keys')) expect(await keys()).toHaveLength(made.length + 1)
    }
  })

  test('is listed, and ended from another one', async () => {
    const { browser } = await newCustomer('Two')
    const second = dashboard.browser()
    await second.signIn('Two')
    const sessions = await browser.json<DashboardOutput<'listSessions'>>('GET', '/sessions')
    expect(sessions.map(({ current }) => current).sort()).toEqual([false, true])
    expect(JSON.stringify(sessions)).not.toContain(second.cookie?.split('=')[1])
    expect(await browser.json('POST', '/sessions/end-others')).toEqual({ ended: 1 })
    expect((await second.ask('GET', '/sessions')).status).toBe(401)
    expect((await browser.ask('GET', '/sessions')).status).toBe(200)
  })

  test('is another one with a link that its user accepts, and lasts no longer', async () => {
    const { browser, session } = await newCustomer('Longer')
    const { cookie } = browser
    const invitations = `/accounts/${dashboard.accountId}/invitations`
    const { link } = await dashboard.owner.json<{ link: string }>('POST', invitations, {
      role: 'owner',
    })
    const secret = link.split('#')[1]
    const after = await browser.json<Session>('POST', '/links/accept', { secret })
    expect(after.accounts).toMatchObject([{ role: 'owner' }])
    expect(after.expires_at).toBe(session.expires_at)
    const other = dashboard.browser()
    other.cookie = cookie
    expect((await other.ask('GET', '/sessions')).status).toBe(401)
    const sessions = await browser.json<DashboardOutput<'listSessions'>>('GET', '/sessions')
    expect(sessions).toHaveLength(1)
  })

  test('of somebody else cannot be ended', async () => {
    const { browser } = await newCustomer('Mine')
    const { browser: other } = await newCustomer('Theirs')
    const [session] = await browser.json<DashboardOutput<'listSessions'>>('GET', '/sessions')
    const path = `/sessions/${session?.session_id}/end`
    expect(await other.json('POST', path)).toEqual({ ended: 0 })
    expect((await browser.ask('GET', '/sessions')).status).toBe(200)
  })

  test('ends in every browser when the password changes; the old one opens nothing', async () => {
    const { browser } = await newCustomer('Change')
    const second = dashboard.browser()
    await second.signIn('Change')
    const change = { current_password: 'wrong', new_password: 'another password 12' }
    expect(await codeOf(await browser.ask('POST', '/password', change))).toBe('wrong_credentials')
    const right = { ...change, current_password: 'correct horse battery staple' }
    await browser.json('POST', '/password', right)
    expect((await second.ask('GET', '/sessions')).status).toBe(401)
    expect((await browser.ask('GET', '/sessions')).status).toBe(200)
    await expect(second.signIn('Change')).rejects.toThrow('401')
    await second.signIn('Change', 'another password 12')
  })

  test('ends at once when the user is disabled, and no password opens another', async () => {
    const { browser, session } = await newCustomer('Off')
    const path = `/admin/users/${session.user?.user_id}/status`
    await dashboard.owner.json('POST', path, { status: 'disabled' })
    expect((await browser.ask('GET', '/sessions')).status).toBe(401)
    await expect(browser.signIn('Off')).rejects.toThrow('wrong_credentials')
    await dashboard.owner.json('POST', path, { status: 'active' })
    await browser.signIn('Off')
  })

  test('shows nothing of an account any more once its user is taken out', async () => {
    const { browser, session } = await newCustomer('Gone')
    const path = `/accounts/${dashboard.accountId}`
    expect((await browser.ask('GET', path)).status).toBe(200)
    const removal = `${path}/members/${session.user?.user_id}/remove`
    expect(await dashboard.owner.json('POST', removal)).toEqual({ changed: true })
    expect((await browser.ask('GET', path)).status).toBe(404)
  })
})

test('an unknown user and a wrong password have one answer, and few guesses', async () => {
  await newCustomer('Guess')
  const answers: string[] = []
  for (const who of ['guess@example.com', 'nobody@example.com']) {
    const body = { email: who, password: 'wrong password' }
    for (let guesses = 0; guesses < 5; guesses += 1) {
      const answer = await dashboard.browser().ask('POST', '/session/sign-in', body)
      answers.push(`${answer.status} ${await answer.text()}`)
    }
    const refused = await dashboard.browser().ask('POST', '/session/sign-in', body)
    expect([refused.status, await codeOf(refused)]).toEqual([429, 'rate_limit_exceeded'])
  }
  expect(new Set(answers).size).toBe(1)
  await expect(dashboard.browser().signIn('Guess')).rejects.toThrow('429')
})

test('guesses at once are as few as one after the other', async () => {
  await newCustomer('Burst')
  const body = { email: 'burst@example.com', password: 'wrong password' }
  const guesses = Array.from({ length: 12 }, () => {
    return dashboard.browser().ask('POST', '/session/sign-in', body)
  })
  const statuses = (await Promise.all(guesses)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(5)
  expect(statuses.filter((status) => status === 429)).toHaveLength(7)
})

test('a link for a password sets it once, and ends what was there', async () => {
  const { browser, session } = await newCustomer('Forgot')
  const path = `/admin/users/${session.user?.user_id}/reset-link`
  const { link } = await dashboard.owner.json<{ link: string }>('POST', path)
  const secret = link.split('#')[1]
  const fresh = dashboard.browser()
  const set = { secret, password: 'a third password' }
  const own = await fresh.json<Session>('POST', '/links/accept', set)
  expect(own.user).toEqual(session.user)
  expect((await browser.ask('GET', '/sessions')).status).toBe(401)
  expect((await fresh.ask('POST', '/links/accept', set)).status).toBe(404)
  await browser.signIn('Forgot', 'a third password')
})

describe('beside a link that sets another password, the old one', () => {
  const old = 'correct horse battery staple'
  const fresh = 'a fresh password'

  async function forgotten(name: string) {
    const { browser, session } = await newCustomer(name)
    const path = `/admin/users/${session.user?.user_id}/reset-link`
    const { link } = await dashboard.owner.json<{ link: string }>('POST', path)
    const secret = link.split('#')[1]
    const reset = () =>
      dashboard.browser().ask('POST', '/links/accept', { secret, password: fresh })
    return { browser, reset }
  }

  test('opens no session that outlives it', async () => {
    const { reset } = await forgotten('Late')
    const late = Array.from({ length: 4 }, () => dashboard.browser())
    const [set, ...tried] = await Promise.allSettled([
      reset(),
      ...late.map((browser) => browser.signIn('Late', old)),
    ])
    expect(set).toMatchObject({ value: { status: 200 } })
    expect(tried).toHaveLength(4)
    for (const browser of late) expect((await browser.ask('GET', '/sessions')).status).toBe(401)
    await dashboard.browser().signIn('Late', fresh)
  })

  test('sets no third one', async () => {
    const { browser, reset } = await forgotten('Third')
    const third = { current_password: old, new_password: 'the third password' }
    const [set] = await Promise.all([reset(), browser.ask('POST', '/password', third)])
    expect(set.status).toBe(200)
    expect((await browser.ask('GET', '/sessions')).status).toBe(401)
    await dashboard.browser().signIn('Third', fresh)
  })
})

test('who is kept out comes in again by no link that they have made', async () => {
  const { browser, session } = await newCustomer('Leaver')
  const path = `/admin/users/${session.user?.user_id}`
  await dashboard.owner.json('POST', `${path}/role`, { platform_role: 'owner' })
  const kept = { platform_role: 'owner' }
  const { link } = await browser.json<{ link: string }>('POST', '/admin/users/invitations', kept)
  await dashboard.owner.json('POST', `${path}/status`, { status: 'disabled' })
  await expect(dashboard.browser().join(link, 'Leaver again')).rejects.toThrow('404')
  const links = await dashboard.owner.json('GET', '/admin/users/invitations')
  expect(JSON.stringify(links)).not.toContain('"platform_role":"owner"')
})

test('an account that makes many links keeps nobody else from making one', async () => {
  const { browser, session } = await newAccount('Many')
  const invitations = `/accounts/${session.accounts[0]?.account_id}/invitations`
  const asked = Array.from({ length: 51 }, () =>
    browser.ask('POST', invitations, { role: 'owner' }),
  )
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(50)
  expect(statuses.filter((status) => status === 409)).toHaveLength(1)
  await newCustomer('Beside Many')
})

test('who signs up has an account with credit, and nobody has the same address', async () => {
  const browser = dashboard.browser()
  const who = {
    email: 'New@Example.com',
    display_name: 'New',
    password: 'a password of mine',
    account_name: 'New & Sons',
  }
  const session = await browser.json<Session>('POST', '/session/sign-up', who)
  expect(session).toMatchObject({ platform_role: null, user: { email: 'new@example.com' } })
  expect(session.accounts).toMatchObject([{ name: 'New & Sons', role: 'owner' }])
  const path = `/accounts/${session.accounts[0]?.account_id}`
  const home = await browser.json<DashboardOutput<'accountHome'>>('GET', path)
  expect(home.balance.available).toBe('2.50')
  const again = await dashboard.browser().ask('POST', '/session/sign-up', who)
  expect([again.status, await codeOf(again)]).toEqual([409, 'conflict'])
  const refused = await browser.ask('POST', '/session/sign-up', { ...who, email: '\u202ex@b.c' })
  expect([refused.status, await codeOf(refused)]).toEqual([400, 'invalid_value'])
})

test('an erased user is in no answer any more, and the address is free again', async () => {
  const { session } = await newCustomer('Erase')
  const path = `/admin/users/${session.user?.user_id}/erase`
  expect(await dashboard.owner.json('POST', path)).toMatchObject({ changed: true })
  const users = JSON.stringify(await dashboard.owner.json('GET', '/admin/users'))
  expect(users).toContain(session.user?.user_id)
  expect(users).not.toContain('erase@example.com')
  await newCustomer('Erase')
})

test('an auditor reads who signed in and out, and that links were made', async () => {
  const { browser, session } = await newCustomer('Audited')
  await browser.json('POST', '/session/sign-out')
  await browser.signIn('Audited')
  const actor = `user:${session.user?.user_id}`
  const { events } = await dashboard.owner.json<{
    events: { type: string; metadata: { actor: string } }[]
  }>('GET', '/admin/events?limit=1000')
  const done = events.filter(({ metadata }) => metadata.actor === actor).map(({ type }) => type)
  expect(done).toEqual(expect.arrayContaining(['LinkUsed', 'UserSignedOut', 'UserSignedIn']))
  expect(events.map(({ type }) => type)).toContain('LinkIssued')
})

test('no log has a password, an address or a session', async () => {
  const tail = await dashboard.owner.json<unknown>('GET', '/admin/events?limit=1000')
  const text = JSON.stringify(tail)
  expect(text).toContain('UserJoined')
  expect(text).not.toMatch(/@example\.com|argon2|battery|password of mine|svc-link-/)
})

test('the people of an account change little enough for all others', async () => {
  const { browser, session } = await newAccount('Swift')
  const invitations = `/accounts/${session.accounts[0]?.account_id}/invitations`
  const statuses: number[] = []
  for (let changes = 0; changes < 101; changes += 1) {
    const made = await browser.ask('POST', invitations, { role: 'member' })
    statuses.push(made.status)
    const { invitation_id: id } = (await made.json()) as { invitation_id?: string }
    statuses.push((await browser.ask('POST', `${invitations}/${id}/revoke`)).status)
  }
  expect(statuses.slice(0, 200)).toEqual(Array.from({ length: 200 }, () => 200))
  expect(statuses.slice(200)).toEqual([429, 429])
  // What is only looked at, leaving, and the others are not concerned.
  expect((await browser.ask('GET', invitations)).status).toBe(200)
  expect((await browser.ask('POST', '/session/sign-out')).status).toBe(200)
  const name = { display_name: 'Calm' }
  expect((await (await newCustomer('Calm')).browser.ask('POST', '/profile', name)).status).toBe(200)
})

// The last: from here nobody joins any more.
test('nobody tries by a link which addresses others have', async () => {
  const invitations = `/accounts/${dashboard.accountId}/invitations`
  const given = { role: 'member' }
  const { link } = await dashboard.owner.json<{ link: string }>('POST', invitations, given)
  const statuses: number[] = []
  for (let tries = 0; tries < 21; tries += 1) {
    const joined = dashboard.browser().join(link, 'Olive')
    await joined.catch(({ message }: Error) => statuses.push(message.includes('429') ? 429 : 409))
  }
  expect(statuses).toHaveLength(21)
  expect(statuses.at(-1)).toBe(429)
})
