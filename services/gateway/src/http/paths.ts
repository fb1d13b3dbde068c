/** The paths of requests: which are known, which is meant, and the error of an unknown one. */
import { ServiceError } from '@svc/contracts/errors'
import type { ClientFamily } from './client-family.ts'

interface KnownPath {
  readonly pattern: RegExp
  readonly methods: Set<string>
}

const SHOWN_PATH_CHARACTERS = 128

/** What clients of each family append to their base address. */
const OPENAI_TAIL =
  /\/(?:chat\/completions|responses|models|completions|embeddings)(?:\/[^/]+)?\/*$/
const ANTHROPIC_TAIL = /(?:\/v1)?\/(?:messages(?:\/[a-z_]+)?|models)\/*$/
/** Matches what only clients of the Messages format append. */
const MESSAGES_TAIL = /\/messages(?:\/count_tokens)?\/*$/
/** What clients append to a base address; the tails of the three formats. */
const TAIL = /^(?:chat\/completions|responses|messages|models|completions|embeddings)(?:[/?]|$)/
const ADMIN_PATH = /^\/admin(?:\/|$)/
const ADMIN_ADVICE =
  '/docs describes the admin API. SVC_ADMIN_ADDRESS puts it on an address of its own.'
const PREFIX = /^\/(pro\/)?(?:v1\/)*/

/**
 * Mends a path. Many clients have `/v1` twice in their base address, or not at all. Where only one
 * path can be meant, that path is served.
 * @param target a path with its query
 */
export function normalizedPath(target: string): string {
  const [prefix = '', pro = ''] = PREFIX.exec(target) ?? []
  const rest = target.slice(prefix.length)
  return prefix !== '' && TAIL.test(rest) ? `/${pro}v1/${rest}` : target
}

/**
 * Knows the methods of each path, so that a wrong method (405) can be told from a wrong path (404).
 */
export class KnownPaths {
  readonly #paths = new Map<string, KnownPath>()

  /** @param url a route such as `/v1/requests/:id` */
  add(url: string, methods: string | readonly string[]): void {
    const known = this.#paths.get(url) ?? { pattern: patternOf(url), methods: new Set() }
    for (const method of [methods].flat()) known.methods.add(method)
    this.#paths.set(url, known)
  }

  /**
   * The methods of a path, sorted; none when the path is unknown. A path can be that of two routes,
   * such as `/v1/responses/compact`: that of a POST, and of a response that could be called so.
   */
  methodsOf(path: string): readonly string[] {
    const known = [...this.#paths.values()].filter(({ pattern }) => pattern.test(path))
    return [...new Set(known.flatMap(({ methods }) => [...methods]))].sort()
  }
}

/**
 * Letters, digits and marks that no client encodes. The router decodes them, and a proxy in front
 * that keeps paths from strangers may not, so such a path is nobody's.
 */
const ENCODED_PLAIN = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/i

/** Whether a path is written so that two readers can take it for two paths. */
export function isDisguised(path: string): boolean {
  return ENCODED_PLAIN.test(path)
}

/** The path of a request target, also when that is a whole URL. */
export function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0] || '/'
}

function patternOf(url: string): RegExp {
  const steps = url.split('/').map((step) => {
    if (step.startsWith(':')) return '[^/]+'
    return step === '*' ? '.+' : step.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${steps.join('/')}$`)
}

export interface UnknownTarget {
  readonly method: string
  readonly path: string
  /** Read from the headers and the path of the request. */
  readonly family: ClientFamily
  /** The address of this service without `/v1`, as clients reach it. */
  readonly rootUrl: string
}

/**
 * The error of a path that is not there, in most cases because the base address of a client is
 * wrong. Each family of clients appends other tails to its base address, so the advice differs; a
 * client whose base address is right is referred to the description of the API.
 */
export function unknownUrl({ method, path, family, rootUrl }: UnknownTarget): ServiceError {
  const shown = path.slice(0, SHOWN_PATH_CHARACTERS)
  const missing = `There is no ${method} ${shown} here.`
  if (ADMIN_PATH.test(path)) return new ServiceError('unknown_url', `${missing} ${ADMIN_ADVICE}`)
  const isMessages = family === 'anthropic' || MESSAGES_TAIL.test(path)
  const advice = isRightBase(usedBase(path, isMessages), isMessages)
    ? `The API is described at ${rootUrl}/docs.`
    : `Set the base URL of your client to ${rootUrl}${isMessages ? '' : '/v1'}.`
  return new ServiceError('unknown_url', `${missing} ${advice}`)
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
