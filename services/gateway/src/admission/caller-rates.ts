/**
 * How often a caller may ask, whoever says who that is: a key, or a session. The rates of an
 * account are one for all that ask for it.
 */
import { counted } from '@svc/contracts/counted'
import type { RateState } from '@svc/contracts/errors'
import {
  limitExceeded,
  type RateLimit,
  type RateLimits,
  type RateUse,
} from '@svc/contracts/ports/rate-limits'
import { networkOf } from '@svc/infra/system/network'
import type { Caller } from '@svc/ledger/ledger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientFamilyOf, rateHeaders } from '../http/client-family.ts'
import type { HttpLimits } from '../http/limits.ts'

const MINUTE_SECONDS = 60
const SECOND_MS = 1_000

/** Who calls, and the rate that is nearest to its end, where there is any. */
export interface IdentifiedCaller {
  readonly caller: Caller
  readonly rate: RateState | undefined
}

export class CallerRates {
  readonly #perKey: RateLimit | undefined
  readonly #perAccount: RateLimit | undefined
  readonly #perAddress: RateLimit | undefined

  constructor({ rateLimits, limits }: { rateLimits: RateLimits; limits: HttpLimits }) {
    const perMinute = (kind: string, limit: number) =>
      limit === 0 ? undefined : rateLimits.open(kind, limit, MINUTE_SECONDS)
    this.#perKey = perMinute('key', limits.requestsPerMinutePerKey)
    this.#perAccount = perMinute('account', limits.requestsPerMinutePerAccount)
    this.#perAddress = perMinute('address', limits.requestsPerMinutePerAddress)
  }

  /**
   * @param address from which the request came
   * @param authenticate says whose request it is; it is asked when the address may ask at all
   * @throws {ServiceError} `rate_limit_exceeded`, and what `authenticate` throws
   */
  async identify(address: string, authenticate: () => Promise<Caller>): Promise<IdentifiedCaller> {
    const ofAddress = await take(this.#perAddress, () => networkOf(address), 'address')
    const caller = await authenticate()
    const uses = [
      ofAddress,
      await take(this.#perAccount, () => caller.accountId, 'account'),
      await take(this.#perKey, () => caller.keyId, 'key'),
    ]
    return { caller, rate: nearestToItsEnd(uses) }
  }

  /** Counts a request of somebody who sends no key. @throws {ServiceError} `rate_limit_exceeded` */
  async takeOfAddress(address: string): Promise<RateState | undefined> {
    return nearestToItsEnd([await take(this.#perAddress, () => networkOf(address), 'address')])
  }
}

interface Use extends RateUse {
  readonly limit: number
}

/** @throws {ServiceError} `rate_limit_exceeded` */
async function take(
  rate: RateLimit | undefined,
  nameOf: () => string,
  whose: string,
): Promise<Use | undefined> {
  if (rate === undefined) return undefined
  const use = await rate.take(nameOf())
  if (use.allowed) return { ...use, limit: rate.limit }
  const message = `At most ${counted(rate.limit, 'request')} of one ${whose} can come in a minute.`
  throw limitExceeded(message, rate, use)
}

function nearestToItsEnd(uses: readonly (Use | undefined)[]): RateState | undefined {
  const [nearest] = uses
    .filter((use) => use !== undefined)
    .sort((one, other) => one.remaining / one.limit - other.remaining / other.limit)
  if (nearest === undefined) return undefined
  const { limit, remaining, resetMs } = nearest
  return { limit, remaining, resetSeconds: Math.ceil(resetMs / SECOND_MS) }
}

/** On the raw response, so that streams carry it too. */
export function setRateHeaders(
  rate: RateState | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (rate === undefined) return
  const headers = rateHeaders(clientFamilyOf(request.raw), rate)
  for (const [name, value] of Object.entries(headers)) reply.raw.setHeader(name, value)
}
