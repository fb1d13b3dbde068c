/**
 * The address of an EventStoreDB server or cluster, as people write it:
 *
 *     esdb://USER:PASSWORD@host:2113?tls=true        one node
 *     esdb://a:2113,b:2113,c:2113                    the nodes of a cluster
 *     esdb+discover://cluster.example:2113           one name that knows the cluster
 *
 * It is read here and not by the client, which prints the whole string, password and all, when it
 * meets an option that it does not know, and which ignores two options that people rely on. No
 * message of this file repeats what stands before the `@`.
 */
import { isIP } from 'node:net'
import { type ConnectionOptions, ConnectionStringError, readOptions } from './connection-options.ts'

const DEFAULT_PORT = 2113
const HOSTS_MAX = 32

export interface Host {
  readonly address: string
  readonly port: number
}

export interface ConnectionSettings {
  readonly hosts: readonly [Host, ...Host[]]
  /** Whether the first host is a name that knows the nodes, and is asked for them. */
  readonly discover: boolean
  readonly credentials: { readonly username: string; readonly password: string } | undefined
  readonly options: ConnectionOptions
}

/** @throws {ConnectionStringError} */
export function parseConnectionString(url: string): ConnectionSettings {
  const parts = /^esdb(?<discover>\+discover)?:\/\/(?<rest>.*)$/s.exec(url.trim())?.groups
  if (parts?.rest === undefined) {
    throw new ConnectionStringError('it must begin with esdb:// or esdb+discover://')
  }
  const [authority = '', query = '', ...more] = parts.rest.split('?')
  if (more.length > 0 || query.includes('@')) throw unencoded()
  const at = authority.lastIndexOf('@')
  const hosts = readHosts(authority.slice(at + 1).replace(/\/+$/, ''))
  const isCluster = hosts.length > 1 || parts.discover !== undefined
  const options = readOptions(query.replace(/\/+$/, ''), { isCluster })
  // Node.js sends no IP address as the name of a server, and the client no other than this.
  if (options.tls && hosts.some(({ address }) => isIP(address) !== 0)) {
    throw new ConnectionStringError('with TLS a host must be given by its name, not its IP address')
  }
  return {
    hosts,
    discover: parts.discover !== undefined,
    credentials: at === -1 ? undefined : readCredentials(authority.slice(0, at)),
    options,
  }
}

/** Says where the server is, for messages: without user and password. */
export function hostsText({ hosts }: ConnectionSettings): string {
  return hosts.map(({ address, port }) => `${address}:${port}`).join(',')
}

function readHosts(text: string): [Host, ...Host[]] {
  const [first, ...others] = text.split(',').map(readHost)
  if (first === undefined || others.length >= HOSTS_MAX) {
    throw new ConnectionStringError(`it must name 1 to ${HOSTS_MAX} hosts`)
  }
  return [first, ...others]
}

function readHost(text: string): Host {
  const [, address, port] = /^\s*([\w.-]+)(?::(\d{1,5}))?\s*$/.exec(text) ?? []
  const number = port === undefined ? DEFAULT_PORT : Number(port)
  if (address === undefined || number < 1 || number > 65_535) {
    throw new ConnectionStringError('each host must be written as name or name:port')
  }
  return { address, port: number }
}

function readCredentials(text: string): { username: string; password: string } {
  const [username, password, ...more] = text.split(':')
  if (!username || !password || more.length > 0 || text.includes('@')) {
    throw unencoded()
  }
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    throw new ConnectionStringError('a "%" in user or password must be written as %25')
  }
}

function unencoded(): ConnectionStringError {
  return new ConnectionStringError(
    'user and password must be written as user:password@, with ":", "@", "/" and "?" in them ' +
      'percent-encoded',
  )
}
