/** Where a part of the worker says what happened. Fields never hold prompts, answers or secrets. */
export type LogLevel = 'info' | 'warn' | 'error'

export type Log = (
  level: LogLevel,
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void

/** Writes one JSON object per line, for machines and for the supervisor. */
export function jsonLines(write: (line: string) => void, now: () => Date): Log {
  return (level, message, fields = {}) => {
    write(`${JSON.stringify({ time: now().toISOString(), level, message, ...fields })}\n`)
  }
}
