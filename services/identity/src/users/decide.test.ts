/** What may happen to users: given what has happened, when this is asked, then that. */
import { describe, test } from 'vitest'
import {
  AT,
  at,
  given,
  isIn,
  issued,
  joined,
  LATER,
  ownerLink,
  resetLink,
  revoked,
  runs,
  status,
  used,
} from './testing/given-users.ts'
import type { UserBounds } from './user-rules.ts'

const issue = { type: 'IssueLink', linkId: 'link_2', secretHash: 'hash', expiresAt: LATER } as const
const invite = { ...issue, kind: 'invitation', platformRole: null, userId: null } as const
const useLink = { type: 'UseLink', linkId: 'link_1' } as const
const bounds: UserBounds = {
  users: 2,
  links: 1,
  linksOfAccount: 1,
  membersOfAccount: 1,
  accountsOfUser: 1,
}

describe('a link', () => {
  const membership = { accountId: 'acct_a', role: 'member' } as const

  test('is issued for an account', () => {
    given()
      .when({ ...invite, membership })
      .thenHappens(issued({ linkId: 'link_2' }))
  })

  test('of the first owner is not issued beside another one, nor where there is an owner', () => {
    const first = { ...issue, kind: 'owner', platformRole: 'owner', userId: null } as const
    const ask = { ...first, membership: null }
    given().when(ask).thenHappens(ownerLink('link_2'))
    given(ownerLink('link_1')).when(ask).thenHappens()
    given(joined('usr_a'), runs('usr_a', 'owner')).when(ask).thenHappens()
    const ended = issued({ kind: 'owner', platformRole: 'owner', expiresAt: AT })
    given(ended).when(ask).thenHappens(ownerLink('link_2'))
  })

  test('of an owner who is disabled makes room for the next', () => {
    const ask = { ...issue, kind: 'owner', platformRole: 'owner', userId: null } as const
    given(joined('usr_a'), runs('usr_a', 'owner'), status('usr_a', 'disabled'))
      .when({ ...ask, membership: null })
      .thenHappens(ownerLink('link_2'))
  })

  test('for a password takes the place of the one before, of that user alone', () => {
    const ask = { ...issue, kind: 'reset', platformRole: null, membership: null } as const
    const before = [joined('usr_a'), joined('usr_b'), resetLink('link_a', 'usr_a')]
    given(...before, resetLink('link_b', 'usr_b'))
      .when({ ...ask, userId: 'usr_a' })
      .thenHappens(revoked('link_a'), resetLink('link_2', 'usr_a'))
  })

  test('for the password of nobody, or of somebody who is kept out, is refused', () => {
    const ask = { ...issue, kind: 'reset', platformRole: null, membership: null } as const
    given()
      .when({ ...ask, userId: 'usr_a' })
      .thenRefused('not_found', /no user usr_a/)
    given(joined('usr_a'), status('usr_a', 'disabled'))
      .when({ ...ask, userId: 'usr_a' })
      .thenRefused('conflict', /disabled/)
  })

  test('is refused beyond the number that can be open; what has ended does not count', () => {
    const ask = { ...invite, membership }
    given(issued())
      .when(ask, bounds)
      .thenRefused('conflict', /1 links/)
    given(issued({ expiresAt: AT }))
      .when(ask, bounds)
      .thenHappens(issued({ linkId: 'link_2' }))
  })

  test('is refused to an account that has many, and not to the others', () => {
    const room = { ...bounds, links: 9 }
    given(issued())
      .when({ ...invite, membership }, room)
      .thenRefused('conflict', /1 links to this account/)
    const other = { ...membership, accountId: 'acct_b' }
    given(issued())
      .when({ ...invite, membership: other }, room)
      .thenHappens(issued({ linkId: 'link_2', accountId: 'acct_b' }))
    given(issued({ expiresAt: AT }))
      .when({ ...invite, membership }, room)
      .thenHappens(issued({ linkId: 'link_2' }))
  })

  test('is taken back by who may, and an account takes back its own only', () => {
    const ask = { type: 'RevokeLink', linkId: 'link_1' } as const
    given(issued()).when(ask).thenHappens(revoked('link_1'))
    given(issued())
      .when({ ...ask, accountId: 'acct_a' })
      .thenHappens(revoked('link_1'))
    given(issued())
      .when({ ...ask, accountId: 'acct_b' })
      .thenRefused('not_found', /cannot be used/)
    given(issued({ platformRole: 'auditor' }))
      .when({ ...ask, accountId: 'acct_a' })
      .thenRefused('not_allowed', /runs the service/)
    given(issued(), revoked('link_1'))
      .when(ask)
      .thenRefused('not_found', /cannot be used/)
  })
})

