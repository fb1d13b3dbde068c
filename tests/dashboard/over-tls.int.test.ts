/** Behind a proxy that speaks TLS with browsers, as `SVC_PUBLIC_URL` says. */
import { DASHBOARD_HEADER, DASHBOARD_PREFIX } from '@svc/contracts/dashboard/declaration'
import { startDashboard } from '@svc/testing/dashboard-server'
import { expect, test } from 'vitest'

const PUBLIC_URL = 'https://tokens.example'

test('the cookie is for this host over TLS alone, and pages of the public address are ours', async () => {
  await using dashboard = await startDashboard({ SVC_PUBLIC_URL: PUBLIC_URL })
  const { owner, baseUrl } = dashboard
  expect(owner.cookie).toMatch(/^__Host-svc=[\w-]{43}$/)
  const ask = (path: string, origin: string) =>
    fetch(`${baseUrl}${DASHBOARD_PREFIX}${path}`, {
      method: 'POST',
      headers: {
        origin,
        [DASHBOARD_HEADER]: '1',
        'content-type': 'application/json',
        cookie: owner.cookie ?? '',
      },
      body: '{}',
    })
  expect((await ask('/sessions/end-others', 'http://tokens.example')).status).toBe(403)
  expect((await ask('/sessions/end-others', `${PUBLIC_URL}.evil`)).status).toBe(403)
  expect((await ask('/sessions/end-others', PUBLIC_URL)).status).toBe(200)
  const out = await ask('/session/sign-out', PUBLIC_URL)
  const set = out.headers.get('set-cookie') ?? ''
  expect(set.split('; ').sort()).toEqual(
    ['HttpOnly', 'Max-Age=0', 'Path=/', 'SameSite=Lax', 'Secure', '__Host-svc='].sort(),
  )
  const signedIn = await dashboard.browser().ask('POST', '/session/sign-in', {
    email: 'olive@example.com',
    password: 'correct horse battery staple',
  })
  expect(signedIn.headers.get('set-cookie')).toMatch(
    /^__Host-svc=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
})
