/** What the numbers of an answer are up to, so that a page can say so beside them. */
import { type Position, START } from '@svc/contracts/ports/event-store'
import type { Clock } from '@svc/contracts/ports/time'
import type { Ledger } from '@svc/ledger/ledger'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import { callerOf } from '../../admission/callers.ts'

export interface AsOfPorts {
  readonly ledger: Pick<Ledger, 'lastPosition' | 'account'>
  readonly clock: Clock
}

export interface AsOf {
  /** The position of the last event of the account, as decimal text. */
  readonly position: string
  /** The time in RFC 3339. */
  readonly at: string
}

/** @returns what is true of every answer that holds what the account has done until now */
export function asOfNow({ ledger, clock }: AsOfPorts, accountId: string): AsOf {
  const position: Position = ledger.lastPosition(accountId) ?? START
  return { position: String(position), at: new Date(clock.nowMs()).toISOString() }
}

/**
 * Adds `as_of` to the answers of routes that wait for their view to hold what the account has done.
 * It is read before they wait: an event that comes meanwhile may be in the numbers, and none that
 * `as_of` names is missing.
 *
 * @param routes of which every answer is an object with numbers; refusals stay as they are
 */
export function withAsOf(ports: AsOfPorts, routes: FastifyPluginAsync): FastifyPluginAsync {
  return async (app: FastifyInstance): Promise<void> => {
    const asked = new WeakMap<FastifyRequest, AsOf>()
    app.addHook('preHandler', async (request) => {
      const { accountId } = callerOf(request)
      // An account that nothing was asked of yet in this process has no position here.
      if (ports.ledger.lastPosition(accountId) === undefined) await ports.ledger.account(accountId)
      asked.set(request, asOfNow(ports, accountId))
    })
    app.addHook('preSerialization', async (request, reply, answer) => {
      const asOf = asked.get(request)
      if (asOf === undefined || reply.statusCode !== 200) return answer
      return { ...(answer as object), as_of: asOf }
    })
    await app.register(routes)
  }
}
