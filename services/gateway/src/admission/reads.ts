/**
 * Places for what only reads: a balance, a receipt, a stored response. They are apart from those of
 * inference, so that an account whose requests all run can still look at its money, and few, so
 * that an account that reads on and on keeps nobody waiting.
 */
import { networkOf } from '@svc/infra/system/network'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpLimits } from '../http/limits.ts'
import { Pace } from '../http/pacing/pace.ts'
import { authenticated, type Callers, callerOf, open } from './callers.ts'
import { type PlaceBounds, Places, type PlacesOptions } from './places.ts'
import { untilAdmitted } from './visit.ts'

export interface ReadsOptions extends Omit<PlacesOptions, 'bounds'> {
  readonly callers: Pick<Callers, 'identify' | 'identifyAnybody'>
  readonly limits: HttpLimits
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

export class Reads {
  /**
   * Hooks `onRequest`: they identify the caller, and give the request its place until it is
   * answered.
   */
  readonly hooks: Hook[]
  /** Does the same for who sends a key, and lets in who sends none: then the caller is null. */
  readonly openHooks: Hook[]
  readonly #places: Places
  readonly #pace: Pace

  constructor({ callers, limits, ...options }: ReadsOptions) {
    this.#places = new Places({ ...options, bounds: boundsOf(limits) })
    this.#pace = new Pace({ ...options, perSecond: limits.readsPerSecond })
    this.hooks = this.hooksFor(callers)
    this.openHooks = [open(callers), this.#admit]
  }

  /** Makes such hooks as {@link hooks} for callers who prove in another way who they are. */
  hooksFor(callers: Pick<Callers, 'identify'>): Hook[] {
    return [authenticated(callers), this.#admit]
  }

  /** Nobody comes in any more, and nobody waits. */
  turnAway(): void {
    this.#places.turnAway()
  }

  readonly #admit: Hook = async (request, reply) => {
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    // Whoever has no key is given what is in memory, and takes no place.
    if (request.caller === null) {
      await this.#pace.take(networkOf(request.ip), 1, gone.signal)
      return
    }
    const caller = callerOf(request)
    const visit = this.#places.enter({ ...caller, bodyBytes: 0 })
    reply.raw.once('close', () => visit.leave())
    await visit.admitted
    // It has its place, so that few of an account wait here and the others in its line.
    await this.#pace.take(caller.accountId, 1, gone.signal)
    await untilAdmitted(visit, reply)
  }
}

function boundsOf(limits: HttpLimits): PlaceBounds {
  const { readsPerAccount } = limits
  return { ...limits, requestsPerKey: readsPerAccount, requestsPerAccount: readsPerAccount }
}