describe('a link that is used', () => {
  const byNew = { ...useLink, userId: 'usr_a' }

  test('lets somebody new in, with what it says', () => {
    given(issued())
      .when(byNew)
      .thenHappens(used('link_1', 'usr_a'), joined('usr_a'), isIn('usr_a', 'acct_a', 'member'))
  })

  test('makes the first owner', () => {
    given(ownerLink('link_1'))
      .when(byNew)
      .thenHappens(used('link_1', 'usr_a'), joined('usr_a'), runs('usr_a', 'owner'))
  })

  test('takes nothing from somebody who is more already', () => {
    const owner = [joined('usr_a'), runs('usr_a', 'owner'), isIn('usr_a', 'acct_a', 'owner')]
    given(owner, issued({ platformRole: 'auditor' }))
      .when(byNew)
      .thenHappens(used('link_1', 'usr_a'))
    given(joined('usr_a'), isIn('usr_a', 'acct_a', 'member'), issued({ accountRole: 'owner' }))
      .when(byNew)
      .thenHappens(used('link_1', 'usr_a'), isIn('usr_a', 'acct_a', 'owner'))
  })

  test.each([
    ['used before', [issued(), used('link_1', 'usr_z')]],
    ['taken back', [issued(), revoked('link_1')]],
    ['at its end', [issued({ expiresAt: AT })]],
    ['for a password', [joined('usr_z'), resetLink('link_1', 'usr_z')]],
  ])('and was %s lets nobody in', (_what, events) => {
    given(events)
      .when(byNew)
      .thenRefused('not_found', /cannot be used/)
  })

  test('lets in as many as there may be', () => {
    given(joined('usr_y'), joined('usr_z'), issued())
      .when(byNew, bounds)
      .thenRefused('conflict', /2 users/)
    given(joined('usr_z'), isIn('usr_z', 'acct_a', 'owner'), issued())
      .when(byNew, bounds)
      .thenRefused('conflict', /1 people/)
    given(joined('usr_a'), isIn('usr_a', 'acct_b', 'owner'), issued())
      .when(byNew, bounds)
      .thenRefused('conflict', /1 accounts/)
  })

  test('by somebody who is kept out changes nothing', () => {
    given(joined('usr_a'), status('usr_a', 'disabled'), issued())
      .when(byNew)
      .thenRefused('conflict', /disabled/)
  })

  test('for a password sets it, of its user, once', () => {
    const ask = { type: 'UseReset', linkId: 'link_1' } as const
    const before = [joined('usr_a'), resetLink('link_1', 'usr_a')]
    given(before)
      .when(ask)
      .thenHappens(used('link_1', 'usr_a'), {
        type: 'PasswordSet',
        data: { userId: 'usr_a', ...at },
      })
    given(before, used('link_1', 'usr_a'))
      .when(ask)
      .thenRefused('not_found', /cannot be used/)
    given(before, status('usr_a', 'disabled'))
      .when(ask)
      .thenRefused('conflict', /disabled/)
  })
})

test('who signs up owns the account, while there is room', () => {
  const ask = { type: 'SignUp', userId: 'usr_a', accountId: 'acct_a' } as const
  given()
    .when(ask)
    .thenHappens(joined('usr_a'), isIn('usr_a', 'acct_a', 'owner'))
  given(joined('usr_y'), joined('usr_z'))
    .when(ask, bounds)
    .thenRefused('conflict', /2 users/)
})

test('a password is set of those who are here', () => {
  const ask = { type: 'SetPassword', userId: 'usr_a' } as const
  given(joined('usr_a'))
    .when(ask)
    .thenHappens({ type: 'PasswordSet', data: { userId: 'usr_a', ...at } })
  given(joined('usr_a'), status('usr_a', 'erased'))
    .when(ask)
    .thenRefused('conflict', /erased/)
})

