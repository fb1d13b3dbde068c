/** Progress of long work: drawn over itself for a person, a line now and then for a log file. */
import type { Context } from '../context/context.ts'
import { CliError, EXIT_INTERRUPTED } from '../context/exit-codes.ts'

/** A line is written this often where there is no terminal. */
const LINE_MS = 5_000
const DRAW_MS = 100

interface ProgressDrawer {
  /** @param share of the work, 0 to 1; not a number when there is none to do */
  (share: number, detail: string): void
  end(): void
}

function progressDrawer(context: Context): ProgressDrawer {
  const { terminal } = context
  let drawnAt = performance.now()
  let drawn = false
  const draw = (share: number, detail: string) => {
    const everyMs = terminal.errIsTerminal ? DRAW_MS : LINE_MS
    if (context.json || performance.now() - drawnAt < everyMs) return
    drawnAt = performance.now()
    const percent = Number.isNaN(share) ? 100 : Math.min(100, Math.floor(share * 100))
    const text = `${percent}%  ${detail}`
    terminal.err(terminal.errIsTerminal ? `\r${text}\u001b[K` : `${text}\n`)
    drawn = true
  }
  return Object.assign(draw, {
    end: () => {
      if (drawn && terminal.errIsTerminal) terminal.err('\n')
    },
  })
}

/**
 * Says behind a count how many events were passed over, where the log is shared with other
 * programs.
 */
export function passedOverText(events: number): string {
  return events === 0 ? '' : `, ${events} of others passed over`
}

type Line = { readonly type: string }
type Progress<Any extends Line> = Extract<Any, { readonly type: 'progress' }>
type Result<Any extends Line> = Extract<Any, { readonly type: 'result' }>
type Remaining<Any extends Line> = Exclude<Any, Progress<Any> | Result<Any>>

export interface DrawnWork<Any extends Line> {
  /** The share of the work that is done, 0 to 1, and how far it is in words. */
  readonly shown: (progress: Progress<Any>) => readonly [share: number, detail: string]
  /** The message when it is interrupted. */
  readonly interrupted: string
  /** Takes the lines that are neither progress nor the result. */
  readonly onLine?: ((line: Remaining<Any>) => Promise<void>) | undefined
}

/**
 * Draws the progress of long work.
 *
 * @returns the result, which is the last line
 * @throws {CliError} when it was interrupted before that
 */
export async function drawnResult<Any extends Line>(
  context: Context,
  lines: AsyncIterable<Any>,
  { shown, interrupted, onLine = async () => {} }: DrawnWork<Any>,
): Promise<Result<Any>> {
  const draw = progressDrawer(context)
  try {
    for await (const line of lines) {
      if (isResult(line)) return line
      if (context.terminal.stop.aborted) break
      if (isProgress(line)) draw(...shown(line))
      else await onLine(line as Remaining<Any>)
    }
  } finally {
    draw.end()
  }
  throw new CliError(EXIT_INTERRUPTED, interrupted)
}

function isResult<Any extends Line>(line: Any): line is Result<Any> {
  return line.type === 'result'
}

function isProgress<Any extends Line>(line: Any): line is Progress<Any> {
  return line.type === 'progress'
}

interface PartProgress {
  /** The part that is worked on. */
  readonly part: string
  /** The share of the whole work that is done, 0 to 1. */
  readonly share: number
  /** Events per second. */
  readonly rate: number
}

/**
 * Draws the progress of work in several parts, and about how long it still takes.
 *
 * @param done what is not when the work is interrupted, such as `the log was replayed`
 * @param onLine takes the lines that are neither progress nor the result
 * @returns the result, which is the last line
 * @throws {CliError} when it was interrupted
 */
export function resultOf<Any extends Line>(
  context: Context,
  lines: AsyncIterable<Any>,
  done: string,
  onLine?: (line: Remaining<Any>) => Promise<void>,
): Promise<Result<Any>> {
  const startedAt = performance.now()
  return drawnResult(context, lines, {
    interrupted: `interrupted before ${done}`,
    shown(line) {
      const { part, share, rate } = line as Line as Line & PartProgress
      const leftMs = ((performance.now() - startedAt) * (1 - share)) / share
      const left = share > 0 ? `  about ${Math.ceil(leftMs / 1_000)} s left` : ''
      return [share, `${part}  ${rate} events/s${left}`]
    },
    onLine,
  })
}
