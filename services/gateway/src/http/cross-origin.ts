/**
 * Lets pages of other origins call the API from a browser, by the rules of CORS in the Fetch
 * standard (https://fetch.spec.whatwg.org/#http-cors-protocol). A page sends its key itself and
 * never a cookie, because no answer allows credentials. The dashboard, which has cookies, and the
 * operator's API take no part.
 */
import type { IncomingMessage } from 'node:http'
import { ADMIN_PREFIX } from '@svc/contracts/admin/declaration'

const ANY = '*'
const PAGES = '/dashboard'
/** How long a browser remembers what it may send. None remembers it for longer. */
const PREFLIGHT_SECONDS = '7200'

type Headers = Readonly<Record<string, string>>

export class CrossOrigin {
  readonly #origins: ReadonlySet<string>

  /** @param origins such as `https://chat.example.com`; `*` stands for all; none shares nothing */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase()))
  }

  /** By which the page that asks may read the answer; undefined when it may not. */
  headersFor({ headers, url = '' }: IncomingMessage): Headers | undefined {
    const { origin } = headers
    if (origin === undefined || this.#origins.size === 0) return undefined
    if (url.startsWith(ADMIN_PREFIX) || url.startsWith(PAGES)) return undefined
    // Without credentials the wildcard names every header of ours.
    const exposed = { 'access-control-expose-headers': '*' }
    if (this.#origins.has(ANY)) return { 'access-control-allow-origin': ANY, ...exposed }
    if (!this.#origins.has(origin.toLowerCase())) return undefined
    return { 'access-control-allow-origin': origin, vary: 'origin', ...exposed }
  }
}

/** Whether a browser asks what the page may send, before it sends it. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}

/** @param methods that the path takes */
export function preflightHeaders(methods: readonly string[]): Headers {
  return {
    'access-control-allow-methods': methods.join(', '),
    // The wildcard stands for every header but that one.
    'access-control-allow-headers': 'authorization, *',
    'access-control-max-age': PREFLIGHT_SECONDS,
  }
}
