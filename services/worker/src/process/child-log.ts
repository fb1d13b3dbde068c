/**
 * Passes on what a child process writes to stderr: lines of the worker's log, and native code's.
 */
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { Log, LogLevel } from './log.ts'
import { parseJson } from './parse-json.ts'

const LOG_CHARACTERS_MAX = 8192

/** The numbers of pino. */
const levels: Readonly<Record<number, LogLevel>> = { 30: 'info', 40: 'warn', 50: 'error' }
const logLine = z.looseObject({ level: z.number(), msg: z.string() })

export interface ChildLog {
  /** The first message of the level `error`, which mostly says why a child ended. */
  readonly firstError: string | undefined
}

/**
 * @param fields that each line gets
 * @param onLine is called for every line
 */
export function forwardLog(
  stderr: Readable,
  log: Log,
  fields: Readonly<Record<string, unknown>>,
  onLine: () => void,
): ChildLog {
  const forwarded: { firstError: string | undefined } = { firstError: undefined }
  onLines(stderr, (line) => {
    onLine()
    const { level, message, more } = parsedLine(line)
    log(level, message, { ...more, ...fields })
    if (level === 'error') forwarded.firstError ??= message
  })
  return forwarded
}

export function onLines(stream: Readable, onLine: (line: string) => void): void {
  createInterface({ input: stream }).on('line', onLine)
}

interface Said {
  readonly level: LogLevel
  readonly message: string
  readonly more: Readonly<Record<string, unknown>>
}

function parsedLine(line: string): Said {
  const parsed = logLine.safeParse(parseJson(line))
  // Native code writes to stderr as it likes.
  if (!parsed.success)
    return { level: 'warn', message: line.slice(0, LOG_CHARACTERS_MAX), more: {} }
  const { level: number, msg: message, time: _written, ...more } = parsed.data
  return { level: levels[number] ?? 'error', message, more }
}
