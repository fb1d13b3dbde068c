/** Where the operator's API listens: on loopback, unless it is put elsewhere. */
import { isIPv4, isIPv6 } from 'node:net'

const ADDRESS = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/
const PORT_MAX = 65_535

export interface AdminAddress {
  readonly host: string
  readonly port: number
}

/** @param text such as `127.0.0.1:9091` or `[::1]:9091`; port 0 takes a free one */
export function readAdminAddress(text: string): AdminAddress | undefined {
  const [, ipv6, name, port] = ADDRESS.exec(text) ?? []
  const host = ipv6 ?? name
  if (host === undefined || Number(port) > PORT_MAX) return undefined
  return ipv6 === undefined || isIPv6(ipv6) ? { host, port: Number(port) } : undefined
}

/**
 * @param host where the customers' API listens
 * @returns undefined when the operator's API can share it, because only this machine reaches it
 */
export function adminListenAt(
  host: string,
  given: AdminAddress | undefined,
): AdminAddress | undefined {
  return given ?? (isLoopback(host) ? undefined : { host: '127.0.0.1', port: 0 })
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}
