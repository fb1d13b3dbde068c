/** The address to give to a client, as the caller reached us. */
import type { FastifyRequest } from 'fastify'

const HOST = /^[A-Za-z0-9.:[\]_-]{1,255}$/

/** The base URL for OpenAI clients; without a usable Host header, of our own address. */
export function baseUrlOf({ protocol, raw }: Pick<FastifyRequest, 'protocol' | 'raw'>): string {
  const { host } = raw.headers
  const address = host !== undefined && HOST.test(host) ? host : localAddress(raw.socket)
  return `${protocol}://${address}/v1`
}

function localAddress({ localAddress = '127.0.0.1', localPort }: FastifyRequest['socket']): string {
  const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress
  return `${host}:${localPort}`
}
