/** Users as events have made them, and what a command does then. */
import { ServiceError } from '@svc/contracts/errors'
import type { UserEvent } from '@svc/contracts/events/users'
import { expect } from 'vitest'
import { decide } from '../decide.ts'
import { evolve, noUsers } from '../state.ts'
import type { UserCommand } from '../user-command.ts'
import type { UserBounds } from '../user-rules.ts'

export const AT = 1_000
export const LATER = 2_000
export const at = { at: AT }

type Asked = UserCommand extends infer Command
  ? Command extends UserCommand
    ? Omit<Command, 'at'>
    : never
  : never

/** An event that a user has caused. */
type OfUser = readonly [userId: string, event: UserEvent]

export function given(...events: readonly (UserEvent | readonly UserEvent[] | { by: OfUser })[]) {
  const state = noUsers()
  for (const event of events.flat()) {
    const [userId, caused] = 'by' in event ? event.by : ['usr_root', event]
    evolve(state, caused, `user:${userId}`)
  }
  return {
    when(command: Asked, bounds?: UserBounds) {
      const decided = () => decide(state, { ...command, ...at } as UserCommand, bounds)
      return {
        thenHappens: (...expected: readonly UserEvent[]) => expect(decided()).toEqual(expected),
        thenRefused(code: string, message: RegExp) {
          let refusal: unknown
          try {
            decided()
          } catch (error) {
            refusal = error
          }
          expect(refusal).toBeInstanceOf(ServiceError)
          expect(refusal).toMatchObject({ code, message: expect.stringMatching(message) })
        },
      }
    },
  }
}

export const joined = (userId: string): UserEvent => ({
  type: 'UserJoined',
  data: { userId, ...at },
})
export const isIn = (
  userId: string,
  accountId: string,
  role: 'owner' | 'member' | null,
): UserEvent => ({
  type: 'MembershipSet',
  data: { userId, accountId, role, ...at },
})
export const runs = (userId: string, role: 'auditor' | 'operator' | 'owner' | null): UserEvent => ({
  type: 'PlatformRoleSet',
  data: { userId, role, ...at },
})
export const status = (userId: string, to: 'active' | 'disabled' | 'erased'): UserEvent => ({
  type: 'UserStatusSet',
  data: { userId, status: to, ...at },
})
export const used = (linkId: string, userId: string): UserEvent => ({
  type: 'LinkUsed',
  data: { linkId, userId, ...at },
})
export const revoked = (linkId: string): UserEvent => ({
  type: 'LinkRevoked',
  data: { linkId, ...at },
})

export type LinkData = Extract<UserEvent, { type: 'LinkIssued' }>['data']

export function issued(fields: Partial<LinkData> = {}): UserEvent {
  const link = { linkId: 'link_1', kind: 'invitation', secretHash: 'hash' } as const
  const to = { platformRole: null, accountId: 'acct_a', accountRole: 'member' } as const
  const data = { ...link, ...to, userId: null, expiresAt: LATER, ...at, ...fields }
  return { type: 'LinkIssued', data }
}
export const ownerLink = (linkId: string) =>
  issued({ linkId, kind: 'owner', platformRole: 'owner', accountId: null, accountRole: null })
export const resetLink = (linkId: string, userId: string) =>
  issued({ linkId, kind: 'reset', accountId: null, accountRole: null, userId })
