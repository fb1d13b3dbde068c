/** Which links are taken back when their maker could make them no more. */
import { describe, test } from 'vitest'
import {
  given,
  isIn,
  issued,
  joined,
  type LinkData,
  resetLink,
  revoked,
  runs,
  status,
  used,
} from './testing/given-users.ts'

describe('a link whose maker could make it no more', () => {
  const fromOwner = { by: ['usr_a', issued()] } as const
  const toRun = issued({ platformRole: 'auditor', accountId: null, accountRole: null })
  const fromRunner = { by: ['usr_a', toRun] } as const
  const reset = { by: ['usr_a', resetLink('link_1', 'usr_b')] } as const
  const owns = [joined('usr_a'), isIn('usr_a', 'acct_a', 'owner')]
  const operates = [joined('usr_a'), joined('usr_b'), runs('usr_a', 'operator')]
  const another = [joined('usr_z'), runs('usr_z', 'owner'), isIn('usr_z', 'acct_a', 'owner')]
  const leave = { type: 'SetMembership', userId: 'usr_a', accountId: 'acct_a' } as const
  const disable = { type: 'SetStatus', userId: 'usr_a', status: 'disabled' } as const

  test('is taken back when they are kept out', () => {
    given(owns, fromOwner).when(disable).thenHappens(status('usr_a', 'disabled'), revoked('link_1'))
    given(owns, fromOwner)
      .when({ ...disable, status: 'erased' })
      .thenHappens(status('usr_a', 'erased'), revoked('link_1'))
    given(owns, issued()).when(disable).thenHappens(status('usr_a', 'disabled'))
  })

  test('is taken back when they own the account no more, and may not make it as an operator', () => {
    const asked = { ...leave, role: 'member', byOperator: false } as const
    given(owns, another, fromOwner)
      .when(asked)
      .thenHappens(isIn('usr_a', 'acct_a', 'member'), revoked('link_1'))
    given(owns, another, fromOwner)
      .when({ ...asked, role: null })
      .thenHappens(isIn('usr_a', 'acct_a', null), revoked('link_1'))
    given(owns, another, runs('usr_a', 'operator'), fromOwner)
      .when(asked)
      .thenHappens(isIn('usr_a', 'acct_a', 'member'))
  })

  test('is taken back when they run the service no more, or less', () => {
    const role = { type: 'SetPlatformRole', userId: 'usr_a' } as const
    given(another, joined('usr_a'), runs('usr_a', 'owner'), fromRunner)
      .when({ ...role, role: 'operator' })
      .thenHappens(runs('usr_a', 'operator'), revoked('link_1'))
    given(operates, reset)
      .when({ ...role, role: 'auditor' })
      .thenHappens(runs('usr_a', 'auditor'), revoked('link_1'))
    given(operates, fromOwner)
      .when({ ...role, role: 'owner' })
      .thenHappens(runs('usr_a', 'owner'))
  })

  test('is taken back when it sets the password of somebody who comes to run the service', () => {
    given(operates, reset)
      .when({ type: 'SetPlatformRole', userId: 'usr_b', role: 'auditor' })
      .thenHappens(runs('usr_b', 'auditor'), revoked('link_1'))
    const invitation = issued({ ...toRun.data, linkId: 'link_3' } as Partial<LinkData>)
    given(operates, reset, invitation)
      .when({ type: 'UseLink', linkId: 'link_3', userId: 'usr_b' })
      .thenHappens(used('link_3', 'usr_b'), runs('usr_b', 'auditor'), revoked('link_1'))
  })
})
