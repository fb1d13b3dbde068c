/** The address to give to a client, as the caller reached us. */
import type { FastifyRequest } from 'fastify'

const HOST = /^[A-Za-z0-9.:[\]_-]{1,255}$/

/** Without `/v1`, and without a slash at its end; without a usable Host header, our own address. */
export function rootUrlOf({ protocol, raw }: Pick<FastifyRequest, 'protocol' | 'raw'>): string {
  const { host } = raw.headers
  const address = host !== undefined && HOST.test(host) ? host : localAddress(raw.socket)
  return `${protocol}://${address}`
}

function localAddress({ localAddress = '127.0.0.1', localPort }: FastifyRequest['socket']): string {
  const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress
  return `${host}:${localPort}`
}
