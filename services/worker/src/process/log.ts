/** Where parts of the worker write what happened. Fields never hold prompts, answers or secrets. */
import { type DestinationStream, type Logger, pino } from 'pino'

export type LogLevel = 'info' | 'warn' | 'error'

export type Log = (
  level: LogLevel,
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void

/**
 * JSON lines with the same fields as the server's: `level`, `time`, `msg`, and `err` for an error.
 */
export function workerLog(destination: DestinationStream): Log {
  return logTo(pino({ level: 'info', base: null }, destination))
}

export function logTo(logger: Logger): Log {
  return (level, message, fields = {}) => logger[level](fields, message)
}
