/** Every route of the dashboard, asked by everybody: a route without a row here fails. */
import type { Declaration } from '@svc/contracts/admin/declaration'
import { adminOperations } from '@svc/contracts/admin/operations'
import { isAllowed } from '@svc/contracts/admin/roles'
import {
  CHAT_PATH,
  type DashboardAccess,
  type DashboardDeclaration,
} from '@svc/contracts/dashboard/declaration'
import {
  type DashboardOperationName,
  type DashboardOutput,
  dashboardOperations,
} from '@svc/contracts/dashboard/operations'
import type { PlatformRole } from '@svc/contracts/events/users'
import {
  type DashboardServer,
  startDashboard,
  type TestBrowser,
} from '@svc/testing/dashboard-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** Written out once more by hand: who is let in must change here too. */
const rows: Readonly<Record<DashboardOperationName | 'chat', DashboardAccess>> = {
  session: 'anybody',
  signIn: 'anybody',
  signOut: 'anybody',
  signUp: 'anybody',
  lookAtLink: 'anybody',
  acceptLink: 'anybody',
  changePassword: 'signed-in',
  changeProfile: 'signed-in',
  listSessions: 'signed-in',
  endSession: 'signed-in',
  endOtherSessions: 'signed-in',
  startProviderSignIn: 'anybody',
  finishProviderSignIn: 'anybody',
  startProviderLink: 'signed-in',
  unlinkProvider: 'signed-in',
  signInByProxy: 'anybody',
  startPasskeySignIn: 'anybody',
  signInByPasskey: 'anybody',
  listPasskeys: 'signed-in',
  startPasskey: 'signed-in',
  addPasskey: 'signed-in',
  renamePasskey: 'signed-in',
  removePasskey: 'signed-in',
  listMembers: 'member',
  setMemberRole: 'owner',
  removeMember: 'owner',
  listAccountInvitations: 'owner',
  inviteMember: 'owner',
  revokeAccountInvitation: 'owner',
  accountHome: 'member',
  accountBalance: 'member',
  usage: 'member',
  requests: 'member',
  requestTotals: 'member',
  receipt: 'member',
  accountEvent: 'member',
  accountStatement: 'member',
  exportStatement: 'member',
  exportRequests: 'member',
  exportUsage: 'member',
  prices: 'member',
  listAccountKeys: 'member',
  createAccountKey: 'owner',
  renameAccountKey: 'owner',
  revokeAccountKey: 'owner',
  rotateAccountKey: 'owner',
  chat: 'member',
}

const routes: Readonly<Record<string, Pick<DashboardDeclaration, 'method' | 'path'>>> = {
  ...dashboardOperations,
  chat: { method: 'POST', path: CHAT_PATH },
}

const principals = [
  ...['nobody', 'API key', 'admin token', 'root token'],
  ...['stranger', 'member', 'owner', 'auditor', 'operator', 'platform owner'],
] as const
type Principal = (typeof principals)[number]

let dashboard: DashboardServer
const browsers = new Map<Principal, TestBrowser>()
const bearers = new Map<Principal, string>()

beforeAll(async () => {
  // With every way to sign in, so that none is refused for want of settings.
  dashboard = await startDashboard({
    SVC_PUBLIC_URL: 'http://localhost:8080',
    SVC_OIDC_ISSUER: 'http://127.0.0.1:1',
    SVC_OIDC_CLIENT_ID: 'svc',
  })
  const { owner, accountId, apiKey } = dashboard
  const invite = async (name: Principal, given: object) => {
    const { link } = await owner.json<{ link: string }>('POST', '/admin/users/invitations', given)
    const browser = dashboard.browser()
    await browser.join(link, name)
    browsers.set(name, browser)
  }
  const { account_id: theirs } = await owner.json<{ account_id: string }>(
    'POST',
    '/admin/accounts',
    { name: 'theirs', spend_policy: 'standard' },
  )
  await invite('stranger', { account_id: theirs })
  await invite('member', { account_id: accountId, account_role: 'member' })
  await invite('owner', { account_id: accountId })
  await invite('auditor', { platform_role: 'auditor' })
  await invite('operator', { platform_role: 'operator' })
  await invite('platform owner', { platform_role: 'owner' })
  const token = { name: 'all', role: 'owner', expires_at: null }
  const { secret } = await owner.json<{ secret: string }>('POST', '/admin/tokens', token)
  bearers.set('API key', apiKey)
  bearers.set('admin token', secret)
  bearers.set('root token', 'a'.repeat(64))
})
afterAll(() => dashboard[Symbol.asyncDispose]())

