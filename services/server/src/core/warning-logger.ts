/** The log of a server is for machines; where a command works a person reads. */
import { type Logger, pino } from 'pino'

/** The fields that are shown. */
interface WarningLine {
  readonly msg?: string
  readonly view?: string
  readonly views?: readonly string[]
  readonly stream?: string
  readonly reason?: string
}

/** @param warn takes what a server would log as a warning or worse, in words */
export function loggerTo(warn: (warning: string) => void): Logger {
  const write = (line: string) => {
    const { msg, view, views, stream, reason } = JSON.parse(line) as WarningLine
    if (msg === undefined) return
    const subject = [view ?? views ?? [], stream ?? []].flat()
    const what = subject.length === 0 ? msg : `${msg} (${subject.join(', ')})`
    warn(reason === undefined ? what : `${what}: ${reason}`)
  }
  return pino({ level: 'warn', base: null }, { write })
}
