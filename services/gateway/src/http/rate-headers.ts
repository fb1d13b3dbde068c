/** How much may be asked for, in the headers that the clients of each family read. */
import type { RateState } from '@svc/contracts/errors'
import type { ClientFamily } from './client-family.ts'

const MINUTE_SECONDS = 60

export function rateHeaders(family: ClientFamily, rate: RateState): Record<string, string> {
  const { limit, remaining, resetSeconds } = rate
  if (family === 'anthropic') {
    return {
      'anthropic-ratelimit-requests-limit': String(limit),
      'anthropic-ratelimit-requests-remaining': String(remaining),
      'anthropic-ratelimit-requests-reset': resetTime(resetSeconds),
    }
  }
  return {
    'x-ratelimit-limit-requests': String(limit),
    'x-ratelimit-remaining-requests': String(remaining),
    'x-ratelimit-reset-requests': durationText(resetSeconds),
  }
}

/** RFC 3339, in whole seconds. */
function resetTime(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** Such as `12s` or `6m0s`. */
function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / MINUTE_SECONDS)
  const rest = `${seconds % MINUTE_SECONDS}s`
  return minutes === 0 ? rest : `${minutes}m${rest}`
}
