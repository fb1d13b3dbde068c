/** The address that a server listens on, as the host of a URL that reaches it from here. */

/** An IPv6 address stands in brackets in a URL; "every address" is reached through loopback. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
