import { expect, test } from 'vitest'
import { sessionCookie, sessionToken } from './cookies.ts'

const token = 'T'.repeat(43)

test('over TLS the cookie is one that browsers take for this host alone', () => {
  const cookie = sessionCookie(token, true)
  const [pair, ...attributes] = cookie.split('; ')
  expect(pair).toBe(`__Host-svc=${token}`)
  // Browsers refuse a cookie of this name without these, and with a domain.
  expect(attributes.sort()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Lax', 'Secure'])
  expect(sessionCookie(null, true)).toContain('__Host-svc=; ')
  expect(sessionCookie(null, true)).toContain('Max-Age=0')
})

test('a cookie that could have come without TLS means nothing over TLS', () => {
  expect(sessionToken({ cookie: `svc=${token}` }, true)).toBeUndefined()
  expect(sessionToken({ cookie: `a=b; __Host-svc=${token}` }, true)).toBe(token)
  expect(sessionToken({ cookie: `__Host-svc=${token}` }, false)).toBeUndefined()
})
