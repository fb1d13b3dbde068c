/** Requests to a provider: with a bound on what it answers, and a mark on one that is away. */
import { bytesWithin } from '@svc/infra/system/bounded-bytes'
import type { CustomFetch } from 'openid-client'

const ANSWER_BYTES_MAX = 1024 * 1024
const SERVER_ERROR = 500
const CAUSES_MAX = 10

class ProviderAway extends Error {
  override readonly name = 'ProviderAway'
}

export const boundedFetch: CustomFetch = async (url, options) => {
  try {
    const response = await fetch(url, options as RequestInit)
    if (response.status >= SERVER_ERROR) throw new Error(`it answered ${response.status}`)
    const body = await bodyOf(response)
    return new Response(body.length === 0 ? null : body, response)
  } catch (cause) {
    throw new ProviderAway(`no answer from ${new URL(url).origin}`, { cause })
  }
}

/** Whether an error of the client comes from a request that got no answer. */
export function isProviderAway(error: unknown): boolean {
  let cause = error
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth += 1) {
    if (cause instanceof ProviderAway) return true
    cause = cause.cause
  }
  return false
}

async function bodyOf({ body }: Response): Promise<Buffer<ArrayBuffer>> {
  const bytes = await bytesWithin(ANSWER_BYTES_MAX, body ?? [])
  if (bytes !== undefined) return bytes
  throw new Error(`it answers more than ${ANSWER_BYTES_MAX} bytes`)
}
