import { expect, test } from 'vitest'
import { linkPurposes } from './link-purposes.ts'

const invitation = { kind: 'invitation', expires_at: '2026-01-01T00:00:00.000Z' } as const
const account = { account_id: 'acct_a', name: 'Ada', role: 'owner' } as const

test('whoever accepts a link is told all that they become', () => {
  const toBoth = linkPurposes({ ...invitation, platform_role: 'operator', account })
  expect(toBoth).toEqual([
    expect.stringMatching(/help run this server, as .*operator/i),
    expect.stringMatching(/account .*Ada.* as .*owner/i),
  ])
  expect(linkPurposes({ ...invitation, platform_role: null, account })).toEqual(toBoth.slice(1))
  const toRun = { ...invitation, platform_role: 'operator', account: null } as const
  expect(linkPurposes(toRun)).toEqual(toBoth.slice(0, 1))
})

test('of a link for a password, and of the first one, one thing is said', () => {
  for (const kind of ['reset', 'owner'] as const) {
    expect(linkPurposes({ ...invitation, kind, platform_role: null, account })).toHaveLength(1)
  }
})
