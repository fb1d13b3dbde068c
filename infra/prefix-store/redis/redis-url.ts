/**
 * The address of a Redis, as people write it:
 *
 *     redis://host:6379                       redis://USER:PASSWORD@host:6379/2
 *     rediss://host:6380                      with TLS; Node.js must trust the certificate
 *     /run/redis/redis.sock                   a unix socket
 *     unix://USER:PASSWORD@/run/redis.sock?db=2
 *
 * No message of this file repeats anything of the address: it may hold a password anywhere.
 */
const DEFAULT_PORT = 6379
const DATABASE_MAX = 65_535
const SCHEMES = ['redis:', 'rediss:', 'unix:']
/** Stands where a unix socket has no host: a URL with a user must have one. */
const NO_HOST = 'unix.socket'

export interface RedisAddress {
  readonly at: { readonly host: string; readonly port: number } | { readonly path: string }
  readonly isTls: boolean
  readonly username: string | undefined
  readonly password: string | undefined
  readonly database: number
}

export type ReadRedisUrl =
  | { readonly ok: true; readonly address: RedisAddress }
  /** Says what to write, and holds no password. */
  | { readonly ok: false; readonly message: string }

const wrongForm =
  'it must be written as redis://USER:PASSWORD@host:6379/0, rediss:// with TLS, or the path of a ' +
  'unix socket; ":", "@", "/", "?" and "#" in user and password must be percent-encoded'

export function readRedisUrl(text: string): ReadRedisUrl {
  const trimmed = text.trim()
  const url = parse(trimmed)
  if (url === undefined || !SCHEMES.includes(url.protocol) || url.hash !== '') {
    return refused(wrongForm)
  }
  const at = url.protocol === 'unix:' ? socketOf(url) : hostOf(url)
  const database = databaseOf(url)
  const username = decoded(url.username)
  const password = decoded(url.password)
  if (at === undefined || username === undefined || password === undefined) {
    return refused(wrongForm)
  }
  if (database === undefined) {
    return refused(`the database must be a number from 0 to ${DATABASE_MAX}, and no option else`)
  }
  if (username !== '' && password === '') return refused('a user needs a password')
  const isTls = url.protocol === 'rediss:'
  return {
    ok: true,
    address: {
      at,
      isTls,
      username: username === '' ? undefined : username,
      password: password === '' ? undefined : password,
      database,
    },
  }
}

/** Says where the server is, for messages: without user and password. */
export function addressText({ at }: RedisAddress): string {
  return 'path' in at ? at.path : `${at.host}:${at.port}`
}

function parse(text: string): URL | undefined {
  const full = text
    .replace(/^\//, 'unix:///')
    .replace(/^unix:\/\/([^/]*@)?\//, `unix://$1${NO_HOST}/`)
  return URL.canParse(full) ? new URL(full) : undefined
}

function hostOf({ hostname, port }: URL): RedisAddress['at'] | undefined {
  // An IPv6 address stands in brackets in a URL, and nowhere else.
  const host = decoded(hostname.replace(/^\[(.*)\]$/, '$1'))
  if (host === undefined || !/^[\w.:-]+$/.test(host)) return undefined
  return { host, port: port === '' ? DEFAULT_PORT : Number(port) }
}

function socketOf({ hostname, pathname }: URL): RedisAddress['at'] | undefined {
  const path = decoded(pathname)
  return hostname === NO_HOST && path !== undefined && path.length > 1 ? { path } : undefined
}

/** @returns undefined when it is none, or when there are options that would have no effect */
function databaseOf({ protocol, pathname, searchParams }: URL): number | undefined {
  const named = searchParams.get('db')
  const isPlain = searchParams.size === (named === null ? 0 : 1)
  const written = protocol === 'unix:' ? '' : pathname.replace(/^\//, '')
  const text = written || (named ?? '0')
  const isOne = isPlain && (written === '' || named === null) && /^\d{1,5}$/.test(text)
  return isOne && Number(text) <= DATABASE_MAX ? Number(text) : undefined
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function refused(message: string): ReadRedisUrl {
  return { ok: false, message }
}
