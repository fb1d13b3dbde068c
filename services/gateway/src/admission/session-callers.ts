/**
 * Callers of the dashboard's routes of one account: a session says who it is, and the path which
 * account. They have the rates of the account like everybody who asks for it with a key.
 */
import type { AccountRole } from '@svc/contracts/events/users'
import type { AccountMember, AccountSessions } from '@svc/contracts/ports/account-sessions'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CallerRates, setRateHeaders } from './caller-rates.ts'
import type { Callers } from './callers.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose session came with the request; null on every route that is not the dashboard's. */
    member: AccountMember | null
  }
}

export interface SessionCallersOptions {
  readonly sessions: AccountSessions
  readonly rates: CallerRates
}

/**
 * @param least of the account, to be let in
 * @param keyOf what the request stands under: a key where it costs something, else anything that
 *   tells one caller from another
 */
export function sessionCallers(
  { sessions, rates }: SessionCallersOptions,
  least: AccountRole,
  keyOf: (member: AccountMember) => Promise<string> = async ({ userId }) => userId,
): Pick<Callers, 'identify'> {
  return {
    async identify(request: FastifyRequest, reply: FastifyReply) {
      const { caller, rate } = await rates.identify(request.ip, async () => {
        const { account_id: accountId = '' } = request.params as { account_id?: string }
        const member = await sessions.memberOf(request, accountId, least)
        request.member = member
        return { accountId, keyId: await keyOf(member) }
      })
      setRateHeaders(rate, request, reply)
      return caller
    },
  }
}

/** On a route behind {@link sessionCallers}. */
export function memberOf({ member, url }: FastifyRequest): AccountMember {
  if (member === null) throw new Error(`${url} is not behind a session`)
  return member
}
