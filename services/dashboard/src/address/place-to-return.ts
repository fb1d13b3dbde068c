/**
 * Remembers where somebody was going when an identity provider signs them in. It is kept in this
 * tab and never sent anywhere, so that no link can make a sign-in lead to another site.
 */
import { isInside } from './inside.ts'

const STORED_AS = 'svc-sign-in-to'

export function keepPlace(to: string | undefined): void {
  try {
    if (to === undefined) sessionStorage.removeItem(STORED_AS)
    else sessionStorage.setItem(STORED_AS, to)
  } catch {
    // Storage is switched off: they arrive at the first page.
  }
}

export function takePlace(): string | undefined {
  try {
    const to = sessionStorage.getItem(STORED_AS)
    sessionStorage.removeItem(STORED_AS)
    return isInside(to) ? to : undefined
  } catch {
    return undefined
  }
}
