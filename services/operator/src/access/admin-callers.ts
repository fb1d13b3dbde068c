/**
 * Who calls the admin API: the holder of the root token, or of an admin token.
 *
 *     address ──▶ secret known to memory? ──no──▶ too many bad ones from here? ──no──▶ the store
 *                         │yes                              │yes: one look a second, else 429
 *                         └──────▶ still in force? ──▶ its role
 *
 * Whoever holds a good token is never refused because of others behind the same address.
 */

import { type Caller, rootCaller } from '@svc/contracts/admin/caller'
import { counted } from '@svc/contracts/counted'
import { ServiceError } from '@svc/contracts/errors'
import { tokenActor } from '@svc/contracts/events/actors'
import {
  limitExceeded,
  type RateLimit,
  type RateLimits,
  type RateUse,
} from '@svc/contracts/ports/rate-limits'
import { within } from '@svc/contracts/ports/within'
import { bearerOf, bearsSecret, plainSecret } from '@svc/infra/http/bearer'
import { networkOf } from '@svc/infra/system/network'
import { systemTimer } from '@svc/infra/system/system-timer'
import type { AdminToken, AdminTokens } from './admin-tokens.ts'

const MINUTE_SECONDS = 60
/** Prometheus gives a whole scrape 10 s, and a log that hangs takes half of that to be given up. */
const METRICS_WAIT_MS = 1_000

export interface AdminCallersOptions {
  /** The root token of the first start: it opens everything, for recovery. */
  readonly rootToken: string
  readonly adminTokens: Pick<AdminTokens, 'isKnown' | 'inForce' | 'isStillInForce' | 'lastKnown'>
  readonly rateLimits: RateLimits
  /** The number of wrong tokens that are looked at in a minute from one address. */
  readonly badTokensPerMinute: number
}

export class AdminCallers {
  readonly #rootToken: string
  readonly #adminTokens: AdminCallersOptions['adminTokens']
  readonly #badTokens: RateLimit
  /** Looks into the store for an address that has sent too many bad tokens. */
  readonly #looks: RateLimit

  constructor({ rootToken, adminTokens, rateLimits, badTokensPerMinute }: AdminCallersOptions) {
    this.#rootToken = rootToken
    this.#adminTokens = adminTokens
    this.#badTokens = rateLimits.open('bad-admin-tokens', badTokensPerMinute, MINUTE_SECONDS)
    this.#looks = rateLimits.open('admin-looks', 1, 1)
  }

  /**
   * No token and every kind of wrong token get one and the same answer, so that nobody learns which
   * tokens exist or existed.
   *
   * @throws {ServiceError} `invalid_api_key`, `rate_limit_exceeded`, `store_unavailable`
   */
  async identify(authorization: string | undefined, address: string): Promise<Caller> {
    if (bearsSecret(authorization, this.#rootToken)) return rootCaller
    const secret = plainSecret(bearerOf(authorization))
    if (secret === undefined) throw badToken()
    const network = networkOf(address)
    if (!this.#adminTokens.isKnown(secret)) await this.#refuseFlood(network)
    const token = await this.#adminTokens.inForce(secret)
    if (token !== undefined) return callerBy(token)
    const use = await this.#badTokens.take(network)
    throw use.allowed ? badToken() : tooMany(this.#badTokens, use)
  }

  /**
   * Identifies who may read metrics, as {@link identify} does, but believes what was last known of
   * a token when the log does not say in time how it stands: metrics are needed most while the log
   * is away, and tell nothing of customers.
   */
  async identifyForMetrics(authorization: string | undefined, address: string): Promise<Caller> {
    const secret = plainSecret(bearerOf(authorization))
    const known = secret === undefined ? undefined : this.#adminTokens.lastKnown(secret)
    const identified = this.identify(authorization, address)
    if (known === undefined) return identified
    const believed = identified.catch((error) => {
      if (error instanceof ServiceError && error.code === 'store_unavailable')
        return callerBy(known)
      throw error
    })
    return within(systemTimer, METRICS_WAIT_MS, believed, callerBy(known))
  }

  /** @throws {ServiceError} when the token has ended meanwhile */
  async requireStill({ tokenId }: Caller): Promise<void> {
    if (tokenId === null || (await this.#adminTokens.isStillInForce(tokenId))) return
    throw badToken()
  }

  async #refuseFlood(network: string): Promise<void> {
    const use = await this.#badTokens.look(network)
    if (use.allowed) return
    const { allowed } = await this.#looks.take(network)
    if (!allowed) throw tooMany(this.#badTokens, use)
  }
}

function callerBy({ name, role, tokenId }: AdminToken): Caller {
  return { actor: tokenActor(name), role, tokenId }
}

function badToken(): ServiceError {
  return new ServiceError(
    'invalid_api_key',
    'The admin token is missing, wrong, expired or revoked. ' +
      'Send one as "Authorization: Bearer svc-admin-…".',
  )
}

function tooMany(rate: RateLimit, use: RateUse): ServiceError {
  const message = `At most ${counted(rate.limit, 'wrong admin token')} can come in a minute from one address.`
  return limitExceeded(message, rate, use)
}
