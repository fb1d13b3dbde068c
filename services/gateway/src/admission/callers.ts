/**
 * Who calls, and whether they may call so often.
 *
 *     address ──▶ key known to memory? ──no──▶ too many bad keys from here? ──no──▶ the store
 *                        │yes                              │yes: one look a second, else 429
 *                        └──────▶ rate of the account, rate of the key
 *
 * A key that memory knows is never refused because of others behind the same address: many share
 * one. A forged key costs a look into the store, so an address has few of them.
 */

import type { IncomingHttpHeaders } from 'node:http'
import { counted } from '@svc/contracts/counted'
import { ServiceError } from '@svc/contracts/errors'
import {
  limitExceeded,
  type RateLimit,
  type RateLimits,
  type RateUse,
} from '@svc/contracts/ports/rate-limits'
import { bearerOf, plainSecret } from '@svc/infra/http/bearer'
import { networkOf } from '@svc/infra/system/network'
import type { Caller, Ledger } from '@svc/ledger/ledger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpLimits } from '../http/limits.ts'
import type { ForwardedCallers } from '../views-hop/forwarded-callers.ts'
import { type CallerRates, type IdentifiedCaller, setRateHeaders } from './caller-rates.ts'

const MINUTE_SECONDS = 60

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key came with the request; null before authentication and on open routes. */
    caller: Caller | null
  }
}

export interface CallersOptions {
  readonly ledger: Pick<Ledger, 'authenticate' | 'knownCaller' | 'lookAgain'>
  /** Whether memory may lack what another process did to an account. Default: there is none. */
  readonly accountNews?: { mayBeOld(accountId: string): boolean } | undefined
  readonly rateLimits: RateLimits
  readonly limits: HttpLimits
  readonly rates: CallerRates
  /** Callers that gateways without views forward. Default: there are no such gateways. */
  readonly forwarded?: Pick<ForwardedCallers, 'callerOf'> | undefined
}

/** What a request says of who sends it. */
interface PresentedKey {
  readonly address: string
  /** The key; undefined when nothing was sent that can be one. */
  readonly secret: string | undefined
}

export class Callers {
  readonly #ledger: CallersOptions['ledger']
  readonly #accountNews: CallersOptions['accountNews']
  readonly #rates: CallerRates
  readonly #badKeys: RateLimit
  /** Looks into the store for an address that has sent too many bad keys. */
  readonly #looks: RateLimit
  readonly #forwarded: CallersOptions['forwarded']

  constructor({ ledger, accountNews, rateLimits, limits, rates, forwarded }: CallersOptions) {
    this.#ledger = ledger
    this.#accountNews = accountNews
    this.#forwarded = forwarded
    this.#rates = rates
    this.#badKeys = rateLimits.open('bad-keys', limits.badKeysPerMinute, MINUTE_SECONDS)
    this.#looks = rateLimits.open('looks', 1, 1)
  }

  /**
   * Says whose request this is, and puts the rate that is nearest to its end into the answer's
   * headers.
   *
   * @throws {ServiceError} `invalid_api_key`, `rate_limit_exceeded`
   */
  async identify(request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    const forwarded = await this.#forwarded?.callerOf(request.raw)
    if (forwarded !== undefined && forwarded !== null) return forwarded
    const { caller, rate } = await this.identifyKey(presentedKey(request))
    setRateHeaders(rate, request, reply)
    return caller
  }

  /** @throws {ServiceError} `invalid_api_key`, `rate_limit_exceeded` */
  identifyKey(presented: PresentedKey): Promise<IdentifiedCaller> {
    return this.#rates.identify(presented.address, () => this.#authenticate(presented))
  }

