/** Reads the bearer token of an `Authorization` header, for all who take one. */
import { hash, timingSafeEqual } from 'node:crypto'

/** The scheme in any case and one space or more, as RFC 9110 has it. */
const BEARER = /^bearer +([^ ].*)$/i
/** What a key or a token of ours can be made of, and how long one can be. */
const PLAIN = /^[\x21-\x7e]{1,256}$/

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

/** @returns what the header bears; undefined where it bears nothing */
export function bearerOf(authorization: string | undefined): string | undefined {
  return BEARER.exec(authorization ?? '')?.[1]
}

/** @returns what was sent; undefined where it cannot be a key or a token of ours */
export function plainSecret(sent: string | readonly string[] | undefined): string | undefined {
  return typeof sent === 'string' && PLAIN.test(sent) ? sent : undefined
}

/**
 * Compares what the header bears with a secret that somebody must not guess. Hashes have one
 * length, so the comparison takes one time, whatever was sent.
 */
export function bearsSecret(authorization: string | undefined, secret: string): boolean {
  return timingSafeEqual(digest(bearerOf(authorization) ?? ''), digest(secret))
}
