/** Idempotency keys: what is asked for twice, such as after a lost answer, happens once. */
import { useRef } from 'react'
import { keyOfUnanswered } from './unanswered-changes.ts'

const KEY_BYTES = 16

/**
 * @returns one key for the same content as long as a form is open, another for other content; that
 *   of a change with this content whose answer never came
 */
export function useOnceKey(): (content: object) => string {
  const keys = useRef(new Map<string, string>())
  return (content) => {
    const text = JSON.stringify(content)
    const key = keys.current.get(text) ?? keyOfUnanswered(text) ?? newKey()
    keys.current.set(text, key)
    return key
  }
}

/** `randomUUID` is missing where a page is served without TLS in a local network. */
function newKey(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))]
  return `dashboard-${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
