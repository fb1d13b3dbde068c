/** Whether the session ended while a page was open. The page stays: what was typed must not go. */
import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let ended = false

export function noteEnd(): void {
  set(true)
}

export function noteSignedIn(): void {
  set(false)
}

export function useSessionEnded(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => ended,
  )
}

function set(value: boolean): void {
  ended = value
  for (const listener of listeners) listener()
}
