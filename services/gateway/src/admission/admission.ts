/**
 * The hooks of the routes whose requests bring a body: they let a request through the
 * {@link Entrance}, and read its body when it has its place. The caller is known; before anything
 * of the body is looked at
 *
 *     has the account credit? → is the body small enough for that? → a place → the body
 *                 └──none that memory knows──▶ it waits for its time, and the store is asked
 *
 * so whoever has no key, no credit or too much under way gets no memory and no work.
 */
import type { Timer } from '@svc/contracts/ports/time'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpLimits } from '../http/limits.ts'
import { pausedFor } from '../http/pacing/paused.ts'
import { declaredBytes, readBody } from '../http/request-body.ts'
import { callerOf } from './callers.ts'
import { bodyBytesMax, bodyTooLarge, type Entrance } from './entrance.ts'
import { stoppedError } from './stop.ts'
import { type Place, untilAdmitted } from './visit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set when a request with a body asks for its place; null before. */
    admitted: Admitted | null
    /** Whether it has waited for its time without credit: its refusal waits no more. */
    hasPaused: boolean
  }
}

export interface Admitted {
  readonly place: Place
  /** Whether the account had credit when the request came. */
  readonly hasCredit: boolean
  /** Whether somebody answers and keeps the place, also when the client leaves meanwhile. */
  isTaken: boolean
}

export interface AdmissionPorts {
  readonly entrance: Entrance
  readonly limits: HttpLimits
  readonly timer: Timer
}

/** What routes whose requests bring a body ask for. */
export type AdmissionHooks = Pick<Admission, 'prepare' | 'admit'>

export class Admission {
  readonly #entrance: Entrance
  readonly #bodies: AdmittedBodies

  constructor({ entrance, ...ports }: AdmissionPorts) {
    this.#entrance = entrance
    this.#bodies = new AdmittedBodies(ports)
  }

  /** Makes the routes of this context read their bodies as bytes, each when it has its place. */
  prepare(app: FastifyInstance): void {
    this.#bodies.prepare(app)
  }

  /** Is the hook `onRequest` behind authentication, and resolves when the request has its place. */
  readonly admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    await this.#entrance.enter({
      caller: callerOf(request),
      declaredBytes: declaredBytes(request.raw),
      isGone: () => reply.raw.destroyed,
      paused: (wait) => pausedFor(reply, wait),
      hasPaused() {
        request.hasPaused = true
      },
      entered: (visit, hasCredit) => noteEntered(request, reply, visit, hasCredit),
    })
    const { admitted } = request
    // Nobody is there to be answered.
    if (admitted === null || reply.raw.destroyed) reply.hijack()
    else await untilAdmitted(admitted.place, reply)
  }
}

/** Leaves the place when the client leaves before anybody has taken it. */
function noteEntered(
  request: FastifyRequest,
  reply: FastifyReply,
  place: Place,
  hasCredit: boolean,
): void {
  const admitted = { place, hasCredit, isTaken: false }
  request.admitted = admitted
  reply.raw.once('close', () => {
    if (!admitted.isTaken) place.leave()
  })
}

/** Reads the bodies of requests that have their places. */
class AdmittedBodies {
  readonly #limits: HttpLimits
  readonly #timer: Timer

  constructor({ limits, timer }: Pick<AdmissionPorts, 'limits' | 'timer'>) {
    this.#limits = limits
    this.#timer = timer
  }

  prepare(app: FastifyInstance): void {
    app.decorateRequest('admitted', null)
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('application/json', (request: FastifyRequest) => this.#body(request))
  }

  async #body(request: FastifyRequest): Promise<Buffer> {
    const { place, hasCredit } = admittedOf(request)
    const bounds = {
      bytes: bodyBytesMax(this.#limits, hasCredit),
      timeoutMs: this.#limits.requestTimeoutMs,
      tooLarge: bodyTooLarge,
    }
    const body = await readBody(request.raw, bounds, this.#timer)
    place.bodyRead(body.length)
    return body
  }
}

/** Takes over the place of a request behind {@link Admission.admit}: the caller has to leave it. */
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
  const { place } = takePlace(request)
  const { stop } = place
  reply.raw.once('close', () => stop.stop('client_gone'))
  try {
    return await work(stop.signal)
  } catch (cause) {
    if (stop.reason === 'client_gone') return reply.hijack()
    throw stoppedError(stop.reason, request.id) ?? cause
  } finally {
    place.leave()
  }
}

function admittedOf({ admitted, url }: FastifyRequest): Admitted {
  if (admitted === null) throw new Error(`${url} has no place to run in`)
  return admitted
}
