/** The settings of a connection, in the form that the client's constructor takes. */
import { readFileSync } from 'node:fs'
import { ConnectionStringError } from './connection-options.ts'
import type { ConnectionSettings } from './connection-string.ts'

/** The time between two looks at the files of certificates. */
const LOOK_AGAIN_MS = 1_000

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

/** The files that the settings name: those of a client that runs may be replaced. */
export class CertificateFiles {
  readonly #paths: readonly string[]
  readonly #read: readonly string[]
  #lookedAt = performance.now()
  #haveChanged = false

  constructor({ options }: ConnectionSettings) {
    const { tlsCAFile, userCertFile, userKeyFile } = options
    this.#paths = [tlsCAFile, userCertFile, userKeyFile].filter((path) => path !== undefined)
    this.#read = this.#contents() ?? []
  }

  /** Whether they hold something else than at first; looked at once a second at most. */
  haveChanged(): boolean {
    const now = performance.now()
    if (this.#paths.length === 0 || now - this.#lookedAt < LOOK_AGAIN_MS) return this.#haveChanged
    this.#lookedAt = now
    const contents = this.#contents()
    this.#haveChanged = contents?.some((content, at) => content !== this.#read[at]) ?? false
    return this.#haveChanged
  }

  /**
   * What the files hold; undefined while one of them is missing, because they are being replaced.
   */
  #contents(): readonly string[] | undefined {
    try {
      return this.#paths.map((path) => readFileSync(path, 'latin1'))
    } catch {
      return undefined
    }
  }
}

/** Makes the client's settings: where to connect to, and how to look for it. */
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
