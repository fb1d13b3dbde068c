/** The form of what the dashboard declares. */
import {
  CHAT_PATH,
  DASHBOARD_ADMIN_PREFIX,
  DASHBOARD_HEADER,
  DASHBOARD_PREFIX,
  type DashboardDeclaration,
  LINK_PATH,
} from '@svc/contracts/dashboard/declaration'
import {
  type DashboardInput,
  type DashboardOutput,
  dashboardOperations,
} from '@svc/contracts/dashboard/operations'
import { describe, expect, expectTypeOf, test } from 'vitest'

const operations = Object.entries<DashboardDeclaration>(dashboardOperations)

describe.each(operations)('%s', (_name, { path, access, input, method }) => {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string)

  test('takes what its path names', () => {
    expect(Object.keys(input.shape)).toEqual(expect.arrayContaining(inPath))
  })

  test('is for the people of an account when its path names one, and only then', () => {
    expect(['member', 'owner'].includes(access)).toBe(path.startsWith('/accounts/:account_id'))
  })

  test('changes something only when it is no GET', () => {
    if (access === 'owner' && !path.endsWith('/invitations')) expect(method).toBe('POST')
  })
})

test('no two stand on one path', () => {
  const places = operations.map(([, { method, path }]) => `${method} ${path}`)
  expect(new Set([...places, `POST ${CHAT_PATH}`]).size).toBe(places.length + 1)
})

test('nothing declared here hides an operation of the operator, nor a page', () => {
  const under = DASHBOARD_ADMIN_PREFIX.slice(DASHBOARD_PREFIX.length)
  expect(operations.filter(([, { path }]) => path.startsWith(under))).toEqual([])
  expect(LINK_PATH.startsWith(`${DASHBOARD_PREFIX}/`)).toBe(false)
  expect(DASHBOARD_HEADER).toBe(DASHBOARD_HEADER.toLowerCase())
})

test('the types say what comes and goes', () => {
  expectTypeOf<DashboardInput<'signIn'>>().toEqualTypeOf<{ email: string; password: string }>()
  expectTypeOf<DashboardOutput<'createAccountKey'>>().toEqualTypeOf<{
    key_id: string
    secret: string
  }>()
})
