/** What changes as time goes by, on a page that is left open. */
import { useSyncExternalStore } from 'react'

const TICK_MS = 1_000

const waiting = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** One timer for all of them, and none while nobody waits. */
function onTick(listener: () => void): () => void {
  waiting.add(listener)
  timer ??= setInterval(() => {
    for (const each of waiting) each()
  }, TICK_MS)
  return () => {
    waiting.delete(listener)
    if (waiting.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Reads every second, and draws anew only when it reads something else. */
export function useTicking<Value extends string | boolean>(read: () => Value): Value {
  return useSyncExternalStore(onTick, read)
}
