/** The settings of a connection, in the form that the client's constructor takes. */
import { readFileSync } from 'node:fs'
import { ConnectionStringError } from './connection-options.ts'
import type { ConnectionSettings } from './connection-string.ts'

export interface ChannelCredentials {
  readonly insecure: boolean
  readonly rootCertificate?: Buffer
  readonly userCertFile?: Buffer
  readonly userKeyFile?: Buffer
}

/** @throws {ConnectionStringError} when a named file cannot be read */
export function channelCredentialsOf({ options }: ConnectionSettings): ChannelCredentials {
  if (!options.tls) return { insecure: true }
  const { tlsCAFile, userCertFile, userKeyFile } = options
  return {
    insecure: false,
    ...(tlsCAFile !== undefined && { rootCertificate: read('tlsCAFile', tlsCAFile) }),
    ...(userCertFile !== undefined && { userCertFile: read('userCertFile', userCertFile) }),
    ...(userKeyFile !== undefined && { userKeyFile: read('userKeyFile', userKeyFile) }),
  }
}

/** Where to connect to, and how to look for it. */
export function clientSettingsOf({ hosts, discover, options }: ConnectionSettings) {
  const { connectionName, defaultDeadline } = options
  return {
    ...addressOf(hosts, discover),
    throwOnAppendFailure: true,
    keepAliveInterval: options.keepAliveInterval,
    keepAliveTimeout: options.keepAliveTimeout,
    nodePreference: options.nodePreference,
    gossipTimeout: options.gossipTimeout,
    maxDiscoverAttempts: options.maxDiscoverAttempts,
    discoveryInterval: options.discoveryInterval,
    ...(connectionName !== undefined && { connectionName }),
    ...(defaultDeadline !== undefined && { defaultDeadline }),
  }
}

function addressOf(hosts: ConnectionSettings['hosts'], discover: boolean) {
  const endpoints = hosts.map((host) => ({ ...host }))
  const [endpoint] = hosts
  if (discover) return { discover: { ...endpoint } }
  return endpoints.length > 1 ? { endpoints } : { endpoint: { ...endpoint } }
}

function read(option: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new ConnectionStringError(`the file of ${option} cannot be read: ${path}`, { cause })
  }
}
