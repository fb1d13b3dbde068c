/** The commands that ask for something to happen to users. */
import type { AccountRole, LinkKind, PlatformRole } from '@svc/contracts/events/users'

/** `at` is in milliseconds since 1970. */
export type UserCommand = { readonly at: number } & (
  | {
      readonly type: 'IssueLink'
      readonly linkId: string
      readonly kind: LinkKind
      readonly secretHash: string
      readonly platformRole: PlatformRole | null
      readonly membership: { readonly accountId: string; readonly role: AccountRole } | null
      readonly userId: string | null
      readonly expiresAt: number
    }
  /** @property accountId of an invitation to this account only */
  | { readonly type: 'RevokeLink'; readonly linkId: string; readonly accountId?: string }
  /** Uses a link of an owner or an invitation, by somebody new or by somebody who is here. */
  | { readonly type: 'UseLink'; readonly linkId: string; readonly userId: string }
  | { readonly type: 'UseReset'; readonly linkId: string }
  | { readonly type: 'SignUp'; readonly userId: string; readonly accountId: string }
  | { readonly type: 'SetPassword'; readonly userId: string }
  | {
      readonly type: 'SetPlatformRole'
      readonly userId: string
      readonly role: PlatformRole | null
    }
  | {
      readonly type: 'SetMembership'
      readonly userId: string
      readonly accountId: string
      readonly role: AccountRole | null
      /**
       * Whether the operator asks. Then the user can come in by this, and the account lose its last
       * owner.
       */
      readonly byOperator: boolean
    }
  | {
      readonly type: 'SetStatus'
      readonly userId: string
      readonly status: 'active' | 'disabled' | 'erased'
    }
)
