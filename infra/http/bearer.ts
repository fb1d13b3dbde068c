/** Compares what an `Authorization` header bears with a secret that somebody must not guess. */
import { hash, timingSafeEqual } from 'node:crypto'

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

/** Hashes have one length, so the comparison takes one time, whatever was sent. */
export function bearsSecret(authorization: string | undefined, secret: string): boolean {
  const given = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? ''
  return timingSafeEqual(digest(given), digest(secret))
}