async function ask(principal: Principal, method: string, path: string) {
  const bearer = bearers.get(principal)
  const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
  const browser = browsers.get(principal) ?? dashboard.browser()
  const gone = new AbortController()
  const answer = await browser.ask(method, path, {}, headers)
  const text = answer.headers.get('content-type')?.includes('ndjson') ? '' : await answer.text()
  if (text === '') await answer.body?.cancel()
  gone.abort()
  const { error } = text.startsWith('{"error"') ? JSON.parse(text) : { error: undefined }
  return { status: answer.status, code: error?.code, param: error?.param, text, answer }
}

type Asked = Awaited<ReturnType<typeof ask>>

/** What becomes of whoever is let in is another test's: here it is only no refusal of the door. */
function outcomeOf({ status, code, param, text }: Asked): string {
  expect(text, 'no such route').not.toContain('unknown_url')
  expect(status, text).not.toBe(500)
  if (code === 'not_signed_in') return 'not signed in'
  if (code === 'not_allowed') return 'not allowed'
  if (status === 404 && param === 'account_id') return 'not found'
  return 'let in'
}

const platformRole: Partial<Record<Principal, PlatformRole>> = {
  auditor: 'auditor',
  operator: 'operator',
  'platform owner': 'owner',
}
const hasSession = (principal: Principal) => principals.indexOf(principal) >= 4

function expectedOf(principal: Principal, access: DashboardAccess): string {
  if (access === 'anybody') return 'let in'
  if (!hasSession(principal)) return 'not signed in'
  if (access === 'signed-in' || principal === 'owner') return 'let in'
  if (principal !== 'member') return 'not found'
  return access === 'member' ? 'let in' : 'not allowed'
}

test('the table names every operation, with the access of its declaration', () => {
  const declared = Object.entries(dashboardOperations).map(([name, { access }]) => [name, access])
  expect(rows).toEqual({ ...Object.fromEntries(declared), chat: 'member' })
})

describe.each(Object.entries(rows))('%s', (name, access) => {
  test.each(principals)('asked by %s', async (principal) => {
    const { method, path } = routes[name] as DashboardDeclaration
    const filled = path.replace(':account_id', dashboard.accountId).replace(/:\w+/g, 'x')
    const before = browsers.get(principal)?.cookie
    const asked = await ask(principal, method, filled)
    if (name !== 'signUp') expect(outcomeOf(asked)).toBe(expectedOf(principal, access))
    // Where sign-up is not open, that is said to everybody, when what was sent could be used.
    else expect(asked).toMatchObject({ status: 400, code: 'missing_required_parameter' })
    expect(asked.answer.headers.get('cache-control')).toBe('no-store')
    expect(asked.answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    if (name !== 'signOut' || before === undefined) return
    // They need it for the routes that follow.
    await browsers.get(principal)?.signIn(principal)
  })
})

describe.each(Object.entries<Declaration>(adminOperations))('admin: %s', (_name, declared) => {
  test.each(principals)('asked by %s', async (principal) => {
    const path = `/admin${declared.path.replace(/:\w+/g, 'x')}`
    const role = platformRole[principal]
    const { status, code, text } = await ask(principal, declared.method, path)
    expect(status, text).not.toBe(500)
    if (!hasSession(principal)) expect(code).toBe('not_signed_in')
    else if (role === undefined || !isAllowed(role, declared.role)) expect(code).toBe('not_allowed')
    else expect(['not_signed_in', 'unknown_url']).not.toContain(code)
  })
})

test('a session opens neither the public API nor the admin API', async () => {
  const cookie = dashboard.owner.cookie ?? ''
  expect(cookie).not.toBe('')
  const value = cookie.slice(cookie.indexOf('=') + 1)
  for (const path of ['/v1/balance', '/v1/models', '/v1/usage', '/admin/v1/status']) {
    for (const headers of [
      { cookie },
      { authorization: `Bearer ${value}` },
      { 'x-api-key': value },
    ]) {
      const answer = await fetch(`${dashboard.baseUrl}${path}`, { headers })
      expect(answer.status, path).toBe(401)
    }
  }
})

test('the people of two accounts never see one another', async () => {
  const stranger = browsers.get('stranger') as TestBrowser
  const { accounts } = await stranger.json<DashboardOutput<'session'>>('GET', '/session')
  expect(accounts).toHaveLength(1)
  const theirs = accounts[0]?.account_id
  const members = await stranger.json<DashboardOutput<'listMembers'>>(
    'GET',
    `/accounts/${theirs}/members`,
  )
  expect(members.map(({ display_name }) => display_name)).toEqual(['stranger'])
})
