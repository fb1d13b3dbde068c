/** The clock of the server: the one of the browser may be hours off. */
let offsetMs = 0

/** @param now RFC 3339, as an answer of the server gave it just now */
export function noteServerTime(now: string): void {
  const told = Date.parse(now)
  if (!Number.isNaN(told)) offsetMs = told - Date.now()
}

/** Milliseconds since 1970. */
export function serverNow(): number {
  return Date.now() + offsetMs
}
