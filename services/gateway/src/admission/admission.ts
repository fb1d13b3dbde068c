/**
 * What stands between the head of a request and its body. The caller is known; before anything of
 * the body is looked at
 *
 *     has the account credit? → is the body small enough for that? → a place → the body
 *                 └──none that memory knows──▶ it waits for its time, and the store is asked
 *
 * so whoever has no key, no credit or too much under way gets no memory and no work.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import type { Ledger } from '@svc/ledger/ledger'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpLimits } from '../http/limits.ts'
import { Pace } from '../http/pacing/pace.ts'
import { pausedFor } from '../http/pacing/paused.ts'
import { REFUSAL_WAIT_MS_MAX } from '../http/pacing/refusal-pauses.ts'
import { declaredBytes, readBody } from '../http/request-body.ts'
import { callerOf } from './callers.ts'
import { noCredit } from './credit.ts'
import type { Places } from './places.ts'
import { stoppedError } from './stop.ts'
import { untilAdmitted, type Visit } from './visit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set when a request with a body asks for its place; null before. */
    admitted: Admitted | null
    /** Whether it has waited for its time without credit: its refusal waits no more. */
    hasPaused: boolean
  }
}

export interface Admitted {
  readonly visit: Visit
  /** Whether the account had credit when the request came. */
  readonly hasCredit: boolean
  /** Kept by whoever answers, also when the client leaves meanwhile. */
  isTaken: boolean
}

export interface AdmissionPorts {
  readonly ledger: Pick<Ledger, 'hasKnownCredit' | 'recentBalance'>
  readonly places: Places
  readonly limits: HttpLimits
  readonly timer: Timer
  readonly clock: Clock
}

export class Admission {
  readonly #ports: AdmissionPorts
  readonly #bodyPace: Pace
  /** Of requests without credit: nearly all of them are refused. */
  readonly #unpaidPace: Pace

  constructor(ports: AdmissionPorts) {
    const { bodyBytesPerSecond, refusalsPerSecond } = ports.limits
    this.#ports = ports
    this.#bodyPace = new Pace({ ...ports, perSecond: bodyBytesPerSecond })
    this.#unpaidPace = new Pace({
      ...{ ...ports, perSecond: refusalsPerSecond, waitMsMax: REFUSAL_WAIT_MS_MAX },
    })
  }

  /** Makes the routes of this context read their bodies as bytes, each when it has its place. */
  prepare(app: FastifyInstance): void {
    app.decorateRequest('admitted', null)
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('application/json', (request: FastifyRequest) => this.#body(request))
  }

  /** For `onRequest`, behind authentication: resolves when the request has its place. */
  readonly admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { ledger, places, limits } = this.#ports
    const caller = callerOf(request)
    const isPaced = !ledger.hasKnownCredit(caller.accountId)
    if (isPaced) {
      await pausedFor(reply, (gone) => this.#unpaidPace.take(caller.accountId, 1, gone))
      // Nobody is there to be answered.
      if (reply.raw.destroyed) return void reply.hijack()
    }
    // Behind the pace, because who seems to have none is looked up in the store each time.
    const balance = await ledger.recentBalance(caller.accountId)
    const hasCredit = balance.settled > 0n
    request.hasPaused = isPaced && !hasCredit
    const bodyBytes = declaredBytes(request.raw) ?? this.#bodyBytesMax(hasCredit)
    if (bodyBytes > this.#bodyBytesMax(hasCredit)) {
      if (!hasCredit && bodyBytes <= limits.bodyBytes) throw noCredit(balance)
      throw tooLarge()
    }
    const visit = places.enter({ ...caller, bodyBytes })
    const admitted = { visit, hasCredit, isTaken: false }
    request.admitted = admitted
    reply.raw.once('close', () => {
      if (!admitted.isTaken) visit.leave()
    })
    await visit.admitted
    // Large bodies take the time of the thread that serves all, whether they are refused or not.
    if (bodyBytes > limits.smallBodyBytes) {
      await pausedFor(reply, (gone) => this.#bodyPace.take(caller.accountId, bodyBytes, gone))
    }
    await untilAdmitted(visit, reply)
  }

  #bodyBytesMax(hasCredit: boolean): number {
    const { bodyBytes, unpaidBodyBytes } = this.#ports.limits
    return hasCredit ? bodyBytes : Math.min(bodyBytes, unpaidBodyBytes)
  }

  async #body(request: FastifyRequest): Promise<Buffer> {
    const { limits, timer } = this.#ports
    const { visit, hasCredit } = admittedOf(request)
    const bounds = {
      bytes: this.#bodyBytesMax(hasCredit),
      timeoutMs: limits.requestTimeoutMs,
      tooLarge,
    }
    const body = await readBody(request.raw, bounds, timer)
    visit.bodyRead(body.length)
    return body
  }
}

/** The place of a request behind {@link Admission.admit}, for who answers it: it has to be left. */
export function takePlace(request: FastifyRequest): Admitted {
  const admitted = admittedOf(request)
  admitted.isTaken = true
  return admitted
}

/**
 * Answers within the request's place, which is free when the work is done. The work may give up
 * when the client leaves: then nobody is there to be answered.
 */
export async function inItsPlace(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (stop: AbortSignal) => Promise<object>,
): Promise<object> {
  const { visit } = takePlace(request)
  const { stop } = visit
  reply.raw.once('close', () => stop.stop('client_gone'))
  try {
    return await work(stop.signal)
  } catch (cause) {
    if (stop.reason === 'client_gone') return reply.hijack()
    throw stoppedError(stop.reason, request.id) ?? cause
  } finally {
    visit.leave()
  }
}

function tooLarge(): ServiceError {
  return new ServiceError('request_too_large', 'The body is larger than the limit.')
}

function admittedOf({ admitted, url }: FastifyRequest): Admitted {
  if (admitted === null) throw new Error(`${url} has no place to run in`)
  return admitted
}
