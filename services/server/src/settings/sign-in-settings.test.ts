/** Settings that would let in whom nobody meant to let in stop the start. */
import { expect, test } from 'vitest'
import { readSettings } from './settings.ts'

const provider = {
  SVC_OIDC_ISSUER: 'https://login.example.com/realms/svc',
  SVC_OIDC_CLIENT_ID: 'svc',
  SVC_PUBLIC_URL: 'https://api.example.com',
}
const proxy = { SVC_PROXY_USER_HEADER: 'X-Forwarded-Email', SVC_TRUSTED_PROXIES: '10.0.0.0/8' }

test.each([
  [provider],
  [{ ...provider, SVC_OIDC_ISSUER: 'http://127.0.0.1:8080', SVC_OIDC_CLIENT_SECRET: 'x' }],
  [{ ...provider, SVC_PUBLIC_URL: 'http://localhost:8080' }],
  [proxy],
  [{ ...proxy, SVC_TRUSTED_PROXIES: '127.0.0.1,fd00::/8' }],
])('%j can be used', (settings) => {
  expect(() => readSettings(settings)).not.toThrow()
})

test.each([
  [{ ...provider, SVC_OIDC_ISSUER: 'http://login.example.com' }, /SVC_OIDC_ISSUER: .*https/],
  [{ ...provider, SVC_OIDC_ISSUER: 'login.example.com' }, /SVC_OIDC_ISSUER/],
  [{ ...provider, SVC_OIDC_CLIENT_ID: undefined }, /SVC_OIDC_CLIENT_ID: is missing/],
  [{ ...provider, SVC_PUBLIC_URL: undefined }, /SVC_PUBLIC_URL: is missing/],
  [{ ...provider, SVC_PUBLIC_URL: 'http://api.example.com' }, /SVC_PUBLIC_URL: .*https/],
  [{ ...provider, SVC_DASHBOARD: 'off' }, /SVC_DASHBOARD/],
  [{ SVC_OIDC_CLIENT_ID: 'svc' }, /SVC_OIDC_ISSUER: is missing/],
  [{ ...proxy, SVC_TRUSTED_PROXIES: undefined }, /SVC_TRUSTED_PROXIES: is missing/],
  [{ ...proxy, SVC_TRUSTED_PROXIES: '' }, /SVC_TRUSTED_PROXIES: is missing/],
  [{ ...proxy, SVC_TRUSTED_PROXIES: '10.0.0.1,0.0.0.0/0' }, /0\.0\.0\.0\/0 would let strangers/],
  [{ ...proxy, SVC_TRUSTED_PROXIES: '::/0' }, /would let strangers/],
  [{ ...proxy, SVC_PROXY_USER_HEADER: 'X-Forwarded-For' }, /another meaning/],
  [{ ...proxy, SVC_PROXY_USER_HEADER: 'Cookie' }, /another meaning/],
  [{ ...proxy, SVC_PROXY_USER_HEADER: 'X_User' }, /name of a header/],
  [{ ...proxy, SVC_DASHBOARD: 'off' }, /SVC_DASHBOARD/],
])('%j is refused, and named', (settings, problem) => {
  expect(() => readSettings(settings)).toThrow(problem)
})
