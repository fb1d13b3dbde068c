/**
 * The address to give to clients: what the operator says it is, else how the caller reached us.
 * What a proxy says of that counts only when it is trusted, for anybody can send its headers.
 */
import type { FastifyRequest } from 'fastify'

const HOST = /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/

/** Finds the address without `/v1`, and without a slash at its end. */
export type RootUrl = (request: FastifyRequest) => string

/** @param publicUrl as the operator gave it; undefined: every request tells its own */
export function rootUrlBy(publicUrl: string | undefined): RootUrl {
  return publicUrl === undefined ? reachedUrl : () => publicUrl
}

/**
 * Finds the address that the client reached. Fastify looks at the headers of a proxy only when it
 * is one of those that are trusted.
 */
function reachedUrl({ protocol, host, raw }: FastifyRequest): string {
  const scheme = protocol === 'https' ? 'https' : 'http'
  const named = [host, raw.headers.host].find((each) => each !== undefined && HOST.test(each))
  return `${scheme}://${named ?? localAddress(raw.socket)}`
}

function localAddress({ localAddress = '127.0.0.1', localPort }: FastifyRequest['socket']): string {
  const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress
  return `${host}:${localPort}`
}
