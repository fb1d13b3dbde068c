/** What stands behind the `?` of a connection string, with our defaults for what is left out. */

/** A dead connection is noticed after their sum; the client warns of an interval below this one. */
const KEEP_ALIVE_INTERVAL_MS = 10_000
const KEEP_ALIVE_TIMEOUT_MS = 5_000
/** A frozen node of a cluster delays the search for a live one by this long. */
const GOSSIP_TIMEOUT_SECONDS = 2
/**
 * A client that gives up searching fails every later append at once, so it searches for minutes:
 * our own timers tell the caller before.
 */
const DISCOVER_ATTEMPTS_MAX = 1_000
const DISCOVERY_INTERVAL_MS = 500

/** The address is not understood. The message says what to write, and holds no password. */
export class ConnectionStringError extends Error {
  override readonly name = 'ConnectionStringError'
}

export interface ConnectionOptions {
  readonly tls: boolean
  readonly tlsCAFile: string | undefined
  readonly userCertFile: string | undefined
  readonly userKeyFile: string | undefined
  readonly connectionName: string | undefined
  readonly nodePreference: NodePreference
  readonly keepAliveInterval: number
  readonly keepAliveTimeout: number
  readonly gossipTimeout: number
  readonly maxDiscoverAttempts: number
  readonly discoveryInterval: number
  readonly defaultDeadline: number | undefined
  /** Who encodes appends and page reads: svc itself, or the client of the server's makers. */
  readonly encoding: Encoding
}

const nodePreferences = ['leader', 'follower', 'read_only_replica', 'random'] as const
export type NodePreference = (typeof nodePreferences)[number]

const encodings = ['own', 'library'] as const
export type Encoding = (typeof encodings)[number]

/** Options that would be ignored, or that would break what this store promises. */
const refused: Readonly<Record<string, string>> = {
  tlsverifycert: 'tlsVerifyCert has no effect: name the certificate authority with tlsCAFile=',
  throwonappendfailure: 'throwOnAppendFailure must stay true: leave it out',
}

const known = [
  'tls',
  'tlsCAFile',
  'userCertFile',
  'userKeyFile',
  'connectionName',
  'nodePreference',
  'keepAliveInterval',
  'keepAliveTimeout',
  'gossipTimeout',
  'maxDiscoverAttempts',
  'discoveryInterval',
  'defaultDeadline',
  'encoding',
] as const
type OptionName = (typeof known)[number]
const byFlatName = new Map<string, OptionName>(known.map((name) => [flat(name), name]))

/** @throws {ConnectionStringError} */
export function readOptions(
  query: string,
  { isCluster }: { isCluster: boolean },
): ConnectionOptions {
  const given = readPairs(query)
  const number = (name: OptionName, fallback: number): number => {
    const value = given.get(name)
    return value === undefined ? fallback : integer(name, value)
  }
  const deadline = given.get('defaultDeadline')
  const options = {
    tls: readTls(given.get('tls')),
    tlsCAFile: given.get('tlsCAFile'),
    userCertFile: given.get('userCertFile'),
    userKeyFile: given.get('userKeyFile'),
    connectionName: given.get('connectionName'),
    nodePreference: readNodePreference(given.get('nodePreference')),
    keepAliveInterval: number('keepAliveInterval', KEEP_ALIVE_INTERVAL_MS),
    keepAliveTimeout: number('keepAliveTimeout', KEEP_ALIVE_TIMEOUT_MS),
    gossipTimeout: number('gossipTimeout', GOSSIP_TIMEOUT_SECONDS),
    maxDiscoverAttempts: number('maxDiscoverAttempts', isCluster ? DISCOVER_ATTEMPTS_MAX : 1),
    discoveryInterval: number('discoveryInterval', DISCOVERY_INTERVAL_MS),
    defaultDeadline: deadline === undefined ? undefined : integer('defaultDeadline', deadline),
    encoding: readEncoding(given.get('encoding')),
  }
  if ((options.userCertFile === undefined) !== (options.userKeyFile === undefined)) {
    throw new ConnectionStringError('userCertFile and userKeyFile need each other')
  }
  return options
}

function readPairs(query: string): Map<OptionName, string> {
  const given = new Map<OptionName, string>()
  for (const pair of query === '' ? [] : query.split('&')) {
    const [key = '', value = '', ...more] = pair.split('=')
    const name = byFlatName.get(flat(key))
    const reason = refused[flat(key)]
    if (reason !== undefined && value !== 'true') throw new ConnectionStringError(reason)
    if (reason !== undefined) continue
    if (name === undefined) throw new ConnectionStringError(`the option "${key}" is not known`)
    if (value === '' || more.length > 0) {
      throw new ConnectionStringError(`the option ${name} must be written as ${name}=VALUE`)
    }
    given.set(name, decoded(name, value.trim()))
  }
  return given
}

function decoded(name: OptionName, value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    throw new ConnectionStringError(`a "%" in ${name} must be written as %25`)
  }
}

function readTls(value: string | undefined): boolean {
  if (value !== undefined && value !== 'true' && value !== 'false') {
    throw new ConnectionStringError('tls must be true or false')
  }
  return value !== 'false'
}

function readNodePreference(value: string | undefined): NodePreference {
  if (value === undefined) return 'leader'
  const found = nodePreferences.find((preference) => flat(preference) === flat(value))
  if (found !== undefined) return found
  throw new ConnectionStringError(`nodePreference must be one of ${nodePreferences.join(', ')}`)
}

function readEncoding(value = 'own'): Encoding {
  const found = encodings.find((encoding) => encoding === value)
  if (found !== undefined) return found
  throw new ConnectionStringError(`encoding must be one of ${encodings.join(', ')}`)
}

/** Reads a whole number. -1 switches a keepalive off; nothing else is below 1. */
function integer(name: OptionName, value: string): number {
  const number = /^-?\d{1,9}$/.test(value) ? Number(value) : Number.NaN
  const least = name.startsWith('keepAlive') ? -1 : 1
  if (number >= least && number !== 0) return number
  throw new ConnectionStringError(`${name} must be a whole number above 0`)
}

function flat(name: string): string {
  return name.trim().toLowerCase().replace(/[_-]/g, '')
}
