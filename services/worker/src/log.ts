/** Where a part of the worker says what happened. Fields never hold prompts, answers or secrets. */
import { type DestinationStream, type Level, pino } from 'pino'

export type LogLevel = 'info' | 'warn' | 'error'

export type Log = (
  level: LogLevel,
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void

/**
 * JSON lines with the same fields as the server's: `level`, `time`, `msg`, and `err` for an error.
 *
 * @param fields of every line
 */
export function workerLog(
  destination: DestinationStream,
  level: Level | 'silent',
  fields: Readonly<Record<string, unknown>> = {},
): Log {
  const logger = pino({ level, base: { ...fields } }, destination)
  return (level, message, fields = {}) => logger[level](fields, message)
}
