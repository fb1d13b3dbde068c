/** Collects who may ask the server to stop: a signal, or the end of the npm that started it. */
import { EXIT_INTERRUPTED } from '../context/exit-codes.ts'

/**
 * One Ctrl-C can arrive twice, from the terminal and through npm or our launcher. What comes this
 * soon after the first is its echo.
 */
const ECHO_MS = 1_000
const PARENT_CHECK_MS = 500

/**
 * Aborts at the first request to stop. A second signal, from an impatient operator, ends the
 * process at once.
 */
export function stopRequests(): AbortSignal {
  const stop = new AbortController()
  let askedAtMs: number | undefined
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const nowMs = performance.now()
      askedAtMs ??= nowMs
      if (nowMs - askedAtMs > ECHO_MS) process.exit(EXIT_INTERRUPTED)
      stop.abort()
    })
  }
  if (process.env.npm_lifecycle_event !== undefined) whenParentEnds(() => stop.abort())
  return stop.signal
}

/**
 * npm runs a script in a shell that passes no signal on: whoever ends npm ends the shell, and would
 * leave a server behind that holds the port and the folder.
 */
function whenParentEnds(then: () => void): void {
  const parent = process.ppid
  const check = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(check)
    then()
  }, PARENT_CHECK_MS)
  check.unref()
}
