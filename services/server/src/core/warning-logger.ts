/** The log of a server is for machines; where a command works a person reads. */
import { type Logger, pino } from 'pino'

/** @param warn takes what a server would log as a warning or worse, in words */
export function loggerTo(warn: (warning: string) => void): Logger {
  const write = (line: string) => {
    const { msg, reason } = JSON.parse(line) as { msg?: unknown; reason?: unknown }
    if (typeof msg === 'string') warn(typeof reason === 'string' ? `${msg}: ${reason}` : msg)
  }
  return pino({ level: 'warn', base: null }, { write })
}
