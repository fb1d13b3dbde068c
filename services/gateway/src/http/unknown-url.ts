/**
 * A path that is not there, in most cases because the base address of a client is wrong. Each
 * family of clients appends other tails to its base address, so each is told another one; a client
 * whose base address is right is told where the API is described instead.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { ClientFamily } from './client-family.ts'

const SHOWN_PATH_CHARACTERS = 128

/** What clients of each family append to their base address. */
const OPENAI_TAIL =
  /\/(?:chat\/completions|responses|models|completions|embeddings)(?:\/[^/]+)?\/*$/
const ANTHROPIC_TAIL = /(?:\/v1)?\/(?:messages(?:\/[a-z_]+)?|models)\/*$/
/** Which only clients of the Messages format append. */
const MESSAGES_TAIL = /\/messages(?:\/count_tokens)?\/*$/

export interface UnknownTarget {
  readonly method: string
  readonly path: string
  /** As the headers and the path of the request tell it. */
  readonly family: ClientFamily
  /** The address of this service without `/v1`, as clients reach it. */
  readonly rootUrl: string
}

export function unknownUrl({ method, path, family, rootUrl }: UnknownTarget): ServiceError {
  const shown = path.slice(0, SHOWN_PATH_CHARACTERS)
  const isMessages = family === 'anthropic' || MESSAGES_TAIL.test(path)
  const advice = isRightBase(usedBase(path, isMessages), isMessages)
    ? `The API is described at ${rootUrl}/docs.`
    : `Set the base URL of your client to ${rootUrl}${isMessages ? '' : '/v1'}.`
  return new ServiceError('unknown_url', `There is no ${method} ${shown} here. ${advice}`)
}

/** The part of the path that stands in the base address of the client, where that can be told. */
function usedBase(path: string, isMessages: boolean): string | undefined {
  const tail = (isMessages ? ANTHROPIC_TAIL : OPENAI_TAIL).exec(path)
  if (tail !== null) return path.slice(0, tail.index)
  if (isMessages) return /^\/v1(?:\/|$)/.test(path) ? '' : undefined
  return /^(?:\/pro)?\/v1(?=\/|$)/.exec(path)?.[0]
}

function isRightBase(base: string | undefined, isMessages: boolean): boolean {
  return isMessages ? base === '' : base === '/v1' || base === '/pro/v1'
}