describe('the last owner of the service', () => {
  const owner = [joined('usr_a'), runs('usr_a', 'owner')]
  const toAuditor = { type: 'SetPlatformRole', userId: 'usr_a', role: 'auditor' } as const
  const disable = { type: 'SetStatus', userId: 'usr_a', status: 'disabled' } as const

  test.each([
    ['gets no lesser role', toAuditor],
    ['is not disabled', disable],
    ['is not erased', { ...disable, status: 'erased' }],
  ] as const)('%s', (_what, ask) => {
    given(owner)
      .when(ask)
      .thenRefused('conflict', /last owner of the service/)
    const disabled = [joined('usr_b'), runs('usr_b', 'owner'), status('usr_b', 'disabled')]
    given(owner, disabled)
      .when(ask)
      .thenRefused('conflict', /last owner of the service/)
  })

  test('is not the last beside another', () => {
    const both = [owner, joined('usr_b'), runs('usr_b', 'owner')].flat()
    given(both).when(toAuditor).thenHappens(runs('usr_a', 'auditor'))
    given(both).when(disable).thenHappens(status('usr_a', 'disabled'))
  })

  test('can be given the same role again', () => {
    given(owner)
      .when({ ...toAuditor, role: 'owner' })
      .thenHappens()
  })
})

describe('who is in an account', () => {
  const ask = { type: 'SetMembership', userId: 'usr_a', accountId: 'acct_a' } as const
  const byOwner = { ...ask, byOperator: false }
  const owner = [joined('usr_a'), isIn('usr_a', 'acct_a', 'owner')]

  test('changes by its owners', () => {
    given(joined('usr_a'), isIn('usr_a', 'acct_a', 'member'))
      .when({ ...byOwner, role: 'owner' })
      .thenHappens(isIn('usr_a', 'acct_a', 'owner'))
    given(joined('usr_a'), isIn('usr_a', 'acct_a', 'member'))
      .when({ ...byOwner, role: 'member' })
      .thenHappens()
  })

  test('keeps an owner, unless the operator takes the last one out', () => {
    for (const role of ['member', null] as const) {
      given(owner)
        .when({ ...byOwner, role })
        .thenRefused('conflict', /last owner of an account/)
      given(owner)
        .when({ ...ask, role, byOperator: true })
        .thenHappens(isIn('usr_a', 'acct_a', role))
      given(owner, joined('usr_b'), isIn('usr_b', 'acct_a', 'owner'))
        .when({ ...byOwner, role })
        .thenHappens(isIn('usr_a', 'acct_a', role))
    }
  })

  test('keeps an owner who can come in; one who is kept out can be taken out', () => {
    const disabled = [
      joined('usr_b'),
      isIn('usr_b', 'acct_a', 'owner'),
      status('usr_b', 'disabled'),
    ]
    given(owner, disabled)
      .when({ ...byOwner, role: null })
      .thenRefused('conflict', /last owner of an account/)
    given(owner, disabled)
      .when({ ...byOwner, userId: 'usr_b', role: 'member' })
      .thenHappens(isIn('usr_b', 'acct_a', 'member'))
  })

  test('comes in by the operator only, and not beyond its bound', () => {
    given(joined('usr_a'))
      .when({ ...byOwner, role: 'member' })
      .thenRefused('not_found', /no user usr_a/)
    given(joined('usr_a'))
      .when({ ...ask, role: 'member', byOperator: true })
      .thenHappens(isIn('usr_a', 'acct_a', 'member'))
    given(joined('usr_a'), joined('usr_b'), isIn('usr_b', 'acct_a', 'owner'))
      .when({ ...ask, role: 'member', byOperator: true }, bounds)
      .thenRefused('conflict', /1 people/)
  })
})

describe('a user', () => {
  const ask = { type: 'SetStatus', userId: 'usr_a' } as const

  test('is disabled and enabled, once each', () => {
    given(joined('usr_a'))
      .when({ ...ask, status: 'disabled' })
      .thenHappens(status('usr_a', 'disabled'))
    given(joined('usr_a'), status('usr_a', 'disabled'))
      .when({ ...ask, status: 'disabled' })
      .thenHappens()
    given(joined('usr_a'), status('usr_a', 'disabled'))
      .when({ ...ask, status: 'active' })
      .thenHappens(status('usr_a', 'active'))
  })

  test('who was erased stays so, has no role and is in no account', () => {
    const erased = [
      ...[joined('usr_a'), runs('usr_a', 'operator'), isIn('usr_a', 'acct_a', 'owner')],
      status('usr_a', 'erased'),
    ]
    given(erased)
      .when({ ...ask, status: 'active' })
      .thenRefused('conflict', /erased/)
    given(erased, joined('usr_b'), issued())
      .when({ ...useLink, userId: 'usr_b' }, { ...bounds, users: 3 })
      .thenHappens(used('link_1', 'usr_b'), isIn('usr_b', 'acct_a', 'member'))
  })

  test('who never joined is not found', () => {
    given()
      .when({ ...ask, status: 'disabled' })
      .thenRefused('not_found', /no user usr_a/)
  })
})
