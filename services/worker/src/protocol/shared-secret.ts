/** The secret that gateway and worker share when the worker listens on TCP. */
import { hash, timingSafeEqual } from 'node:crypto'

export const SECRET_CHARACTERS_MIN = 16

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

/** Compares in a time that tells nothing about the secret. */
export function bearsSecret(authorization: string | undefined, secret: string): boolean {
  const given = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? ''
  return timingSafeEqual(digest(given), digest(secret))
}
