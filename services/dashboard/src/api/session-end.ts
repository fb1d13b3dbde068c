/** Whether the session ended while a page was open. The page stays: what was typed must not go. */
import { useSyncExternalStore } from 'react'
import { ApiError } from './api-error.ts'

const listeners = new Set<() => void>()
let ended = false

/** Notes an error when it says that there is no session any more. */
export function noteRefusal(error: Error): void {
  if (error instanceof ApiError && error.code === 'not_signed_in') set(true)
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