  /**
   * Does the same on a route that is open to everybody: null when no key was sent. Then the address
   * alone is counted.
   */
  async identifyAnybody(request: FastifyRequest, reply: FastifyReply): Promise<Caller | null> {
    const forwarded = await this.#forwarded?.callerOf(request.raw)
    if (forwarded !== undefined) return forwarded
    const { authorization, 'x-api-key': key } = request.headers
    if (authorization !== undefined || key !== undefined) return this.identify(request, reply)
    setRateHeaders(await this.#rates.takeOfAddress(request.ip), request, reply)
    return null
  }

  /**
   * No key and every kind of wrong key get one and the same answer, so that nobody learns which
   * keys exist or existed.
   */
  async #authenticate({ address, secret }: PresentedKey): Promise<Caller> {
    if (secret === undefined) throw invalidKey()
    const known = await this.#knownCaller(secret)
    if (known !== undefined) return known
    const network = networkOf(address)
    await this.#refuseFlood(network)
    try {
      return await this.#ledger.authenticate(secret)
    } catch (cause) {
      if (!isInvalidKey(cause)) throw cause
      const use = await this.#badKeys.take(network)
      throw use.allowed ? invalidKey() : tooManyBadKeys(this.#badKeys, use)
    }
  }

  /** @returns undefined also for a key that memory knew, and that another process has revoked */
  async #knownCaller(secret: string): Promise<Caller | undefined> {
    const known = this.#ledger.knownCaller(secret)
    if (known === undefined || this.#accountNews?.mayBeOld(known.accountId) !== true) return known
    try {
      await this.#ledger.lookAgain(known.accountId)
    } catch (error) {
      // Memory goes on without the log: nothing runs, and nothing is paid for, before it is back.
      if (!(error instanceof ServiceError) || error.code !== 'store_unavailable') throw error
    }
    return this.#ledger.knownCaller(secret)
  }

  async #refuseFlood(network: string): Promise<void> {
    const use = await this.#badKeys.look(network)
    if (use.allowed) return
    const { allowed } = await this.#looks.take(network)
    if (!allowed) throw tooManyBadKeys(this.#badKeys, use)
  }
}

/**
 * Makes a hook `onRequest` that lets only callers with a valid key through, and notes who they are.
 */
export function authenticated(callers: Pick<Callers, 'identify'>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.caller = await callers.identify(request, reply)
  }
}

/** Makes a hook `onRequest` for a route that needs no key: a wrong one is refused all the same. */
export function open(callers: Pick<Callers, 'identifyAnybody'>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.caller = await callers.identifyAnybody(request, reply)
  }
}

/** The caller on a route behind {@link authenticated}. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error(`${request.url} is not behind authentication`)
  return request.caller
}

/** A key that is refused later, because it was revoked meanwhile, gets the very same answer. */
export function asKeyRefusal(cause: unknown): unknown {
  return isInvalidKey(cause) ? invalidKey() : cause
}

function presentedKey({ ip, raw }: FastifyRequest): PresentedKey {
  return { address: ip, secret: secretOf(raw.headers) }
}

/**
 * The key that was sent: in `Authorization: Bearer` or in `x-api-key`, on every route alike;
 * undefined when none can be one. An `Authorization` that brings no bearer is not of a key: it is
 * empty where a client's setting is, or of a proxy that has let its user in already.
 */
function secretOf(headers: IncomingHttpHeaders): string | undefined {
  const { authorization, 'x-api-key': key } = headers
  return plainSecret(bearerOf(authorization) ?? key)
}

function isInvalidKey(cause: unknown): boolean {
  return cause instanceof ServiceError && cause.code === 'invalid_api_key'
}

function invalidKey(): ServiceError {
  return new ServiceError(
    'invalid_api_key',
    'No valid API key was given. Send one as "Authorization: Bearer sk-svc-…" or as "x-api-key".',
  )
}

function tooManyBadKeys(rate: RateLimit, use: RateUse): ServiceError {
  const message = `At most ${counted(rate.limit, 'wrong API key')} can come in a minute from one address.`
  return limitExceeded(message, rate, use)
}
